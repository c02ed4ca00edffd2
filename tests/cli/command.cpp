#include "tests/cli/command.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

std::string file_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void redirect(const std::filesystem::path& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, descriptor);
    close(file);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

}  // namespace

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "bondgraph_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for a test");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return name;
}

std::string Folder::read(const std::string& name) const { return file_text(path_ / name); }

bool Folder::has(const std::string& name) const { return std::filesystem::exists(path_ / name); }

Outcome Folder::run(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) const {
    return run_program(test::program(), arguments, variables);
}

Outcome Folder::run_program(const std::string& file, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& variables) const {
    // What the program says lies outside the folder it works in, so that a test may look at all of that.
    const Folder streams;
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(path_.c_str()) != 0) _exit(126);
        redirect(streams.path() / "out", STDOUT_FILENO);
        redirect(streams.path() / "err", STDERR_FILENO);
        for (const std::string& variable : variables) putenv(const_cast<char*>(variable.c_str()));
        std::string program = file;
        std::vector<std::string> texts = arguments;
        std::vector<char*> pointers{program.data()};
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        execv(program.c_str(), pointers.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(streams.path() / "out"),
            file_text(streams.path() / "err")};
}

std::vector<double> csv_column(const std::string& text, const std::string& name) {
    const std::vector<std::string> lines = split(text, '\n');
    if (lines.empty()) {
        ADD_FAILURE() << "no CSV";
        return {};
    }
    const auto head = split(lines.front(), ',');
    const auto found = std::find(head.begin(), head.end(), name);
    if (found == head.end()) {
        ADD_FAILURE() << "no column " << name << " in " << lines.front();
        return {};
    }
    const auto column = static_cast<std::size_t>(found - head.begin());
    std::vector<double> values;
    for (std::size_t k = 1; k < lines.size(); ++k) values.push_back(std::stod(split(lines[k], ',').at(column)));
    return values;
}

void expect_refused_before_anything_is_written(const WrongOption& wrong) {
    const Folder folder;
    std::vector<std::string> arguments{"run", folder.write("m.yaml", kCharging)};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, testing::HasSubstr(wrong.message));
    EXPECT_FALSE(folder.has("m.csv"));
}

}  // namespace bondgraph::cli

#include "tests/cli/documentation.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace bondgraph::cli {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
    return lines;
}

std::vector<std::string> words_of(const std::string& line) {
    // Punctuation stands apart from numbers, so that these can be compared as such.
    static const std::regex kMark("([\\[\\](){},:])");
    std::istringstream stream(std::regex_replace(line, kMark, " $1 "));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(std::move(word));
    return words;
}

bool number_in(const std::string& word, double& number) {
    char* end = nullptr;
    number = std::strtod(word.c_str(), &end);
    return end != word.c_str() && *end == '\0';
}

/// Lines whose numbers vary: what a run took, and what rounding left.
bool varies(const std::vector<std::string>& words) {
    static constexpr std::array<std::string_view, 5> kFirst{"steps", "time", "energy", "imbalance", "PASS"};
    if (words.empty()) return false;
    if (words.size() > 2 && words[2] == "passed") return true;
    return std::find(kFirst.begin(), kFirst.end(), words.front()) != kFirst.end();
}

bool same_line(const std::string& shown, const std::string& got) {
    const auto a = words_of(shown);
    const auto b = words_of(got);
    if (a.size() != b.size()) return false;
    const bool any_number = varies(a);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;
        double x = 0.0;
        double y = 0.0;
        if (!number_in(a[i], x) || !number_in(b[i], y)) return false;
        if (!any_number && !(std::abs(x - y) <= 1e-3 * std::max(std::abs(x), std::abs(y)))) return false;
    }
    return true;
}

std::size_t matching_lines(const std::vector<std::string>& shown, std::size_t from, const std::vector<std::string>& got,
                           std::size_t at) {
    std::size_t n = 0;
    while (from + n < shown.size() && shown[from + n] != "…" && at + n < got.size() &&
           same_line(shown[from + n], got[at + n]))
        ++n;
    return n;
}

}  // namespace

ReadersFolder::ReadersFolder() {
    std::string name = (fs::temp_directory_path() / "bondgraph-docs-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make a folder in " + name);
    path_ = name;
    fs::create_directory(path_ / "bin");
    fs::create_symlink(BONDGRAPH_EXECUTABLE, path_ / "bin" / "bondgraph");
    for (const char* folder : {"models", "tests"})
        fs::create_directory_symlink(fs::path(BONDGRAPH_SOURCE_DIR) / folder, path_ / folder);
}

ReadersFolder::~ReadersFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

ShellResult ReadersFolder::run(const std::string& command) const {
    const std::string script = path_.string() + "/command.sh";
    std::ofstream(script) << fmt::format("cd '{}'\nPATH='{}/bin':\"$PATH\"\n{}\n", path_.string(), path_.string(),
                                         command);
    std::FILE* pipe = popen(fmt::format("NO_COLOR=1 sh '{}' 2>&1 </dev/null", script).c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("can't run a shell");
    ShellResult result;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        result.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

std::string repository_file(const std::string& name) {
    std::ifstream file(fs::path(BONDGRAPH_SOURCE_DIR) / name);
    std::ostringstream text;
    if (!(text << file.rdbuf())) throw std::runtime_error("can't read " + name);
    return text.str();
}

std::vector<FencedBlock> fenced_blocks(const std::string& markdown) {
    std::vector<FencedBlock> blocks;
    bool inside = false;
    std::size_t number = 0;
    for (const std::string& line : lines_of(markdown)) {
        ++number;
        if (line.starts_with("```")) {
            inside = !inside;
            if (inside) blocks.push_back({line.substr(3), number, {}});
        } else if (inside) {
            blocks.back().lines.push_back(line);
        }
    }
    return blocks;
}

std::vector<ShownCommand> shown_commands(const std::string& markdown) {
    static const std::regex kStatus("\\s+# exit status (\\d+)$");
    std::vector<ShownCommand> commands;
    for (const FencedBlock& block : fenced_blocks(markdown)) {
        if (block.language != "console") continue;
        for (std::size_t i = 0; i < block.lines.size(); ++i) {
            const std::string& line = block.lines[i];
            if (!line.starts_with("$ ")) {
                if (commands.empty() || i == 0) throw std::runtime_error("a console block begins without '$ '");
                commands.back().output.push_back(line);
                continue;
            }
            ShownCommand command{line.substr(2), 0, block.line + 1 + i, {}};
            std::smatch status;
            if (std::regex_search(command.command, status, kStatus)) {
                command.status = std::stoi(status[1]);
                command.command = status.prefix();
            }
            commands.push_back(std::move(command));
        }
    }
    return commands;
}

std::string difference(const std::vector<std::string>& shown, const std::string& output) {
    const auto got = lines_of(output);
    std::size_t i = 0;
    std::size_t at = 0;
    bool skipping = false;
    while (i < shown.size()) {
        if (shown[i] == "…") {
            skipping = true;
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < shown.size() && shown[end] != "…") ++end;
        // After "…" the lines may begin anywhere; a page that ends with them has to end where the output does.
        if (skipping && end == shown.size()) at = std::max(at, got.size() - std::min(got.size(), end - i));
        while (skipping && at < got.size() && matching_lines(shown, i, got, at) != end - i) ++at;
        const std::size_t n = matching_lines(shown, i, got, at);
        if (n != end - i) {
            return fmt::format("shown: {}\ngot:   {}", shown[i + n],
                               at + n < got.size() ? got[at + n] : "(the output ends here)");
        }
        at += n;
        i = end;
        skipping = false;
    }
    if (!skipping && at < got.size()) return fmt::format("not shown: {}", got[at]);
    return {};
}

}  // namespace bondgraph::cli

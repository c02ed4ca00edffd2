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

#include "tests/support/places.hpp"

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

/// Whether the last number of each line is what rounding left: the column "residual" of an energy audit.
std::vector<bool> end_with_residuals(const std::vector<std::string>& lines) {
    std::vector<bool> result;
    bool in_table = false;
    for (const std::string& line : lines) {
        in_table = line.ends_with(" residual") || (in_table && line.starts_with(' '));
        result.push_back(in_table);
    }
    return result;
}

bool same_line(const std::string& shown, const std::string& got, bool ends_with_residual) {
    const auto a = words_of(shown);
    const auto b = words_of(got);
    if (a.size() != b.size()) return false;
    const bool any_number = varies(a);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;
        double x = 0.0;
        double y = 0.0;
        if (!number_in(a[i], x) || !number_in(b[i], y)) return false;
        const bool free = any_number || (i > 0 && a[i - 1] == "step") || (ends_with_residual && i + 1 == a.size());
        if (!free && !(std::abs(x - y) <= 1e-3 * std::max(std::abs(x), std::abs(y)))) return false;
    }
    return true;
}

std::size_t matching_lines(const std::vector<std::string>& shown, std::size_t from, const std::vector<std::string>& got,
                           std::size_t at) {
    const auto residuals = end_with_residuals(got);
    std::size_t n = 0;
    while (from + n < shown.size() && shown[from + n] != "…" && at + n < got.size() &&
           same_line(shown[from + n], got[at + n], residuals[at + n]))
        ++n;
    return n;
}

std::string text_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

void replace_once(std::string& text, const std::string& old_lines, const std::string& new_lines) {
    const std::size_t at = text.find(old_lines);
    if (old_lines.empty() || at == std::string::npos || text.find(old_lines, at + 1) != std::string::npos)
        throw std::runtime_error("these lines are not to be found exactly once:\n" + old_lines);
    text.replace(at, old_lines.size(), new_lines);
}

/// The text with the changes of a ```diff block, whose first two lines name files.
std::string changed(std::string text, const std::vector<std::string>& block) {
    std::string old_lines;
    std::string new_lines;
    for (std::size_t i = 2; i < block.size(); ++i) {
        const std::string& line = block[i];
        if (line == "…") {
            replace_once(text, old_lines, new_lines);
            old_lines.clear();
            new_lines.clear();
            continue;
        }
        if (line.empty() || std::string_view(" -+").find(line.front()) == std::string_view::npos)
            throw std::runtime_error("a line of a diff begins with ' ', '-' or '+', not so: " + line);
        if (line.front() != '+') old_lines += line.substr(1) + '\n';
        if (line.front() != '-') new_lines += line.substr(1) + '\n';
    }
    replace_once(text, old_lines, new_lines);
    return text;
}

}  // namespace

ReadersFolder::ReadersFolder() {
    std::string name = (fs::temp_directory_path() / "bondgraph-docs-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make a folder in " + name);
    path_ = name;
    fs::create_directory(path_ / "bin");
    fs::create_symlink(test::program(), path_ / "bin" / "bondgraph");
    fs::create_directory(path_ / "docs");
    for (const char* folder : {"models", "tests", "docs/exercises"})
        fs::create_directory_symlink(fs::path(test::source_folder()) / folder, path_ / folder);
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
    std::ifstream file(fs::path(test::source_folder()) / name);
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

std::vector<ShownFile> shown_files(const std::string& markdown) {
    static constexpr std::string_view kModel = "model: ";
    std::vector<ShownFile> files;
    for (const FencedBlock& block : fenced_blocks(markdown)) {
        const bool whole_model = block.language == "yaml" && !block.lines.empty() && block.lines[0].starts_with(kModel);
        if (whole_model) files.push_back({block.lines[0].substr(kModel.size()) + ".yaml", text_of(block.lines)});
        if (block.language != "diff") continue;
        if (block.lines.size() < 3 || !block.lines[0].starts_with("--- ") || !block.lines[1].starts_with("+++ "))
            throw std::runtime_error("a diff block has to begin with the names of two files");
        const std::string from = block.lines[0].substr(4);
        const auto known =
            std::find_if(files.begin(), files.end(), [&](const ShownFile& file) { return file.name == from; });
        const std::string original = known != files.end() ? known->text : repository_file(from);
        files.push_back({block.lines[1].substr(4), changed(original, block.lines)});
    }
    return files;
}

std::vector<std::string> shown_pictures(const std::string& markdown) {
    static const std::regex kPicture("!\\[[^\\]]*\\]\\(([^)]+)\\)");
    std::vector<std::string> names;
    for (std::sregex_iterator match(markdown.begin(), markdown.end(), kPicture), end; match != end; ++match)
        names.push_back((*match)[1].str());
    return names;
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

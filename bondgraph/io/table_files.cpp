#include "bondgraph/io/table_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/io/csv_table.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;
using Kind = YamlNode::Kind;

class TableOfFile {
   public:
    TableOfFile(const YamlNode& node, const fs::path& folder, Diagnostics& diagnostics, const FileAccess& access)
        : node_(node), from_(*node.find("from")), folder_(folder), diagnostics_(diagnostics), access_(access) {}

    /// Nothing where it can't be read, which is reported.
    std::optional<YamlNode> list() {
        const std::size_t errors = diagnostics_.error_count();
        YamlNode read = read_list();
        if (diagnostics_.error_count() > errors) return std::nullopt;
        return read;
    }

   private:
    YamlNode read_list() {
        YamlNode result{.kind = Kind::sequence, .position = node_.position};
        try {
            read();
        } catch (const std::exception& e) {
            report(from_.position, fmt::format("can't read '{}': {}", from_.scalar, e.what()));
            return result;
        }
        if (!has_names_and_rows()) return result;
        const auto columns = wanted();
        if (columns.empty()) return result;
        result.children.reserve(file_.rows);
        for (std::size_t row = 0; row < file_.rows; ++row) {
            YamlNode line{.kind = Kind::sequence, .position = from_.position};
            for (const std::size_t column : columns) {
                auto number = value(row, column);
                if (!number) return {.kind = Kind::sequence, .position = node_.position};
                line.children.push_back(*std::move(number));
            }
            result.children.push_back(columns.size() == 1 ? std::move(line.children.front()) : std::move(line));
        }
        return result;
    }

    /// A column of texts is no mistake where others are asked for.
    void read() {
        const fs::path path = folder_ / from_.scalar;
        if (!access_.allows(path)) throw UnreadableResults(kFileRefused);
        try {
            file_ = read_results(path, LastLine::whole);
        } catch (const UnreadableResults& e) {
            if (node_.find("columns") == nullptr || result_format(path) != ResultFormat::csv) throw;
            file_ = read_csv_with_texts(path);
            unread_ = e.what();
        }
    }

    bool has_names_and_rows() {
        const std::size_t errors = diagnostics_.error_count();
        std::vector<std::string> names;
        for (const ResultColumn& c : file_.columns) {
            if (std::ranges::find(names, c.name) != names.end()) {
                report(from_.position, fmt::format("'{}' has two columns '{}'", from_.scalar, c.name),
                       {{"try", "give each column a name of its own in the first line of the file"}});
                return false;
            }
            names.push_back(c.name);
        }
        const auto is_number = [](const std::string& text) {
            return !text.empty() && text.find_first_not_of("0123456789.eE+- ") == std::string::npos &&
                   text.find_first_of("0123456789") != std::string::npos;
        };
        if (node_.find("columns") == nullptr && std::ranges::all_of(names, is_number)) {
            report(from_.position, fmt::format("the first line of '{}' holds no names", from_.scalar),
                   {{"because", "there the names of the columns stand; it would not count as a row"},
                    {"try", fmt::format("a first line such as '{}'", names.size() == 1 ? "x" : "x,y")}});
        } else if (file_.rows == 0) {
            report(from_.position, fmt::format("'{}' has names in its first line, and no row below", from_.scalar));
        }
        return diagnostics_.error_count() == errors;
    }

    void report(SourcePosition position, std::string message, std::vector<DiagnosticNote> notes = {}) {
        diagnostics_.error("BG-M088", position, std::move(message), std::move(notes));
    }

    /// Their numbers in the file; none where one is not there.
    std::vector<std::size_t> wanted() {
        std::vector<std::size_t> columns;
        const YamlNode* names = node_.find("columns");
        if (names == nullptr) {
            for (std::size_t k = 0; k < file_.columns.size(); ++k) columns.push_back(k);
            return columns;
        }
        const std::array one{*names};
        const std::span<const YamlNode> all =
            names->kind == Kind::sequence ? std::span(names->children) : std::span(one);
        for (const YamlNode& name : all) {
            const auto found = std::ranges::find(file_.columns, name.scalar, &ResultColumn::name);
            if (name.kind != Kind::scalar || found == file_.columns.end()) {
                std::vector<std::string> there;
                for (const ResultColumn& c : file_.columns) there.push_back(c.name);
                report(name.position,
                       fmt::format("'{}' has no column '{}'{}", from_.scalar, name.scalar,
                                   did_you_mean(name.scalar, there)),
                       {{"try", fmt::format("it has: {}", fmt::join(there, ", "))}});
                return {};
            }
            columns.push_back(static_cast<std::size_t>(found - file_.columns.begin()));
        }
        return columns;
    }

    std::optional<YamlNode> value(std::size_t row, std::size_t column) {
        const ResultColumn& c = file_.columns[column];
        const double number = c.at(row);
        if (std::isfinite(number))
            return YamlNode{.kind = Kind::scalar, .position = from_.position, .scalar = fmt::format("{}", number)};
        if (unread_.ends_with(fmt::format("under '{}' is no number", c.name)))
            report(from_.position, fmt::format("can't read '{}': {}", from_.scalar, unread_));
        else
            report(from_.position,
                   fmt::format("'{}' has no number in column '{}', row {}", from_.scalar, c.name, row + 1));
        return std::nullopt;
    }

    const YamlNode& node_;
    const YamlNode& from_;
    const fs::path& folder_;
    Diagnostics& diagnostics_;
    const FileAccess& access_;
    Results file_;
    std::string unread_;  ///< what is no number, where some column holds texts
};

}  // namespace

bool names_table_file(const YamlNode& node) {
    if (node.kind != Kind::map || node.size() == 0 || node.size() > 2) return false;
    const YamlNode* from = node.find("from");
    if (from == nullptr || from->kind != Kind::scalar) return false;
    if (node.size() == 2 && node.find("columns") == nullptr) return false;
    constexpr std::array<std::string_view, 4> kEndings{".csv", ".mat", ".h5", ".hdf5"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return from->scalar.ends_with(ending); });
}

void fill_in_tables(YamlNode& root, const fs::path& folder, Diagnostics& diagnostics, std::vector<std::string>& read,
                    const FileAccess& access) {
    std::vector<YamlNode*> open{&root};
    while (!open.empty()) {
        YamlNode& node = *open.back();
        open.pop_back();
        if (names_table_file(node)) {
            read.push_back((folder / node.find("from")->scalar).string());
            if (auto list = TableOfFile(node, folder, diagnostics, access).list()) node = *std::move(list);
            continue;
        }
        for (YamlNode& child : node.children) open.push_back(&child);
    }
}

}  // namespace bondgraph::io

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

#include "bondgraph/io/results.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;
using Kind = YamlNode::Kind;

bool names_table(const YamlNode& node) {
    if (node.kind != Kind::map || node.size() == 0 || node.size() > 2) return false;
    const YamlNode* from = node.find("from");
    if (from == nullptr || from->kind != Kind::scalar) return false;
    if (node.size() == 2 && node.find("columns") == nullptr) return false;
    constexpr std::array<std::string_view, 4> kEndings{".csv", ".mat", ".h5", ".hdf5"};
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return from->scalar.ends_with(ending); });
}

class TableOfFile {
   public:
    TableOfFile(const YamlNode& node, const fs::path& folder, Diagnostics& diagnostics)
        : node_(node), from_(*node.find("from")), folder_(folder), diagnostics_(diagnostics) {}

    YamlNode list() {
        const std::size_t errors = diagnostics_.error_count();
        YamlNode read = read_list();
        return diagnostics_.error_count() == errors ? std::move(read) : stand_in();
    }

   private:
    /// What stands for a list that can't be read, so that nothing else is said of it.
    YamlNode stand_in() const {
        const auto list_of = [&](std::vector<YamlNode> items) {
            return YamlNode{.kind = Kind::sequence, .position = node_.position, .children = std::move(items)};
        };
        const auto number = [&](const char* text) {
            return YamlNode{.kind = Kind::scalar, .position = node_.position, .scalar = text};
        };
        const YamlNode* names = node_.find("columns");
        if (names != nullptr && (names->kind == Kind::scalar || names->size() == 1))
            return list_of({number("0"), number("1")});
        return list_of({list_of({number("0"), number("0")}), list_of({number("1"), number("0")})});
    }

    YamlNode read_list() {
        YamlNode result{.kind = Kind::sequence, .position = node_.position};
        try {
            file_ = read_results(folder_ / from_.scalar, LastLine::whole);
        } catch (const std::exception& e) {
            report(from_.position, fmt::format("can't read '{}': {}", from_.scalar, e.what()));
            return result;
        }
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
        report(from_.position, fmt::format("'{}' has no number in column '{}', row {}", from_.scalar, c.name, row + 1));
        return std::nullopt;
    }

    const YamlNode& node_;
    const YamlNode& from_;
    const fs::path& folder_;
    Diagnostics& diagnostics_;
    Results file_;
};

}  // namespace

void fill_in_tables(YamlNode& root, const fs::path& folder, Diagnostics& diagnostics, std::vector<std::string>& read) {
    std::vector<YamlNode*> open{&root};
    while (!open.empty()) {
        YamlNode& node = *open.back();
        open.pop_back();
        if (names_table(node)) {
            read.push_back((folder / node.find("from")->scalar).string());
            YamlNode list = TableOfFile(node, folder, diagnostics).list();
            node = std::move(list);
            continue;
        }
        for (YamlNode& child : node.children) open.push_back(&child);
    }
}

}  // namespace bondgraph::io

#include "bondgraph/io/load_imports.hpp"

#include <fmt/format.h>

#include <string>
#include <unordered_set>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using Kind = YamlNode::Kind;

class ImportReader {
   public:
    explicit ImportReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    std::vector<Import> run(YamlNode&& node) {
        if (node.kind == Kind::map) {
            prefixed(std::move(node));
        } else if (node.kind == Kind::sequence) {
            for (YamlNode& item : node.children) {
                if (item.kind == Kind::map)
                    prefixed(std::move(item));
                else
                    file(std::move(item), {"import", true}, std::nullopt);
            }
        } else if (node.kind != Kind::null) {
            file(std::move(node), {"import"}, std::nullopt);
        }
        return std::move(imports_);
    }

   private:
    void prefixed(YamlNode&& map) {
        for (std::size_t i = 0; i < map.size(); ++i) {
            YamlNode key = std::move(map.children[2 * i]);
            const bool named = check_name(key, "a prefix", diagnostics_);
            model::Text prefix = text_of(std::move(key));
            if (named && !prefixes_.insert(prefix.text).second)
                diagnostics_.error("BG-M017", prefix.position,
                                   fmt::format("the prefix {} is given twice", quoted_excerpt(prefix.text)),
                                   {{"because", "it stands for one file; what that imports itself comes with it"}});
            const std::string name = prefix.text;
            file(std::move(map.children[2 * i + 1]), {name}, std::move(prefix));
        }
    }

    void file(YamlNode&& node, Place place, std::optional<model::Text> prefix) {
        auto text = read_text(std::move(node), place, "the name of a file", diagnostics_);
        if (!text) return;
        const bool cut_short = text->text.find('\0') != std::string::npos;  // the system would stop reading there
        if (text->text.empty() || cut_short) {
            diagnostics_.error("BG-M037", text->position,
                               fmt::format("'import' takes the name of a file, not {}",
                                           cut_short ? "a text with a null character" : "an empty text"));
            return;
        }
        imports_.push_back({std::move(prefix), *std::move(text)});
    }

    Diagnostics& diagnostics_;
    std::vector<Import> imports_;
    std::unordered_set<std::string> prefixes_;
};

}  // namespace

std::vector<Import> read_imports(YamlNode&& node, Diagnostics& diagnostics) {
    return ImportReader(diagnostics).run(std::move(node));
}

}  // namespace bondgraph::io

#include "bondgraph/io/type_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using model::Text;
using Index = std::uint32_t;
using Table = std::unordered_map<std::string, Index>;

/// Files that share their names: one that the model or a prefix leads to, and what it imports without prefixes.
struct Group {
    std::vector<std::size_t> files;  ///< in order of reading
    Table types;
    Table connector_types;
    bool incomplete = false;
};

class TypeNames {
   public:
    TypeNames(const std::vector<TypeFile>& files, const SourceMap& sources, model::Model& model,
              Diagnostics& diagnostics)
        : files_(files), sources_(sources), model_(model), diagnostics_(diagnostics), groups_of_(files.size()) {}

    void run() {
        gather_groups();
        check_prefixes();
        resolve(model_.body, 0);
        for (std::size_t f = 0; f < files_.size(); ++f) {
            for (const Index t : files_[f].types) resolve(model_.types[t], f);
        }
        qualify();
    }

   private:
    // ---- groups -------------------------------------------------------------------------------------------------

    void gather_groups() {
        roots_.push_back({0, ""});
        group_at_.emplace(0, 0);
        for (std::size_t r = 0; r < roots_.size(); ++r) {  // grows: those nearest to the model first
            const auto [root, qualifier] = roots_[r];
            groups_.push_back(group_of(root));
            for (const std::size_t f : groups_.back().files) {
                groups_of_[f].push_back(r);
                for (const TypeFile::Prefix& p : files_[f].prefixes) {
                    if (!p.file || !group_at_.emplace(*p.file, roots_.size()).second) continue;
                    roots_.emplace_back(*p.file, qualifier.empty() ? p.name.text : qualifier + "." + p.name.text);
                }
            }
        }
    }

    Group group_of(std::size_t root) {
        Group group{.files = {root}, .types = {}, .connector_types = {}};
        std::unordered_set<std::size_t> known{root};
        for (std::size_t k = 0; k < group.files.size(); ++k) {
            for (const std::size_t f : files_[group.files[k]].imports) {
                if (known.insert(f).second) group.files.push_back(f);
            }
        }
        std::ranges::sort(group.files);
        for (const std::size_t f : group.files) {
            group.incomplete = group.incomplete || files_[f].incomplete;
            for (const Index t : files_[f].types) declare(group.types, t, model_.types, "type");
            for (const Index c : files_[f].connector_types)
                declare(group.connector_types, c, model_.connector_types, "connector type");
        }
        return group;
    }

    template <class Declaration>
    void declare(Table& table, Index index, const std::vector<Declaration>& all, std::string_view what) {
        const Text& name = all[index].name;
        const auto [first, fresh] = table.try_emplace(name.text, index);
        if (fresh || !reported_.insert(&name).second) return;
        const SourcePosition before = all[first->second].name.position;
        diagnostics_.error(
            "BG-M017", name.position, fmt::format("{} {} is declared twice", what, quoted_excerpt(name.text)),
            {{"where", fmt::format("first declared at {}:{}", sources_.name(before.file), before.line)}});
    }

    void check_prefixes() {
        for (std::size_t f = 0; f < files_.size(); ++f) {
            for (const TypeFile::Prefix& p : files_[f].prefixes) {
                if (!find(f, p.name.text, &Group::types) && !find(f, p.name.text, &Group::connector_types)) continue;
                diagnostics_.error("BG-M017", p.name.position,
                                   fmt::format("the prefix {} is the name of a type, too", quoted_excerpt(p.name.text)),
                                   {{"try", "another prefix"}});
            }
        }
    }

    // ---- names --------------------------------------------------------------------------------------------------

    /// What a name without prefix means in a file. Of several groups all know what the file itself imports.
    std::optional<Index> find(std::size_t file, const std::string& name, Table Group::*table) const {
        for (const std::size_t g : groups_of_[file]) {
            const Table& names = groups_[g].*table;
            if (const auto found = names.find(name); found != names.end()) return found->second;
        }
        return std::nullopt;
    }

    /// What a name is to stand for, for the messages.
    enum class Kind : std::uint8_t { type, record, connector_type };

    static std::string_view words(Kind kind) {
        switch (kind) {
            case Kind::type:
                return "type";
            case Kind::record:
                return "record";
            case Kind::connector_type:
                return "connector type";
        }
        throw std::logic_error("unreachable");
    }

    std::optional<Index> meaning(std::size_t file, const Text& text, Kind kind) {
        Table Group::*const table = kind == Kind::connector_type ? &Group::connector_types : &Group::types;
        const auto dot = text.text.rfind('.');
        if (dot == std::string::npos) return find(file, text.text, table);
        const std::string prefix = text.text.substr(0, dot);
        const std::string name = text.text.substr(dot + 1);
        const auto& prefixes = files_[file].prefixes;
        const auto known = std::ranges::find_if(prefixes, [&](const auto& p) { return p.name.text == prefix; });
        if (known == prefixes.end()) {
            report_prefix(file, text, prefix, kind);
            return std::nullopt;
        }
        if (!known->file) return std::nullopt;
        const Group& group = groups_[group_at_.at(*known->file)];
        const Table& names = group.*table;
        if (const auto found = names.find(name); found != names.end()) return found->second;
        if (!group.incomplete) report_name(text, prefix, *known->file, kind);
        return std::nullopt;
    }

    void report_prefix(std::size_t file, const Text& text, const std::string& prefix, Kind kind) {
        if (files_[file].incomplete) return;
        std::vector<std::string> names;
        for (const TypeFile::Prefix& p : files_[file].prefixes) names.push_back(p.name.text);
        std::vector<DiagnosticNote> notes;
        if (prefix.find('.') != std::string::npos) {
            notes.push_back({"because", "what an imported file imports under a prefix is known in that file only"});
            notes.push_back(
                {"try", fmt::format("import the file of the {} here, too, under a prefix of its own", words(kind))});
        } else {
            notes.push_back({"try", fmt::format("'import: {{{}: FILE}}' gives the {}s of a file this prefix",
                                                prefix.empty() ? "name" : prefix, words(kind))});
        }
        diagnostics_.error("BG-M080", text.position,
                           fmt::format("unknown prefix {} of the {} {}{}", quoted_excerpt(prefix), words(kind),
                                       quoted_excerpt(text.text), did_you_mean(prefix, names)),
                           std::move(notes));
    }

    void report_name(const Text& text, const std::string& prefix, std::size_t file, Kind kind) {
        constexpr std::size_t kMost = 20;
        const Group& group = groups_[group_at_.at(file)];
        const bool connectors = kind == Kind::connector_type;
        std::vector<std::string> names;
        for (const auto& [known, index] : connectors ? group.connector_types : group.types) {
            const bool fits = connectors || model_.types[index].record == (kind == Kind::record);
            if (fits) names.push_back(fmt::format("{}.{}", prefix, known));
        }
        std::ranges::sort(names);
        const std::string name = text.text.substr(prefix.size() + 1);
        std::vector<DiagnosticNote> notes;
        if (!connectors && group.connector_types.contains(name))
            notes.push_back({"because", fmt::format("'{}' is a connector type there", name)});
        if (!names.empty() && names.size() <= kMost)
            notes.push_back({"try", fmt::format("{}", fmt::join(names, ", "))});
        if (kind != Kind::record) notes.push_back({"note", fmt::format("built-in {}s have no prefix", words(kind))});
        diagnostics_.error(code_of(kind), text.position,
                           fmt::format("'{}' has no {} {}{}", files_[file].name, words(kind), quoted_excerpt(name),
                                       did_you_mean(text.text, names)),
                           std::move(notes));
    }

    static const char* code_of(Kind kind) {
        if (kind == Kind::record) return "BG-M081";
        return kind == Kind::type ? "BG-M001" : "BG-M050";
    }

    // ---- what names stand in ------------------------------------------------------------------------------------

    void resolve(model::Body& body, std::size_t file) {
        for (model::ComponentDeclaration& c : body.components) {
            if (!c.type.text.empty()) c.own_type = meaning(file, c.type, Kind::type);
        }
        for (model::ParameterDeclaration& p : body.parameters) {
            if (p.record) p.record_type = meaning(file, *p.record, Kind::record);
        }
    }

    void resolve(model::TypeDeclaration& type, std::size_t file) {
        resolve(type.body, file);
        if (type.base) type.base_type = meaning(file, *type.base, type.record ? Kind::record : Kind::type);
        for (model::ConnectorDeclaration& c : type.connectors) {
            if (!c.type.text.empty()) c.own_type = meaning(file, c.type, Kind::connector_type);
        }
    }

    /// Gives names that the model knows under prefixes these prefixes. A file that imports without a prefix may have
    /// given one to another file than the model has: then the file's name tells them apart.
    void qualify() {
        std::vector<bool> named(files_.size());
        std::unordered_set<std::string> types;
        std::unordered_set<std::string> connector_types;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            for (const std::size_t f : groups_[g].files) {
                if (named[f]) continue;
                named[f] = true;
                for (const Index t : files_[f].types) qualify(model_.types[t].name, roots_[g].second, f, types);
                for (const Index c : files_[f].connector_types) {
                    model::ConnectorTypeDeclaration& declared = model_.connector_types[c];
                    qualify(declared.name, roots_[g].second, f, connector_types);
                    declared.type.name = declared.name.text;
                }
            }
        }
    }

    void qualify(Text& name, const std::string& qualifier, std::size_t file, std::unordered_set<std::string>& taken) {
        if (!qualifier.empty()) name.text = qualifier + "." + name.text;
        if (taken.insert(name.text).second || qualifier.empty()) return;
        name.text += fmt::format(" ({})", files_[file].name);
        taken.insert(name.text);
    }

    const std::vector<TypeFile>& files_;
    const SourceMap& sources_;
    model::Model& model_;
    Diagnostics& diagnostics_;
    std::vector<std::pair<std::size_t, std::string>> roots_;  ///< of groups: a file, and the prefixes that lead to it
    std::vector<Group> groups_;
    std::unordered_map<std::size_t, std::size_t> group_at_;  ///< by root
    std::vector<std::vector<std::size_t>> groups_of_;        ///< by file
    std::unordered_set<const Text*> reported_;
};

}  // namespace

void resolve_type_names(const std::vector<TypeFile>& files, const SourceMap& sources, model::Model& model,
                        Diagnostics& diagnostics) {
    TypeNames(files, sources, model, diagnostics).run();
}

}  // namespace bondgraph::io

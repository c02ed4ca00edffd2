#include "bondgraph/api/part_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "bondgraph/api/reference_page.hpp"
#include "bondgraph/drawing/type_picture.hpp"
#include "bondgraph/io/importable_files.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/io/part_library.hpp"

namespace bondgraph::api {
namespace {

using model::ParameterDeclaration;
using model::TypeDeclaration;
using Rows = std::vector<std::vector<std::string>>;

std::string written(const model::Value& value) {
    if (!value.is_list) return value.scalar.text;
    std::vector<std::string> items;
    for (const model::Value& item : value.items) items.push_back(written(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string last_name(const model::Text& name) { return name.text.substr(name.text.rfind('.') + 1); }

/// What a file imports from another one is that one's.
bool declares(const PartFile& file, const model::Text& name) { return file.number == name.position.file; }

std::string need_of(const ParameterDeclaration& p, const model::Body& body) {
    const bool group = std::ranges::any_of(body.alternatives, [&](const auto& names) {
        return std::ranges::any_of(names, [&](const model::Text& name) { return name.text == p.name.text; });
    });
    std::vector<std::string> parts;
    if (p.record)
        parts.push_back("record " + p.record->text);
    else if (group)
        parts.push_back("one of a group");
    else
        parts.push_back(p.value ? "default " + written(*p.value) : "required");
    if (p.whole) parts.emplace_back("whole");
    if (p.above) parts.push_back("> " + written(*p.above));
    if (p.min) parts.push_back("≥ " + written(*p.min));
    if (p.below) parts.push_back("< " + written(*p.below));
    if (p.max) parts.push_back("≤ " + written(*p.max));
    if (!p.choices.empty()) {
        std::vector<std::string> words;
        for (const model::Text& word : p.choices) words.push_back(word.text);
        parts.push_back(fmt::format("one of {}", fmt::join(words, ", ")));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string unit_of(const std::optional<model::Text>& unit) { return unit ? unit->text : ""; }

Rows parameter_rows(const TypeDeclaration& type) {
    Rows rows{{"name", "unit", "", "meaning"}};
    for (const ParameterDeclaration& p : type.body.parameters)
        rows.push_back({p.name.text, unit_of(p.unit), need_of(p, type.body), p.doc});
    return rows;
}

Rows variable_rows(const std::vector<model::VariableDeclaration>& variables) {
    Rows rows{{"name", "unit", "meaning"}};
    for (const model::VariableDeclaration& v : variables) rows.push_back({v.name.text, unit_of(v.unit), v.doc});
    return rows;
}

Rows connector_rows(const TypeDeclaration& type) {
    Rows rows{{"name", "kind", "meaning"}};
    for (const model::ConnectorDeclaration& c : type.connectors) {
        const std::string kind = c.type.text.substr(c.type.text.rfind('.') + 1);
        const char* sign = !c.optional ? "" : c.doc.empty() ? "optional" : " (optional)";
        rows.push_back({c.name.text, kind, c.doc + sign});
    }
    for (const model::PortDeclaration& p : type.ports)
        rows.push_back({p.name.text, fmt::format("port {}", unit_of(p.domain)), p.doc});
    return rows;
}

Rows start_rows(const TypeDeclaration& type) {
    Rows rows{{"name", "unit", "stands for", "meaning"}};
    for (const model::StartDeclaration& s : type.starts)
        rows.push_back({s.name.text, unit_of(s.unit), s.value.text, s.doc});
    return rows;
}

/// The laws, and the bonds of the parts inside.
std::string inside(const TypeDeclaration& type) {
    std::vector<std::string> lines;
    for (const model::Text& equation : type.body.equations) lines.push_back(equation.text);
    for (const model::ComponentDeclaration& c : type.body.components) {
        std::string line = fmt::format("{}: {}", c.name.text, c.type.text);
        for (const model::Setting& s : c.settings) line += fmt::format(", {}: {}", s.key.text, written(s.value));
        if (c.repetition && c.repetition->condition) line += fmt::format(" (if {})", written(*c.repetition->condition));
        lines.push_back(std::move(line));
    }
    std::vector<std::string> bonds;
    for (const model::BondDeclaration& b : type.body.bonds)
        bonds.push_back(fmt::format("{} -> {}", b.from.text, b.to.text));
    if (!bonds.empty()) lines.push_back(fmt::format("{}", fmt::join(bonds, ", ")));
    return fmt::format("{}", fmt::join(lines, "\n  "));
}

void add_import(Page& page, const PartFile& file) {
    page.sections.push_back({"Import", fmt::format("import: [{}]", file.name), {}, true});
    if (!file.path.empty()) page.sections.push_back({"File", file.path, {}, true});
}

Page page_of(const Part& part) {
    const TypeDeclaration& type = *part.type;
    Page page{last_name(type.name), type.doc, {}};
    add_import(page, *part.file);
    const auto table = [&](const char* title, Rows rows) {
        if (rows.size() > 1) page.sections.push_back({title, "", std::move(rows)});
    };
    constexpr std::size_t kLine = 100;
    if (std::string line = drawing::bond_line(type, kLine); !line.empty())
        page.sections.push_back({"Bond graph", std::move(line), {}, true});
    table("Connectors", connector_rows(type));
    table("Parameters", parameter_rows(type));
    table("Inputs", variable_rows(type.inputs));
    table("Outputs", variable_rows(type.outputs));
    table("Start values", start_rows(type));
    return page;
}

Page record_page(const PartFile& file, const TypeDeclaration& record) {
    Page page{"record " + last_name(record.name), record.doc, {}};
    add_import(page, file);
    if (record.base) page.sections.push_back({"Extends", last_name(*record.base), {}, true});
    if (Rows rows = parameter_rows(record); rows.size() > 1)
        page.sections.push_back({"Parameters", "", std::move(rows)});
    return page;
}

Page connector_type_page(const PartFile& file, const model::ConnectorTypeDeclaration& kind) {
    Page page{"connector type " + last_name(kind.name), kind.type.doc, {}};
    add_import(page, file);
    Rows bonds{{"name", "domain", "size", "common", "effort and flow"}};
    for (const model::ConnectorBond& b : kind.type.bonds)
        bonds.push_back({b.name, b.domain, std::to_string(b.size), b.common_flow ? "flow" : "effort",
                         fmt::format("{}, {}", b.effort, b.flow)});
    if (bonds.size() > 1) page.sections.push_back({"Bonds", "", std::move(bonds)});
    if (Rows rows = variable_rows(kind.signals); rows.size() > 1)
        page.sections.push_back({"Signals", "", std::move(rows)});
    return page;
}

/// The pages of a file's records, then of its connector types.
std::vector<std::pair<std::string, Page>> other_pages(const PartFile& file) {
    std::vector<std::pair<std::string, Page>> pages;
    for (const TypeDeclaration& type : file.model->types) {
        if (type.record && declares(file, type.name)) pages.emplace_back(last_name(type.name), record_page(file, type));
    }
    for (const model::ConnectorTypeDeclaration& kind : file.model->connector_types) {
        if (declares(file, kind.name)) pages.emplace_back(last_name(kind.name), connector_type_page(file, kind));
    }
    return pages;
}

std::vector<Part> parts_of(const PartFile& file) {
    std::vector<Part> parts;
    for (const TypeDeclaration& type : file.model->types) {
        if (!type.record && !type.partial && declares(file, type.name)) parts.push_back({&file, &type});
    }
    return parts;
}

}  // namespace

std::string Part::name() const { return fmt::format("{}.{}", file->name, last_name(type->name)); }

Parts read_parts(const std::vector<std::string>& import_folders) {
    Parts parts;
    SourceMap sources;
    const model::Model& library = parts.models.emplace_back(io::load_part_library(sources));
    for (const io::LibraryFile& file : io::library_files()) {
        const auto number = std::ranges::find(
            library.files, (io::library_folder() / fmt::format("{}.yaml", file.name)).lexically_normal().string());
        parts.files.push_back({.name = std::string(file.name),
                               .path = {},
                               .model = &library,
                               .number = static_cast<std::uint32_t>(number - library.files.begin())});
    }
    const std::vector<std::filesystem::path> folders(import_folders.begin(), import_folders.end());
    for (const io::ImportableFile& file : io::importable_files(folders)) {
        auto read = io::read_importable(file, folders);
        if (!read) continue;
        const model::Model& model = parts.models.emplace_back(*std::move(read));
        parts.files.push_back({.name = file.name,
                               .path = file.path.string(),
                               .model = &model,
                               .number = io::number_of_file(model, file.path)});
    }
    return parts;
}

std::string part_list(const Parts& parts, const Heading& heading) {
    std::string text;
    for (const PartFile& file : parts.files) {
        Table table({Align::left, Align::left});
        for (const Part& part : parts_of(file)) table.add({last_name(part.type->name), part.type->doc});
        for (const auto& [name, page] : other_pages(file)) table.add({page.title, page.summary});
        if (table.empty()) continue;
        const std::string import = fmt::format("import: [{}]", file.name);
        text += heading(file.path.empty() ? import : fmt::format("{} ({})", import, file.path)) + table.text();
    }
    return text;
}

std::vector<std::string> part_names(const Parts& parts) {
    std::vector<std::string> names;
    for (const PartFile& file : parts.files) {
        for (const TypeDeclaration& type : file.model->types) {
            if (declares(file, type.name)) names.push_back(last_name(type.name));
        }
        for (const model::ConnectorTypeDeclaration& kind : file.model->connector_types) {
            if (declares(file, kind.name)) names.push_back(last_name(kind.name));
        }
    }
    return names;
}

std::vector<Part> find_parts(const Parts& parts, const std::string& name) {
    std::vector<Part> found;
    for (const PartFile& file : parts.files) {
        for (const Part& part : parts_of(file)) {
            if (last_name(part.type->name) == name || part.name() == name) found.push_back(part);
        }
    }
    return found;
}

std::string record_and_connector_pages(const Parts& parts, const std::string& name, const Heading& heading) {
    std::string text;
    for (const PartFile& file : parts.files) {
        for (const auto& [own, page] : other_pages(file)) {
            if (own == name || fmt::format("{}.{}", file.name, own) == name) text += terminal_page(page, heading);
        }
    }
    return text;
}

std::string part_page(const Part& part, const Heading& heading) {
    Page page = page_of(part);
    page.sections.push_back({"Inside", inside(*part.type), {}, true});
    return terminal_page(page, heading);
}

std::string all_part_pages(const Parts& parts) {
    std::string text =
        "# Library of parts\n\nTypes written in the model language, in the files of `models/library`. `import: "
        "[electrical]` in a "
        "model makes those of one\nfile known, `import: {el: electrical}` behind a prefix.\n\nBehind `Bond graph` "
        "stands what a "
        "type is inside, where that fits in a line: elements with one bond in\nparentheses behind their junction (an "
        "arrow "
        "behind one whose half arrow leads to the junction), and a question mark\nat what a condition may leave out. "
        "`bondgraph types Resistor --draw resistor.svg` draws it.\n\n";
    for (const PartFile& file : parts.files) {
        text += fmt::format("## {}\n\n", file.name);
        for (const Part& part : parts_of(file)) text += markdown_page(page_of(part));
        for (const auto& other : other_pages(file)) text += markdown_page(other.second);
    }
    return text;
}

std::vector<TypeReference> references(const Parts& parts) {
    std::vector<TypeReference> all;
    for (const PartFile& file : parts.files) {
        for (const Part& part : parts_of(file)) all.push_back(reference_of(page_of(part), file.name, file.name));
    }
    return all;
}

}  // namespace bondgraph::api

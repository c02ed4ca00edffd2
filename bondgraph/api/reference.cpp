#include "bondgraph/api/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "bondgraph/api/drawings.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/part_pages.hpp"
#include "bondgraph/api/type_pages.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/unit_text.hpp"
#include "bondgraph/io/schema.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::api {

std::vector<std::string> type_names() {
    std::vector<std::string> names = mechanics3d::full_catalogue().names();
    // What stands for types that models declare has a name of two words.
    std::erase_if(names, [](const std::string& name) { return name.find(' ') != std::string::npos; });
    return names;
}

std::string type_list(bool bold, const std::vector<std::string>& import_folders) {
    const Heading heading = bold ? bold_heading : plain_heading;
    return type_list(mechanics3d::full_catalogue(), heading) + part_list(read_parts(import_folders), heading) +
           "\n'bondgraph types TYPE' documents one of them.\n";
}

Result<std::string> type_page(const std::string& type, bool bold, const std::vector<std::string>& import_folders) {
    const Heading heading = bold ? bold_heading : plain_heading;
    const model::Catalogue catalogue = mechanics3d::full_catalogue();
    if (const model::ComponentType* found = catalogue.find(type)) return type_page(*found, catalogue, heading);
    const Parts parts = read_parts(import_folders);
    std::string pages;
    for (const Part& part : find_parts(parts, type)) pages += part_page(part, heading);
    pages += record_and_connector_pages(parts, type, heading);
    if (!pages.empty()) return pages;
    std::vector<std::string> names = catalogue.names();
    for (std::string& name : part_names(parts)) names.push_back(std::move(name));
    return plain_error(Error::Kind::usage, {fmt::format("there is no type '{}'{}", type, did_you_mean(type, names))});
}

Result<Drawing> draw_type(const std::string& type, const DrawOptions& options,
                          const std::vector<std::string>& import_folders) {
    const auto refuse = [](std::string why) { return plain_error(Error::Kind::usage, {std::move(why)}); };
    const model::Catalogue catalogue = mechanics3d::full_catalogue();
    if (catalogue.find(type) != nullptr)
        return refuse(fmt::format("'{}' is an element, without a bond graph inside", type));
    const Parts parts = read_parts(import_folders);
    const auto found = find_parts(parts, type);
    if (found.empty()) return type_page(type, false, import_folders).error();
    if (found.size() > 1) {
        std::vector<std::string> names;
        for (const Part& part : found) names.push_back(part.name());
        return refuse(fmt::format("there are several types '{}': {}", type, fmt::join(names, ", ")));
    }
    const Part& part = found[0];
    if (part.type->body.bonds.empty() && part.type->body.connects.empty())
        return refuse(fmt::format("'{}' has no bonds inside: its laws are equations or signals", type));
    return drawing_of_type(*part.file->model, *part.type, catalogue, options);
}

std::string all_type_pages() { return all_type_pages(mechanics3d::full_catalogue()); }

std::string all_part_pages() { return all_part_pages(read_parts()); }

std::vector<TypeReference> type_references(const std::vector<std::string>& import_folders) {
    std::vector<TypeReference> all = references(mechanics3d::full_catalogue());
    for (TypeReference& part : references(read_parts(import_folders))) all.push_back(std::move(part));
    return all;
}

std::string model_schema() { return io::model_schema(mechanics3d::full_catalogue()); }

std::optional<double> seconds(const std::string& text) {
    double number = 0.0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc()) return std::nullopt;
    const std::string unit = normal_unit_text(std::string_view(end, last));
    if (unit.empty() && end != last) return std::nullopt;
    if (unit.empty()) return number;
    const UnitSystem units;
    const auto known = units.parse(unit);
    if (!known || known->dimension != Dimension{.second = 1}) return std::nullopt;
    return number * known->scale;
}

}  // namespace bondgraph::api

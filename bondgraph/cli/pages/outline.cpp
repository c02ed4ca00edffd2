#include "bondgraph/cli/pages/outline.hpp"

#include <map>
#include <sstream>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/version.hpp"

namespace bondgraph::cli {
namespace {

/// What the words that stand for files stand for: endings of names. Folders are files to all shells, since files may
/// lie in them.
const std::map<std::string, std::vector<std::string>>& kinds_of_files() {
    static const std::map<std::string, std::vector<std::string>> kKinds{
        {"FILE", {}},         {"MODEL", {"yaml"}},     {"PLACE", {"yaml"}},
        {"PLACES", {"yaml"}}, {"REFERENCE", {"yaml"}}, {"RESULT", {"csv", "mat", "h5"}}};
    return kKinds;
}

/// The choices of an option that has some: CLI11 makes "TEXT:{text,json}" the name of its type.
std::vector<std::string> choices(const std::string& type) {
    std::vector<std::string> words;
    const auto open = type.find(":{");
    const auto close = type.find('}', open);
    if (open == std::string::npos || close == std::string::npos) return words;
    std::istringstream list(type.substr(open + 2, close - open - 2));
    for (std::string word; std::getline(list, word, ',');) words.push_back(word);
    return words;
}

Argument argument(const CLI::Option& option, const std::vector<std::string>& types) {
    Argument a{.description = option.get_description(), .required = option.get_required()};
    for (const std::string& name : option.get_snames()) a.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) a.names.push_back("--" + name);
    if (option.get_type_size() == 0) return a;
    a.repeated =
        option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    a.words = choices(option.get_type_name());
    a.value = !a.words.empty() ? joined(a.words, "|") : a.names.empty() ? option.get_name() : option.get_type_name();
    if (a.value == "TYPE") a.words = types;
    const auto kind = kinds_of_files().find(a.value);
    a.file = kind != kinds_of_files().end();
    if (a.file) a.endings = kind->second;
    return a;
}

Command outline(const CLI::App& application, const std::vector<std::string>& types) {
    Command command{application.get_name(), application.get_description(), {}, {}};
    for (const CLI::Option* option : application.get_options()) {
        if (option->get_group().empty()) continue;  // not for people
        auto& of_its_kind = option->get_positional() ? command.positionals : command.options;
        of_its_kind.push_back(argument(*option, types));
    }
    return command;
}

}  // namespace

Outline program_outline() {
    CLI::App application;
    Commands commands{application, {}};
    declare(commands);
    const std::vector<std::string> types = api::type_names();
    Outline all{application.get_name(), version(), outline(application, types), {}};
    all.program.name.clear();
    for (const CLI::App* command : application.get_subcommands([](const CLI::App*) { return true; }))
        all.commands.push_back(outline(*command, types));
    return all;
}

std::string joined(const std::vector<std::string>& texts, const std::string& between) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
    return all;
}

}  // namespace bondgraph::cli

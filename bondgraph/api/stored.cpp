#include "bondgraph/api/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/inputs.hpp"
#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/storage/compiled_file.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::api {
namespace {

storage::Stages stages_of(Session& session) {
    return {session.sources, session.settings, session.model,  session.layout,
            session.graph,   session.causal,   session.system, session.compiled};
}

storage::Maker maker_of(const Environment& environment) {
    const auto connectors = environment.catalogue.connectors();
    return {.version = version(),
            .types = mechanics3d::all_types(environment.catalogue),
            .connectors = {connectors.begin(), connectors.end()}};
}

std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) throw UsageError(fmt::format("can't read '{}'", file));
    return bytes;
}

std::string name_in(const std::string& setting) {
    const std::string name = setting.substr(0, setting.find('='));
    const std::size_t first = name.find_first_not_of(" \t");
    return first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(" \t") - first + 1);
}

/// The values of the session's inputs with the settings laid over them; nothing where one of these is no input, or
/// takes more than a number.
std::optional<std::vector<double>> with_settings(const Session& session, const std::vector<std::string>& settings) {
    const model::BondGraph& graph = *session.graph;
    std::vector<double> values;
    for (const model::AdjustableParameter& p : graph.adjustable) values.push_back(p.value);
    for (const std::string& setting : settings) {
        const auto at = std::ranges::find(graph.adjustable, name_in(setting), &model::AdjustableParameter::name);
        if (at == graph.adjustable.end() || !at->open || setting.find('=') == std::string::npos) return std::nullopt;
        const auto number = input_number(setting.substr(setting.find('=') + 1), *at, find_settable(graph, at->name),
                                         graph, session.environment->units);
        if (!number || !fits_input(*at, *number)) return std::nullopt;
        values[static_cast<std::size_t>(at - graph.adjustable.begin())] = *number;
    }
    return values;
}

/// Those the file was made with, where they are not set otherwise now, then those of now.
std::vector<std::string> all_settings(const std::vector<std::string>& before, const std::vector<std::string>& now) {
    std::vector<std::string> all;
    for (const std::string& setting : before) {
        const bool replaced =
            std::ranges::any_of(now, [&](const std::string& other) { return name_in(other) == name_in(setting); });
        if (!replaced) all.push_back(setting);
    }
    all.insert(all.end(), now.begin(), now.end());
    return all;
}

}  // namespace

namespace {

void check_known(const Session& session, const std::vector<std::string>& names) {
    const model::BondGraph& graph = *session.graph;
    for (const std::string& name : names) {
        if (find_settable(graph, name) != nullptr) continue;
        const auto start = std::ranges::find(graph.adjustable, name, &model::AdjustableParameter::name);
        if (start != graph.adjustable.end() && start->may_vanish) continue;
        std::vector<std::string> known;
        for (const model::SettableParameter& p : graph.settable) known.push_back(p.name);
        throw UsageError(fmt::format(
            "'{}' can't be an input: no parameter has that name, and the model gives no start value of it{}", name,
            did_you_mean(name, known)));
    }
}

/// The session once more with these inputs, without its stages.
void flatten_with(Session& session, Preparation how, std::vector<std::string> inputs) {
    how.adjustable = std::move(inputs);
    how.settings = session.settings;  // with those that a stored model was made with
    session.causal.reset();
    session.system.reset();
    session.compiled.reset();
    session.graph.reset();
    flatten_again(session, how);
}

/// Those names that stand in no other way than as numbers: a period of samples has to be known.
std::vector<std::string> that_can_be_read(Session& session, const Preparation& how,
                                          const std::vector<std::string>& names) {
    flatten_with(session, how, {});  // which says what is wrong, if anything is
    std::vector<std::string> good;
    for (const std::string& name : names) {
        try {
            flatten_with(session, how, {name});
            good.push_back(name);
        } catch (const ModelError&) {
        }
    }
    return good;
}

bool names_input(const model::BondGraph& graph, const model::Value& value, std::size_t input) {
    std::vector<std::uint32_t> roots;
    try {
        for (const expression::SyntaxNode& node : expression::parse_expression(value.scalar.text).nodes) {
            const auto named = graph.parameters.find(node.text);
            if (node.kind != expression::SyntaxKind::name || named == graph.parameters.end()) continue;
            for (const expression::Expr& x : named->second.value.reshaped()) {
                if (!x.is_literal()) roots.push_back(x.node());
            }
        }
    } catch (const expression::SyntaxError&) {  // a number with its unit
    }
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) {
        const expression::Node& node = (*graph.expressions)[n];
        return node.op == expression::Op::held && node.a == graph.first_adjustable() + input;
    });
}

/// Inputs that times or tolerance of the experiment are computed from: those are numbers before a run.
std::vector<std::string> inputs_of_experiment(const Session& session) {
    const model::Experiment& e = session.model.experiment;
    const model::BondGraph& graph = *session.graph;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < graph.adjustable.size(); ++k) {
        for (const auto* value : {&e.start, &e.stop, &e.tolerance, &e.interval}) {
            if (!*value || !graph.adjustable[k].open || !names_input(graph, **value, k)) continue;
            names.push_back(graph.adjustable[k].name);
            break;
        }
    }
    return names;
}

std::vector<std::string> without(const std::vector<std::string>& names, const std::vector<std::string>& others) {
    std::vector<std::string> rest;
    for (const std::string& name : names) {
        if (std::ranges::find(others, name) == others.end()) rest.push_back(name);
    }
    return rest;
}

}  // namespace

std::vector<std::string> compile_with_inputs(Session& session, Preparation how) {
    how.list_parameters = true;
    std::vector<std::string> wanted = how.adjustable;
    const std::vector<std::string> asked = wanted;
    try {
        read(session, how);
    } catch (const ModelError&) {
        if (wanted.empty()) throw;
        how.adjustable.clear();
        read(session, how);
        wanted = that_can_be_read(session, how, wanted);
        flatten_with(session, how, wanted);
    }
    check_known(session, asked);
    if (const auto times = inputs_of_experiment(session); !times.empty()) {
        wanted = without(wanted, times);
        flatten_with(session, how, wanted);
    }
    try {
        compile_to(session, Stage::compiled);
        if (const auto decide = inputs_that_decide(session); !decide.empty()) {
            flatten_with(session, how, without(wanted, decide));
            compile_to(session, Stage::compiled);
        }
    } catch (const ModelError&) {
        if (wanted.empty()) throw;
        flatten_with(session, how, {});
        compile_to(session, Stage::compiled);  // which says what is wrong, if anything is
    }
    std::vector<std::string> none;
    for (const std::string& name : asked) {
        const auto at = std::ranges::find(session.graph->adjustable, name, &model::AdjustableParameter::name);
        if (at == session.graph->adjustable.end() || !at->open) none.push_back(name);
    }
    return none;
}

bool is_stored(const std::string& file) { return storage::is_compiled_file(file); }

std::string store(Session& session) {
    return storage::write_compiled(stages_of(session), maker_of(*session.environment));
}

void read_stored(Session& session, const Preparation& how) {
    try {
        storage::read_compiled(bytes_of(session.file), stages_of(session), maker_of(*session.environment));
    } catch (const storage::NotReadable& e) {
        throw UsageError(fmt::format("can't read '{}': it {}; compile the model anew", session.file, e.what()));
    }
    const bool has_inputs = std::ranges::any_of(session.graph->adjustable, &model::AdjustableParameter::open);
    if (how.adjustable.empty() && (how.inputs_fit || !has_inputs)) {
        if (auto values = with_settings(session, how.settings)) {
            session.stored = true;
            session.shared = std::make_shared<simulation::SharedModes>(*session.compiled);
            if (how.settings.empty()) return;
            for (std::size_t i = 0; i < values->size(); ++i) session.graph->adjustable[i].value = (*values)[i];
            session.inputs = *std::move(values);
            return;
        }
    }
    session.compiled.reset();
    session.system.reset();
    session.causal.reset();
    session.graph.reset();
    Preparation again = how;
    again.settings = session.settings = all_settings(session.settings, how.settings);
    flatten_again(session, again);
}

}  // namespace bondgraph::api

#include "bondgraph/api/model_reports.hpp"

#include "bondgraph/api/causality_report.hpp"
#include "bondgraph/api/drawings.hpp"
#include "bondgraph/api/energy_form.hpp"
#include "bondgraph/api/equations_report.hpp"
#include "bondgraph/api/expectations.hpp"
#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/judgement_of_equations.hpp"
#include "bondgraph/api/judgement_of_strokes.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/mode_choice.hpp"
#include "bondgraph/api/structure.hpp"
#include "bondgraph/causality/simplify.hpp"

namespace bondgraph::api {
namespace {

/// What `action` makes of a session of its own, taken to `last`.
template <class T, class Action>
Result<T> apart(Variants& variants, const Values& values, Stage last, const Action& action) {
    Making making;
    std::shared_ptr<Variant>& used = making.failed;
    try {
        used = variants.make_apart(values, making, last, true);
        const auto hold = used->session.graph->expressions->hold();  // which may be those of the model as it was read
        return action(used->session);
    } catch (...) {
        return variants.error_of_current_exception(used ? used->session : variants.base());
    }
}

}  // namespace

Result<Structure> structure_of(Variants& variants, const Values& values) {
    return apart<Structure>(variants, values, Stage::compiled, [](Session& session) {
        take_modes_of_start(session);
        return structure_of(session);
    });
}

Result<std::string> flattened_of(Variants& variants, FlatteningStage stage, const Values& values) {
    return apart<std::string>(variants, values, Stage::flattened, [&](Session& session) {
        switch (stage) {
            case FlatteningStage::instances:
                return text_after(session, model::Stage::instances);
            case FlatteningStage::connected:
                return text_after(session, model::Stage::connected);
            case FlatteningStage::sized:
                return text_after(session, model::Stage::sized);
            default:
                return text_after(session, model::Stage::evaluated);
        }
    });
}

Result<Simplification> simplification_of(Variants& variants, const Values& values) {
    return apart<Simplification>(variants, values, Stage::flattened, [](Session& session) {
        Simplification result{.components_before = session.graph->elements.size(),
                              .bonds_before = session.graph->bonds.size()};
        causality::Simplified simplified = causality::simplify(*session.graph);
        for (causality::SimplificationStep& step : simplified.steps) {
            result.steps.push_back({std::string(causality::rule_name(step.rule)), std::move(step.text),
                                    std::move(step.removed), std::move(step.remains)});
        }
        result.components = simplified.graph.elements.size();
        result.bonds = simplified.graph.bonds.size();
        return result;
    });
}

Result<Causality> causality_of(Variants& variants, const CausalityOptions& options) {
    return apart<Causality>(variants, options.values, Stage::causal, [&](Session& session) {
        take_mode(session, options.mode);
        return causality_report(session, options.expand, options.most_paths);
    });
}

Result<JudgedStrokes> judgement_of(Variants& variants, const StrokesOptions& options) {
    return apart<JudgedStrokes>(variants, options.values, Stage::causal, [&](Session& session) {
        take_modes_of_start(session);
        return judged_strokes(session, options.placed);
    });
}

Result<JudgedEquations> judgement_of(Variants& variants, const DerivationsOptions& options) {
    return apart<JudgedEquations>(variants, options.values, Stage::causal, [&](Session& session) {
        take_modes_of_start(session);
        return judged_equations(session, options);
    });
}

Result<Equations> equations_of(Variants& variants, const EquationsOptions& options) {
    return apart<Equations>(variants, options.values, Stage::compiled, [&](Session& session) {
        return equations_report(session, options, options.bold ? bold_heading : plain_heading);
    });
}

Result<PortHamiltonian> port_hamiltonian_of(Variants& variants, const Values& values) {
    return apart<PortHamiltonian>(variants, values, Stage::compiled,
                                  [](Session& session) { return port_hamiltonian_of(session); });
}

Result<Drawing> drawing_of(Variants& variants, const DrawOptions& options) {
    return apart<Drawing>(variants, options.values, Stage::flattened,
                          [&](Session& session) { return drawing_of(session, options); });
}

Result<Inspection> inspection_of(Variants& variants, const InspectOptions& options) {
    return apart<Inspection>(variants, options.values, Stage::compiled, [&](Session& session) {
        take_modes_of_start(session);
        Inspection inspection{.structure = structure_of(session), .refused = {}};
        try {
            check_entries(session);
            check_unused_types(session);
            inspection.start_solved = session.compiled->unknowns.size() <= options.most_unknowns;
            if (inspection.start_solved) check_start(session);
        } catch (const ModelError&) {
            inspection.refused = error_of_current_exception(session);
        }
        return inspection;
    });
}

Result<Verdict> verdict_of(Variants& variants, const TestOptions& options) {
    Making making{.cancel = options.cancel};
    std::shared_ptr<Variant>& used = making.failed;
    TestSubject subject{.interrupted = options.cancel};
    subject.compiled = [&]() -> Session& {
        used = variants.make_apart(options.values, making, Stage::compiled);
        return used->session;
    };
    subject.session = [&]() -> const Session& { return used ? used->session : variants.base(); };
    const auto& expectations = variants.base().model.expectations;
    if (expectations.empty()) return Verdict{.skipped = true};
    for (const model::Expectation& e : expectations) {
        if (e.error) subject.errors.push_back(e.error->text);
    }
    try {
        return check_expectations(subject);
    } catch (...) {
        return variants.error_of_current_exception(subject.session());
    }
}

Result<Verdict> test(const std::string& file, const LoadOptions& options, const std::atomic<bool>* cancel) {
    const Environment environment = standard_environment();
    Session session{.environment = &environment, .file = file};
    for (const std::string& folder : options.import_folders) session.import_folders.emplace_back(folder);
    session.access = access_of(options);
    Preparation how;
    for (const auto& [name, value] : options.values) how.settings.push_back(name + "=" + value.text());
    how.settings.insert(how.settings.end(), options.settings.begin(), options.settings.end());
    session.command_line = options.command_line;
    try {
        return check_file(session, how, cancel);
    } catch (...) {
        return error_of_current_exception(session);
    }
}

}  // namespace bondgraph::api

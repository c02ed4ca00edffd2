#pragma once

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/variants.hpp"

namespace bondgraph::api {

// What a model is asked for besides runs. Each compiles it for itself: modes of the start, names of parameters and
// abbreviations change what was compiled.

Result<Structure> structure_of(Variants& variants, const Values& values);
Result<Causality> causality_of(Variants& variants, const CausalityOptions& options);
Result<JudgedStrokes> judgement_of(Variants& variants, const StrokesOptions& options);
Result<JudgedEquations> judgement_of(Variants& variants, const DerivationsOptions& options);
Result<Equations> equations_of(Variants& variants, const EquationsOptions& options);
Result<PortHamiltonian> port_hamiltonian_of(Variants& variants, const Values& values);
Result<Inspection> inspection_of(Variants& variants, const InspectOptions& options);
Result<std::string> flattened_of(Variants& variants, FlatteningStage stage, const Values& values);
Result<Simplification> simplification_of(Variants& variants, const Values& values);
Result<Drawing> drawing_of(Variants& variants, const DrawOptions& options);
Result<Verdict> verdict_of(Variants& variants, const TestOptions& options);

}  // namespace bondgraph::api

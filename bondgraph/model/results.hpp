#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// Reports the names under `outputs:` and `plots:` that are no results, whether or not a command shows any.
void check_results(const Model& model, const BondGraph& graph, Diagnostics& found);

/// The same of a model whose mistakes let no graph be made of it, or left something out. A name that may be that of a
/// result once the others are corrected is not reported.
std::vector<Diagnostic> find_unknown_results(const Model& model, const Catalogue& catalogue, const UnitSystem& units);

/// The results that a name with indices of arrays stands for: "cell[i].e" is that of every part there is, "cell[n].e"
/// takes n from the model's parameters. A name whose indices are numbers, or that has none, stands for itself.
std::vector<std::string> results_of_arrays(const BondGraph& graph, const std::string& name);

/// Whether a result is one of a component that an `if:` has left out, or of the parts of an empty array.
bool is_left_out(const BondGraph& graph, const std::string& name);

/// What follows a name that nothing has: "; did you mean 'C1.q'?", or what the component before its dot has.
std::string hint_for_name(const std::string& name, const std::vector<std::string>& known);
/// "the model has no result …", with the name it may have been meant for.
std::string no_such_result(const std::string& name, const std::vector<std::string>& known);
/// The same of a whole model; of a component that a vector lacks, how many there are.
std::string no_such_result(const std::string& name, const BondGraph& graph);

}  // namespace bondgraph::model

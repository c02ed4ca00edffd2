#pragma once

#include <map>
#include <set>
#include <string>

namespace bondgraph::io {

/// The text of a model without some of its components: their entries, the bonds that end at them, the outputs, plots
/// and places of drawings that name these or results of theirs, and `expect:`, which is about the whole model.
/// Everything else stays as it is written, remarks on lines of their own too; one behind an entry that has its line to
/// itself goes with it. Nothing names what is gone afterwards, if
/// names_in_use() found none of them.
std::string without_components(const std::string& text, const std::set<std::string>& names);

/// Of these components those whose results stand in what without_components() does not take out, with where: "'R2'",
/// "signals".
std::map<std::string, std::string> names_in_use(const std::string& text, const std::set<std::string>& names);

/// Whether a result's name ("La.f", "j1->La.e", "armature.power") is one of these components or bonds.
bool is_result_of(const std::string& result, const std::set<std::string>& names);

/// The names of the bonds in a model's text that end at one of these components.
std::set<std::string> bonds_at(const std::string& text, const std::set<std::string>& names);

}  // namespace bondgraph::io

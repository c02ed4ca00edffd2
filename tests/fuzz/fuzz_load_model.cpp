// libFuzzer target: a text is read as a model file and taken through every stage before simulation. Whatever it holds,
// it must end in a model or in diagnostics that can be rendered; the only file it can import is a library in memory.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/results.hpp"
#include "mechanics3d/catalogue.hpp"

namespace {

using namespace bondgraph;

constexpr const char* kLibrary =
    "types: {Lag: {parameters: {T: 1 s}, inputs: [u], outputs: [y], "
    "variables: {x: 0}, equations: [T*der(x) = u - x, y = x]}}\n";

io::TextFile library_only(const std::filesystem::path& path) {
    if (path == "library.yaml") return {kLibrary, {}};
    return {{}, "no such file"};
}

/// As the program loads a model: mistakes of form and of content together.
void load(const std::string& text, SourceMap& sources) {
    static const UnitSystem units;
    static const model::Catalogue catalogue = mechanics3d::full_catalogue();
    io::ReadModel read = io::read_model_text(text, "model.yaml", sources, library_only);
    Diagnostics& found = read.diagnostics;
    if (!read.readable) found.throw_if_errors();
    if (found.has_errors()) {
        found.append(model::find_mistakes(read.model, catalogue, units));
        found.append(model::find_unknown_results(read.model, catalogue, units));
        found.throw_if_errors();
    }
    const model::BondGraph graph = model::flatten(read.model, catalogue, units);
    model::check_results(read.model, graph, found);
    found.throw_if_errors();
    const causality::CausalGraph causal = causality::assign_causality(graph);
    const compile::SortedSystem sorted = compile::sort_equations(causal);
    const compile::CompiledModel compiled = compile::compile(sorted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    SourceMap sources;
    try {
        load(text, sources);
    } catch (const ModelError& error) {
        bool has_error = false;
        for (const Diagnostic& d : error.diagnostics()) {
            has_error = has_error || d.severity == Severity::error;
            if (render(d, sources).empty()) std::abort();
        }
        if (!has_error) std::abort();
    }
    return 0;
}

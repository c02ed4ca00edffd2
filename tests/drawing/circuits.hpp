// Model texts and files taken to circuits.
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/drawing/circuit_layout.hpp"
#include "bondgraph/drawing/schematic.hpp"
#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/circuit.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::drawing {

inline model::Circuit circuit_of(io::ReadModel read) {
    read.diagnostics.throw_if_errors();
    const UnitSystem units;
    return model::circuit_of(read.model, read.layout, mechanics3d::full_catalogue(), units);
}

inline model::Circuit circuit_of_text(const std::string& text) {
    SourceMap sources;
    const std::vector<std::filesystem::path> nowhere;
    return circuit_of(io::read_model_text(text, std::filesystem::path("circuit.yaml"), sources, nowhere));
}

inline model::Circuit circuit_of_file(const std::string& file) {
    SourceMap sources;
    return circuit_of(io::read_model(file, sources));
}

// The number of the part with that name. Throws when there is none.
inline std::uint32_t part_named(const Schematic& schematic, std::string_view name) {
    for (std::uint32_t i = 0; i < schematic.parts.size(); ++i) {
        if (schematic.parts[i].name == name) return i;
    }
    throw std::invalid_argument("no part " + std::string(name));
}

// What is joined, each net as its sorted ends "r.p", in ascending order.
inline std::vector<std::string> joined(const model::Circuit& circuit) {
    std::vector<std::string> nets;
    for (const model::CircuitNet& net : circuit.nets) {
        std::vector<std::string> ends;
        for (const auto& end : net.ends) {
            const model::CircuitPart& part = circuit.parts[end.part];
            ends.push_back((part.name.empty() ? "(" + part.type + ")" : part.name) + "." + part.pins[end.pin].name);
        }
        std::ranges::sort(ends);
        std::string text;
        for (const std::string& end : ends) text += (text.empty() ? "" : " ") + end;
        nets.push_back(std::move(text));
    }
    std::ranges::sort(nets);
    return nets;
}

// What is wrong with the drawing of a circuit, in words: symbols or texts on each other, lines through them, lines of
// two nets on each other or with a bend of one on the other, pins that no line of their net ends at, and nets in
// pieces.
std::vector<std::string> flaws_of(const Schematic& schematic, const CircuitLayout& layout);

}  // namespace bondgraph::drawing

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/model/domain.hpp"
#include "bondgraph/model/flatten.hpp"
#include "bondgraph/model/layout_declaration.hpp"

namespace bondgraph::model {

/// A place of a component where a wire ends.
struct CircuitPin {
    enum class Kind : std::uint8_t { power, input, output };
    std::string name;  ///< "p"; of a junction, or of what has one end only, perhaps nothing
    Kind kind = Kind::power;
    std::uint32_t order = 0;  ///< among all of its kind that the type declares
    bool arrow_in = true;     ///< of power: the half arrow of its bond points to it, if it has one
};

/// A component of the model itself, or the expression that a signal is computed by.
struct CircuitPart {
    enum class Kind : std::uint8_t { component, junction, expression };
    std::string name;  ///< as in the file; empty: an expression
    std::string type;  ///< as written; of an expression what it says
    Kind kind = Kind::component;
    std::string value;  ///< what it is given first, as written; may be empty
    std::optional<Symbol> symbol;
    std::vector<CircuitPin> pins;  ///< those that are joined to something, first those of power
    std::optional<LayoutDeclaration::Place> place;
};

/// What is joined to each other: pins of one connection, the two ends of a bond, or what reads a signal.
struct CircuitNet {
    enum class Kind : std::uint8_t { connection, bond, signal };
    struct End {
        std::uint32_t part = 0;
        std::uint32_t pin = 0;
        friend bool operator==(const End&, const End&) = default;
    };
    Kind kind = Kind::connection;
    DomainIndex domain = kGeneric;
    std::vector<End> ends;  ///< bond: along its arrow; signal: what gives it, then what reads it
};

/// What the drawing of a circuit shows: the components of the model, as large as the file writes them, and what
/// `connect:`, `bonds:`, `signals:` and settings that name results join.
struct Circuit {
    std::string title;
    std::vector<CircuitPart> parts;  ///< in the order of the file; expressions last
    std::vector<CircuitNet> nets;    ///< of at least two ends
};

/// Of a model whose arrays and conditions are written out. Throws as flatten() does.
Circuit circuit_of(const Model& model, const LayoutDeclaration& layout, const Catalogue& catalogue,
                   const UnitSystem& units, std::span<const ParsedOverride> overrides = {});

}  // namespace bondgraph::model

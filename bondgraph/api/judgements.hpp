#pragma once

// What somebody has worked out by hand, judged: causal strokes and derivatives of states.

#include <cstddef>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"

namespace bondgraph::api {

/// A stroke on a bond, by the bond's name ("shaft"), its ends ("source->j") or its element ("R1"), and the component at
/// whose end it is; "from" and "to" name the beginning and the head of the half arrow.
struct PlacedStroke {
    std::string bond;
    std::string end;
};

struct JudgedStroke {
    enum class Verdict {
        forced,  ///< nothing else is possible beside those before it
        chosen,  ///< the other end would have been possible too
        wrong,   ///< there is no causality with it and with those before it
        unknown  ///< there is no such bond or end, or it has its stroke already
    };
    std::string bond;
    std::string end;  ///< "from" or "to"; of an unknown one as it was given
    std::string at;   ///< the component there
    Verdict verdict = Verdict::unknown;
    std::string reason;  ///< the rule that decides it, or what is unknown

    [[nodiscard]] bool accepted() const { return verdict == Verdict::forced || verdict == Verdict::chosen; }
};

struct StrokesOptions {
    Values values = {};
    /// In the order in which they were placed; what follows from one is asked of those behind it.
    std::vector<PlacedStroke> placed = {};
};

/// A bond that gets a stroke.
struct StrokePlace {
    std::string bond;
    std::string from;  ///< components
    std::string to;
    /// Where it is in a causality with all accepted strokes: "from" or "to".
    std::string end;
    std::string reason;
    bool placed = false;  ///< an accepted one is there
    bool inside = false;  ///< of a component that has parts: a bond between two of these
};

/// Strokes are judged by whether there is a causality with all of them and as few dependent storages as can be, not by
/// whether the program would have taken the same. Those refused don't count for the ones behind them.
struct JudgedStrokes {
    std::vector<JudgedStroke> judged;
    std::vector<StrokePlace> places;

    /// Bonds without a stroke yet that are not inside.
    [[nodiscard]] std::size_t left() const;
};

struct DerivationsOptions {
    Values values = {};
    /// Which causality the states are those of; refused ones don't count.
    std::vector<PlacedStroke> placed = {};
    /// "der(C1.q) = (E - C1.q/C1)/R1", "dC1.q/dt = …" or "C1.q = …".
    std::vector<std::string> equations = {};
};

struct JudgedEquation {
    std::string state;  ///< empty where that is not clear
    bool right = false;
    std::string text;  ///< "Right.", or what is wrong with it
};

/// Equations are judged by their values at many points, with parameters of any size first, however they are written.
struct JudgedEquations {
    std::vector<std::string> states;  ///< whose derivatives are to be derived
    std::vector<std::string> known;   ///< what they are made of: states, parameters, sources, time
    std::string unjudged;             ///< why equations of this model can't be judged; empty: they can
    std::vector<JudgedEquation> judged;
};

}  // namespace bondgraph::api

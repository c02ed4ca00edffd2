#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/analysis/symbols.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/expression/tape.hpp"

namespace bondgraph::api {

/// What a right side may be made of, by its name: a state, a source, a parameter or the time.
struct KnownLeaf {
    enum class Kind : std::uint8_t { state, source, parameter, time };
    std::string name;
    Kind kind = Kind::state;
    expression::Expr leaf;
    model::Measure measure;
    double value = 0.0;  ///< of a parameter in this model
};

/// The derivatives of a sorted system's states as functions of what is known alone. Equations that need each other are
/// solved for every point.
class RightSides {
   public:
    /// Both have to outlive it.
    RightSides(const compile::SortedSystem& system, const analysis::NamedParameters& parameters);

    [[nodiscard]] const std::vector<KnownLeaf>& known() const { return known_; }
    /// The same under other names: "R1.R" of a parameter that is called "R1".
    [[nodiscard]] const KnownLeaf* find(const std::string& name) const;
    /// By the element's name, which find() takes for the source only where nothing else is called so.
    [[nodiscard]] const KnownLeaf* source_of(const std::string& element) const;

    /// Numbers for all of known(), in its order.
    using Point = std::vector<double>;
    /// The sources' own values at a point's time and parameters.
    void take_sources(Point& point) const;
    /// The derivatives in the order of the system's states; nothing where the equations have no solution there.
    [[nodiscard]] std::optional<std::vector<double>> at(const Point& point) const;
    /// What rounding may have made of each of these, unknowns of equations that need each other taken as exact.
    [[nodiscard]] std::vector<double> rounding_at(const Point& point) const;
    /// Of an expression in the leaves of what is known.
    [[nodiscard]] expression::Tape tape(expression::Expr e) const;
    [[nodiscard]] double value(const expression::Tape& tape, const Point& point) const;
    [[nodiscard]] double rounding(const expression::Tape& tape, const Point& point) const;
    /// The input of tapes that one of what is known stands in.
    [[nodiscard]] std::uint32_t slot(std::size_t known) const;

   private:
    using Expr = expression::Expr;

    void find_known(const analysis::NamedParameters& parameters);
    void close();
    [[nodiscard]] Expr closed(Expr e) const;
    [[nodiscard]] bool of_time_alone(Expr e) const;
    [[nodiscard]] bool is_source(const compile::Assignment& a) const;
    [[nodiscard]] bool find_unknowns(std::vector<double>& inputs) const;
    [[nodiscard]] std::vector<double> inputs_of(const Point& point) const;

    const compile::SortedSystem& system_;
    expression::Graph& graph_;
    std::size_t variables_ = 0;  ///< and derivatives that stand for variables; leaves made here come behind them
    std::vector<KnownLeaf> known_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::map<std::string, std::size_t, std::less<>> sources_by_element_;
    std::map<std::uint32_t, Expr> meaning_;  ///< of leaves that are not known, by their nodes
    std::vector<std::uint32_t> unknowns_;    ///< variable leaves that residuals are solved for
    expression::InputLayout layout_;
    expression::Tape rates_;
    expression::Tape residuals_;
    expression::Tape sources_;
    std::vector<std::size_t> source_places_;  ///< in known_, in the order of sources_
};

}  // namespace bondgraph::api

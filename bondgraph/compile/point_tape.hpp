#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bondgraph/expression/tangents.hpp"
#include "bondgraph/expression/tape.hpp"
#include "bondgraph/structure/colouring.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace cereal {
class access;
}

namespace bondgraph::compile {

/// Expressions of numbered variables (no derivatives) at a point. Tunable parameters are 0: sources are not perturbed.
class PointValues {
   public:
    PointValues(const expression::Graph& graph, std::size_t variable_count, std::size_t parameter_count,
                std::size_t held_count, std::span<const expression::Expr> outputs);

    [[nodiscard]] std::size_t size() const { return tape_.output_count(); }
    /// `held` may be shorter than the held values there are; the others are 0.
    [[nodiscard]] std::vector<double> values(std::span<const double> variables, double time,
                                             std::span<const double> held) const;
    /// Per output what rounding may have made of it (expression::Tape::rounding).
    [[nodiscard]] std::vector<double> rounding(std::span<const double> variables, double time,
                                               std::span<const double> held) const;

    /// All it consists of, for archives.
    template <class Archive>
    void serialize(Archive& archive) {
        archive(named_, first_held_, held_count_, tape_);
    }

   protected:
    PointValues() = default;  // of what archives fill
    template <class T>
    [[nodiscard]] std::vector<T> inputs(std::span<const double> variables, double time,
                                        std::span<const double> held) const;

    std::vector<std::uint32_t> named_;  ///< the variables that the outputs name, ascending
    std::size_t first_held_ = 0;
    std::size_t held_count_ = 0;
    expression::Tape tape_;
};

/// The same with their exact sparse Jacobian.
class PointTape : public PointValues {
   public:
    PointTape(const expression::Graph& graph, std::size_t variable_count, std::size_t parameter_count,
              std::size_t held_count, std::span<const expression::Expr> outputs);

    /// Per output the variables it depends on, ascending.
    [[nodiscard]] const structure::Incidence& pattern() const { return pattern_; }
    /// Entries parallel to pattern().columns.
    [[nodiscard]] std::vector<double> jacobian(std::span<const double> variables, double time,
                                               std::span<const double> held) const;
    /// The same with 0 for entries that are nothing but what rounding has left of terms that cancel, as the part across
    /// a plane that lies anyhow. Told by evaluating once more with random roundings, 64 times as large as they are
    /// (Vignes: A stochastic arithmetic for reliable scientific computation, Math. Comput. Simul. 35, 1993); entries
    /// that are small beside others of their row are looked at.
    [[nodiscard]] std::vector<double> jacobian_beyond_rounding(std::span<const double> variables, double time,
                                                               std::span<const double> held) const;
    /// Per output the most that one variable contributes to it: value times slope. Terms that vanish (of an axis that
    /// stays upright) say nothing of how far off an equation is.
    [[nodiscard]] std::vector<double> contributions(std::span<const double> variables, double time,
                                                    std::span<const double> held) const;

    template <class Archive>
    void serialize(Archive& archive) {
        PointValues::serialize(archive);
        archive(pattern_, places_, used_, colouring_);
    }

   private:
    friend class PointJacobian;
    friend class cereal::access;
    PointTape() = default;

    [[nodiscard]] std::vector<double> by_jets(std::span<const double> variables, double time,
                                              std::span<const double> held) const;
    void clear_rounding(std::span<const double> variables, double time, std::span<const double> held,
                        std::vector<double>& entries) const;

    structure::Incidence pattern_;
    structure::Incidence places_;  ///< the pattern by places among the named variables
    std::vector<bool> used_;       ///< by place: whether any output depends on it
    structure::Colouring colouring_;
};

/// PointTape::jacobian() at many points: what does not depend on the point is prepared once.
class PointJacobian {
   public:
    /// `tape` must outlive it.
    explicit PointJacobian(const PointTape& tape);
    [[nodiscard]] std::vector<double> at(std::span<const double> variables, double time, std::span<const double> held);
    [[nodiscard]] const PointTape& tape() const { return tape_; }

   private:
    const PointTape& tape_;
    std::optional<expression::Tangents> tangents_;  ///< every direction at once; nothing where these are few
    std::vector<double> speeds_;
};

}  // namespace bondgraph::compile

#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bondgraph/api/right_sides.hpp"
#include "bondgraph/compile/equations.hpp"

namespace bondgraph::api {

/// Reads derivatives that somebody has written by hand, in what is known of a system.
class DerivationReader {
   public:
    /// Both have to outlive it.
    DerivationReader(const compile::SortedSystem& system, const RightSides& sides) : system_(system), sides_(sides) {}

    /// Among the system's states; or why it is none.
    [[nodiscard]] std::optional<std::size_t> state_of(const std::string& name, std::string& why_not) const;
    /// The expression in what is known. With `measured` dimensions have to fit, too.
    std::optional<expression::Expr> read(const std::string& text, std::string& why_not,
                                         model::Measure* measured = nullptr);

    /// Names among those read that are a parameter's and a source's.
    [[nodiscard]] const std::set<std::string>& twofold() const { return twofold_; }
    /// All of these from now on.
    void take_for_sources() {
        twofold_.clear();
        parameters_.clear();
    }
    /// Some of these.
    void take_for_parameters(std::set<std::string> names) { parameters_ = std::move(names); }

   private:
    const KnownLeaf* leaf_of(const std::string& name);
    [[nodiscard]] std::optional<model::Quantity> other_than_leaf(const std::string& name, bool measured) const;

    const compile::SortedSystem& system_;
    const RightSides& sides_;
    std::set<std::string> twofold_;
    std::set<std::string> parameters_;
};

}  // namespace bondgraph::api

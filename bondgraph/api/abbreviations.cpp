#include "bondgraph/api/abbreviations.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::api {

using expression::Expr;
using expression::Op;

namespace {

/// Equations of at most so many leaves and operations are left as they are: about three lines.
constexpr std::uint32_t kShort = 60;
/// What is used more than once gets a name from this size on, …
constexpr std::uint32_t kWorthAName = 5;
/// … what is used once from this on: about a line.
constexpr std::uint32_t kLong = 25;

class Abbreviating {
   public:
    Abbreviating(ReadableSystem& system, expression::Graph& graph) : graph_(graph) {
        for (auto* list : {&system.assignments, &system.implicit, &system.states}) {
            for (ReadableEquation& e : *list) equations_.push_back(&e);
        }
    }

    std::vector<Expr> run() {
        std::vector<std::uint32_t> roots;
        for (const ReadableEquation* e : equations_) {
            if (!e->value.is_literal()) roots.push_back(e->value.node());
        }
        const std::vector<std::uint32_t> nodes = expression::reachable(graph_, roots);  // operands first
        count_uses(nodes, roots);
        if (!has_long(nodes, roots)) return {};
        for (const std::uint32_t n : nodes) measure(n);
        for (ReadableEquation* e : equations_) e->value = replaced(e->value, expression::kNoNode);
        std::vector<Expr> values;
        for (const std::uint32_t n : named_) values.push_back(replaced(graph_.at(n), n));
        return values;
    }

   private:
    void count_uses(const std::vector<std::uint32_t>& nodes, const std::vector<std::uint32_t>& roots) {
        for (const std::uint32_t n : nodes) {
            for (const std::uint32_t operand : graph_[n].operands()) ++uses_[operand];
        }
        for (const std::uint32_t n : roots) ++uses_[n];
    }

    /// Sizes as printed, with what is shared written out.
    bool has_long(const std::vector<std::uint32_t>& nodes, const std::vector<std::uint32_t>& roots) const {
        std::unordered_map<std::uint32_t, std::uint32_t> size;
        for (const std::uint32_t n : nodes) {
            std::uint32_t sum = 1;
            for (const std::uint32_t operand : graph_[n].operands()) sum = std::min(sum + size[operand], kShort + 1);
            size[n] = sum;
        }
        return std::any_of(roots.begin(), roots.end(), [&](std::uint32_t n) { return size[n] > kShort; });
    }

    void measure(std::uint32_t n) {
        const expression::Node& node = graph_[n];
        std::uint32_t size = 1;
        for (const std::uint32_t operand : node.operands()) size += size_[operand];
        const bool shared = uses_[n] > 1 && size >= kWorthAName && node.op != Op::negate;
        if (shared || size >= kLong) {
            name_.emplace(n, static_cast<std::uint32_t>(named_.size()));
            named_.push_back(n);
            size = 1;
        }
        size_[n] = size;
    }

    Expr replaced(Expr e, std::uint32_t except) const {
        if (e.is_literal()) return e;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const auto at = name_.find(n);
            if (n == except || at == name_.end()) return std::nullopt;
            return graph_.parameter(kFirstAbbreviation + at->second);
        })[0];
    }

    expression::Graph& graph_;
    std::vector<ReadableEquation*> equations_;
    std::unordered_map<std::uint32_t, std::uint32_t> uses_;
    std::unordered_map<std::uint32_t, std::uint32_t> size_;  ///< as printed, with names in place
    std::unordered_map<std::uint32_t, std::uint32_t> name_;  ///< node → abbreviation
    std::vector<std::uint32_t> named_;
};

}  // namespace

std::vector<Expr> abbreviate(ReadableSystem& system, expression::Graph& graph) {
    return Abbreviating(system, graph).run();
}

}  // namespace bondgraph::api

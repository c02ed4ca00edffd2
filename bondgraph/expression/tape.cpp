#include "bondgraph/expression/tape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "bondgraph/base/numbers.hpp"
#include "bondgraph/expression/execute.hpp"
#include "bondgraph/expression/local_index.hpp"

namespace bondgraph::expression {

namespace {

std::uint32_t entry(const std::vector<std::uint32_t>& slots, std::uint32_t index) {
    return index < slots.size() ? slots[index] : kNoNode;
}

/// noEvent and smooth only speak about events: for a tape they are their operand.
std::uint32_t value_node(const Graph& graph, std::uint32_t node) {
    while (graph[node].op == Op::no_event || graph[node].op == Op::smooth) node = graph[node].operands().back();
    return node;
}

}  // namespace

std::uint32_t InputLayout::slot(const Node& leaf) const {
    switch (leaf.op) {
        case Op::time:
            return time;
        case Op::variable:
            return entry(variable, leaf.a);
        case Op::derivative:
            return entry(derivative, leaf.a);
        case Op::parameter:
            return entry(parameter, leaf.a);
        case Op::held:
            return entry(held, leaf.a);
        default:
            return kNoNode;
    }
}

// ---- compilation

namespace {

/// Gives registers to nodes. Every node has a position in `nodes` (ascending, children first).
class Allocation {
   public:
    Allocation(const Graph& graph, std::span<const Expr> outputs) : graph_(graph) {
        std::vector<std::uint32_t> roots;
        for (const Expr output : outputs) {
            if (!output.is_literal()) roots.push_back(value_node(graph, output.node()));
        }
        collect(roots);
        register_.assign(nodes_.size(), kNoNode);
        last_use_.assign(nodes_.size(), 0);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for (const std::uint32_t operand : graph[nodes_[i]].operands()) last_use_[position(operand)] = i;
        }
        for (const std::uint32_t root : roots) last_use_[position(root)] = kNoNode;
    }

    [[nodiscard]] const std::vector<std::uint32_t>& nodes() const { return nodes_; }
    [[nodiscard]] std::uint32_t& register_of(std::uint32_t node) { return register_[position(node)]; }

    /// Temporaries whose last use is the i-th node are free from now on.
    void release_operands(std::uint32_t i, std::uint32_t first_temporary) {
        for (const std::uint32_t operand : graph_[nodes_[i]].operands()) {
            const std::uint32_t at = position(operand);
            if (last_use_[at] != i || register_[at] < first_temporary) continue;
            last_use_[at] = kNoNode;  // x*x frees x once
            free_.push_back(register_[at]);
        }
    }

    std::uint32_t take(std::uint32_t& registers) {
        if (free_.empty()) return registers++;
        const std::uint32_t result = free_.back();
        free_.pop_back();
        return result;
    }

   private:
    /// As reachable(), but looking through noEvent and smooth.
    void collect(const std::vector<std::uint32_t>& roots) {
        LocalIndex seen;
        for (const std::uint32_t root : roots) {
            if (seen.insert(root, 0)) nodes_.push_back(root);
        }
        for (std::size_t next = 0; next < nodes_.size(); ++next) {
            for (const std::uint32_t operand : graph_[nodes_[next]].operands()) {
                const std::uint32_t node = value_node(graph_, operand);
                if (seen.insert(node, 0)) nodes_.push_back(node);
            }
        }
        std::sort(nodes_.begin(), nodes_.end());
        local_ = LocalIndex(nodes_);
    }

    [[nodiscard]] std::uint32_t position(std::uint32_t node) const { return local_[value_node(graph_, node)]; }

    const Graph& graph_;
    std::vector<std::uint32_t> nodes_;
    LocalIndex local_;
    std::vector<std::uint32_t> register_;
    std::vector<std::uint32_t> last_use_;  // position of the last user; kNoNode: never freed (again)
    std::vector<std::uint32_t> free_;
};

}  // namespace

Tape::Tape(const Graph& graph, std::span<const Expr> outputs, const InputLayout& layout) : inputs_(layout.size) {
    Allocation allocation(graph, outputs);
    std::map<std::uint64_t, std::uint32_t> constant_register;
    const auto add_constant = [&](double value) {
        const auto [at, is_new] = constant_register.try_emplace(
            std::bit_cast<std::uint64_t>(value), inputs_ + static_cast<std::uint32_t>(constants_.size()));
        if (is_new) constants_.push_back(value);
        return at->second;
    };

    for (const std::uint32_t node : allocation.nodes()) {
        if (operand_count(graph[node].op) != 0) continue;
        const bool is_constant = graph[node].op == Op::constant;
        const std::uint32_t at = is_constant ? add_constant(graph[node].number()) : layout.slot(graph[node]);
        if (at == kNoNode || (!is_constant && at >= inputs_)) {
            throw std::logic_error("a tape's output depends on a leaf that is not among its inputs");
        }
        allocation.register_of(node) = at;
    }
    for (const Expr output : outputs) {
        if (output.is_literal()) add_constant(output.literal());
    }

    const std::uint32_t first_temporary = inputs_ + static_cast<std::uint32_t>(constants_.size());
    registers_ = first_temporary;
    for (std::uint32_t i = 0; i < allocation.nodes().size(); ++i) {
        const std::uint32_t index = allocation.nodes()[i];
        const Node& node = graph[index];
        const auto operands = node.operands();
        if (operands.empty()) continue;
        // Operands that don't exist repeat an earlier one: every field names a register that may be read.
        std::array<std::uint32_t, 3> from{};
        const bool table = node.op >= Op::table1;
        std::size_t filled = 0;
        if (table) from[filled++] = node.a;
        for (const std::uint32_t operand : operands) from[filled++] = allocation.register_of(operand);
        for (; filled < from.size(); ++filled) from[filled] = from[filled - 1];
        allocation.release_operands(i, first_temporary);
        const std::uint32_t target = allocation.take(registers_);
        allocation.register_of(index) = target;
        code_.push_back({node.op, target, from[0], from[1], from[2]});
        source_node_.push_back(index);
    }
    for (const Expr output : outputs) {
        outputs_.push_back(output.is_literal() ? add_constant(output.literal())
                                               : allocation.register_of(output.node()));
    }
    if (std::any_of(code_.begin(), code_.end(), [](const Instruction& i) { return i.op >= Op::table1; })) {
        tables_ = graph.tables();
    }
}

// ---- evaluation

template <class T>
std::vector<T> Tape::make_workspace() const {
    std::vector<T> workspace(registers_);
    std::copy(constants_.begin(), constants_.end(), workspace.begin() + inputs_);
    return workspace;
}

template <class T>
void Tape::evaluate(std::span<const T> inputs, std::span<T> outputs, std::vector<T>& workspace) const {
    if (inputs.size() != inputs_ || outputs.size() != outputs_.size() || workspace.size() != registers_) {
        throw std::logic_error("Tape::evaluate: the sizes of inputs, outputs or workspace are not the tape's");
    }
    T* const w = workspace.data();
    std::copy(inputs.begin(), inputs.end(), w);
    for (const Instruction& instruction : code_) w[instruction.target] = execute(instruction, w, tables_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs[i] = w[outputs_[i]];
}

std::uint32_t Tape::first_not_finite(std::span<const double> inputs) const {
    struct Step {
        std::array<std::uint32_t, 3> from;  // the steps that made the operands; kNoNode: inputs and constants
        bool finite = true;
        bool operands_finite = true;
        bool suspect = false;
    };
    // Forwards: which step made which operand, and what was finite. A constant that isn't finite excuses nobody.
    std::vector<double> w = make_workspace<double>();
    std::copy(inputs.begin(), inputs.end(), w.begin());
    std::vector<std::uint32_t> made_by(registers_, kNoNode);
    std::vector<Step> steps(code_.size());
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const auto operands = code_[i].operands();
        Step& step = steps[i];
        step.from.fill(kNoNode);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            // A branch not taken has no part in the result.
            const bool taken = code_[i].op != Op::if_else || k == 0 || (w[code_[i].a] != 0.0) == (k == 1);
            if (!taken) continue;
            step.from[k] = made_by[operands[k]];
            const bool is_constant = step.from[k] == kNoNode && operands[k] >= inputs_;
            step.operands_finite = step.operands_finite && (is_constant || std::isfinite(w[operands[k]]));
        }
        w[code_[i].target] = execute(code_[i], w.data(), tables_);
        step.finite = std::isfinite(w[code_[i].target]);
        made_by[code_[i].target] = i;
    }
    // Backwards from the outputs along what isn't finite.
    for (const std::uint32_t output : outputs_) {
        if (made_by[output] != kNoNode) steps[made_by[output]].suspect = true;
    }
    std::uint32_t first = kNoNode;
    for (std::uint32_t i = static_cast<std::uint32_t>(steps.size()); i-- > 0;) {
        if (!steps[i].suspect || steps[i].finite) continue;
        if (steps[i].operands_finite) first = source_node_[i];
        for (const std::uint32_t from : steps[i].from) {
            if (from != kNoNode) steps[from].suspect = true;
        }
    }
    return first;
}

std::vector<double> Tape::rounding(std::span<const double> inputs) const {
    constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
    std::vector<double> w = make_workspace<double>();
    std::copy(inputs.begin(), inputs.end(), w.begin());
    std::vector<double> error(registers_, 0.0);
    for (const Instruction& instruction : code_) {
        const Sloped result = execute_sloped(instruction, w.data(), tables_);
        double bound = kUnit * std::abs(result.value);
        const auto operands = instruction.operands();
        for (std::size_t k = 0; k < operands.size(); ++k)
            bound += chain_term(error[operands[k]], std::abs(result.slopes[k]));
        w[instruction.target] = result.value;
        error[instruction.target] = bound;
    }
    std::vector<double> bounds;
    for (const std::uint32_t output : outputs_) bounds.push_back(error[output]);
    return bounds;
}

namespace {

/// What rounding has taken from an operation's result, exactly; 0 where that is not known.
double taken_by_rounding(const Tape::Instruction& i, const double* w, double result) {
    double taken = 0.0;
    switch (i.op) {
        case Op::add:
            taken = rest_of_sum(w[i.a], w[i.b], result);
            break;
        case Op::subtract:
            taken = rest_of_sum(w[i.a], -w[i.b], result);
            break;
        case Op::multiply:
        case Op::guarded_multiply:
            taken = std::fma(w[i.a], w[i.b], -result);
            break;
        case Op::divide:
            taken = std::fma(-result, w[i.b], w[i.a]) / w[i.b];
            break;
        default:
            break;
    }
    return std::isfinite(taken) ? taken : 0.0;
}

}  // namespace

std::vector<double> Tape::corrected(std::span<const double> inputs, std::span<const double> further) const {
    std::vector<double> w = make_workspace<double>();
    std::copy(inputs.begin(), inputs.end(), w.begin());
    std::vector<double> rest(registers_, 0.0);
    std::copy(further.begin(), further.end(), rest.begin());
    for (const Instruction& instruction : code_) {
        const Sloped result = execute_sloped(instruction, w.data(), tables_);
        double sum = taken_by_rounding(instruction, w.data(), result.value);
        const auto operands = instruction.operands();
        for (std::size_t k = 0; k < operands.size(); ++k) sum += chain_term(rest[operands[k]], result.slopes[k]);
        w[instruction.target] = result.value;
        rest[instruction.target] = sum;
    }
    std::vector<double> outputs;
    for (const std::uint32_t output : outputs_) outputs.push_back(w[output] + rest[output]);
    return outputs;
}

template std::vector<double> Tape::make_workspace() const;
template std::vector<Jet<1>> Tape::make_workspace() const;
template std::vector<Jet<4>> Tape::make_workspace() const;
template void Tape::evaluate(std::span<const double>, std::span<double>, std::vector<double>&) const;
template void Tape::evaluate(std::span<const Jet<1>>, std::span<Jet<1>>, std::vector<Jet<1>>&) const;
template void Tape::evaluate(std::span<const Jet<4>>, std::span<Jet<4>>, std::vector<Jet<4>>&) const;

}  // namespace bondgraph::expression

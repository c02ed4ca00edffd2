#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <typeindex>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::simulation {

/// What is found out about a compiled model once, for all of its runs: tapes of what stands in expressions, structure
/// of Jacobians, the order of their factors. Each is a value of its own type, made of the model when it is first asked
/// for, and never changed. May be used by several threads.
class Findings {
   public:
    /// `model` must outlive this.
    explicit Findings(const compile::CompiledModel& model) : model_(model) {}

    [[nodiscard]] const compile::CompiledModel& model() const { return model_; }

    /// A T made of the model, or of these findings where it needs others of them.
    template <class T>
    const T& of() const {
        const std::type_index type(typeid(T));
        if (const void* known = find(type)) return *static_cast<const T*>(known);
        const auto hold = model_.hold();  // whoever makes one holds it, so that nobody makes the same
        if (const void* known = find(type)) return *static_cast<const T*>(known);
        std::shared_ptr<const T> made;
        if constexpr (std::is_constructible_v<T, const Findings&>)
            made = std::make_shared<const T>(*this);
        else
            made = std::make_shared<const T>(model_);
        const std::scoped_lock lock(guard_);
        known_.emplace(type, made);
        return *made;
    }

   private:
    [[nodiscard]] const void* find(std::type_index type) const {
        const std::scoped_lock lock(guard_);
        const auto place = known_.find(type);
        return place == known_.end() ? nullptr : place->second.get();
    }

    const compile::CompiledModel& model_;
    mutable std::mutex guard_;
    mutable std::map<std::type_index, std::shared_ptr<const void>> known_;
};

/// In which matrices of the residual's pattern are factorized.
struct PatternOrder {
    explicit PatternOrder(const compile::CompiledModel& m)
        : order(std::make_shared<const structure::SparseOrder>(m.pattern)) {}
    std::shared_ptr<const structure::SparseOrder> order;
};

}  // namespace bondgraph::simulation

#include <algorithm>
#include <limits>
#include <numeric>

#include "bondgraph/structure/components.hpp"

namespace bondgraph::structure {

namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

/// Tarjan's search with its call stack as an array: `path` holds the open vertices, `next` where each continues.
class ComponentSearch {
   public:
    explicit ComponentSearch(const Incidence& successors)
        : successors_(successors),
          component_(successors.rows(), kUnseen),
          number_(successors.rows(), kUnseen),
          low_(successors.rows()),
          next_(successors.starts.begin(), successors.starts.end() - 1) {}

    Incidence run() {
        for (std::uint32_t v = 0; v < successors_.rows(); ++v) {
            if (number_[v] == kUnseen) search_from(v);
        }
        return collect();
    }

   private:
    void open(std::uint32_t v) {
        number_[v] = low_[v] = numbered_++;
        path_.push_back(v);
        pending_.push_back(v);
    }

    void search_from(std::uint32_t root) {
        open(root);
        while (!path_.empty()) {
            const std::uint32_t v = path_.back();
            if (next_[v] == successors_.starts[v + 1]) {
                close(v);
                continue;
            }
            const std::uint32_t w = successors_.columns[next_[v]++];
            if (number_[w] == kUnseen) {
                open(w);
            } else if (component_[w] == kUnseen) {
                low_[v] = std::min(low_[v], number_[w]);
            }
        }
    }

    void close(std::uint32_t v) {
        path_.pop_back();
        if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[v]);
        if (low_[v] != number_[v]) return;
        std::uint32_t w = kUnseen;
        do {
            w = pending_.back();
            pending_.pop_back();
            component_[w] = components_;
        } while (w != v);
        ++components_;
    }

    /// Listing by counting keeps each component ascending without a sort.
    [[nodiscard]] Incidence collect() const {
        Incidence by_vertex;
        by_vertex.columns = component_;
        by_vertex.starts.assign(component_.size() + 1, 0);
        std::iota(by_vertex.starts.begin(), by_vertex.starts.end(), 0U);
        return by_vertex.transposed(components_);
    }

    const Incidence& successors_;
    std::vector<std::uint32_t> component_;
    std::vector<std::uint32_t> number_;
    std::vector<std::uint32_t> low_;
    std::vector<std::uint32_t> next_;
    std::vector<std::uint32_t> path_;
    std::vector<std::uint32_t> pending_;  ///< numbered, not yet in a component
    std::uint32_t numbered_ = 0;
    std::uint32_t components_ = 0;
};

}  // namespace

Incidence strong_components(const Incidence& successors) { return ComponentSearch(successors).run(); }

}  // namespace bondgraph::structure

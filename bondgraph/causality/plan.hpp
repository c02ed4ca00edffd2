#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bondgraph/causality/assignment.hpp"
#include "bondgraph/causality/composition.hpp"

namespace bondgraph::causality {

/// The stroke an element would like, in the order in which strokes are assigned.
struct Preference {
    std::uint32_t component = 0;  ///< of a bond
    bool effort_in = false;       ///< at the element
    bool fixed = false;           ///< a demand
    model::ElementId element;
};

/// The strokes of the ports of regions: those that assigning them one by one, with all consequences, would end in.
class RegionPlans {
   public:
    RegionPlans(const model::BondGraph& graph, const ScalarGraph& scalar);

    /// Writes the strokes to `assignment.planned`: known ones come first in the order of their assignment, then
    /// `preferences`, then what nobody prefers. Conflicts are demands that others contradict, each with the fewest
    /// demands and known strokes that do so; a contradiction among known strokes names the last one of them.
    std::vector<Conflict> make(Assignment& assignment, std::span<const Preference> preferences) const;

   private:
    struct Asked {
        Wish wish;
        bool binding = false;
        model::ElementId element;
    };
    [[nodiscard]] std::vector<Asked> asked(std::size_t region, const Assignment& a,
                                           std::span<const Preference> preferences) const;
    [[nodiscard]] Conflict smallest(std::size_t region, const std::vector<Asked>& list, std::size_t refused) const;
    void refuse_undetermined(std::size_t region, std::uint32_t variable) const;

    const model::BondGraph& graph_;
    const ScalarGraph& scalar_;
    std::vector<std::vector<Piece>> pieces_;  ///< by region
    std::vector<std::uint32_t> region_of_;    ///< by bond component, of ports
    std::vector<bool> at_head_;               ///< of a port: the end at the region
};

/// BG-C006: a variable inside a mesh of these vertices that nothing determines.
Diagnostic undetermined_inside(const model::BondGraph& graph, const ScalarGraph& scalar,
                               std::span<const std::uint32_t> members, std::uint32_t component, bool effort);

}  // namespace bondgraph::causality

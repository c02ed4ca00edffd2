#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Which start values an element takes, and whether one that is given fits.
class StartChecks {
   public:
    explicit StartChecks(Flattening& work) : work_(work) {}

    /// The names under which start values may be given.
    [[nodiscard]] std::vector<std::string> names(const Element& e) const;
    /// The state that a start value under some name is for.
    [[nodiscard]] static std::string target_of(const Element& e, const std::string& key);
    [[nodiscard]] static const StartAlias* alias_of(const Element& e, std::string_view key);
    /// Whether an element may have more states than are seen: of a field not yet bonded, of a type not fully read.
    [[nodiscard]] bool states_unknown(const Element& e) const;

    void report_length(const Element& e, const std::string& key, Eigen::Index size, Eigen::Index given,
                       SourcePosition position);
    /// Whether a value as a whole has the dimension of the variable it is for; reported otherwise.
    bool measures_fit(std::uint32_t i, const std::string& key, const Quantity& given, const Value& value);
    /// Whether the components of a list have their dimensions, where they have any; reported otherwise. A start value
    /// under another name (angles) has none.
    bool units_fit(const Element& e, const std::string& key, const Value& value, std::uint32_t scope);
    /// A quaternion is brought to length 1, as the orientation it stands for is the same. False where it has none.
    bool normalize(const Element& e, const std::string& key, Quantity& q, SourcePosition position);
    /// A body that is carried has no states; those of what carries it decide where it is.
    bool report_carried(ElementId id, const Setting& setting);

   private:
    /// Whether one component has the dimension wanted; reported otherwise.
    bool fits(const Element& e, const std::string& key, std::size_t component, const Measure& wanted,
              const Quantity& given, const Value& value);
    /// The component whose motion another one follows: the nearest one with states on the way to the root.
    [[nodiscard]] std::optional<ElementId> carrier_of(ElementId id) const;

    Flattening& work_;
};

/// What an equation of a type says of a state machine: "state = machine(3, …)".
struct Machine {
    std::string variable;  ///< the number of its state
    double states = 0.0;   ///< how many there are
};
std::optional<Machine> machine_in(const Text& equation);

/// Whether a discrete variable of an own type may start with a value: that of a state machine is the number of one of
/// its states. Reports BG-M089 otherwise.
bool is_state_of_machine(Flattening& work, std::size_t discrete, double start, SourcePosition position);

}  // namespace bondgraph::model

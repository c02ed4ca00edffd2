#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// A start value that a type declares under `starts:`, of one of its instances.
struct NamedStart {
    std::uint32_t scope = 0;
    const StartDeclaration* declaration = nullptr;
    std::string name;  ///< "motor.v"
    std::string said;  ///< the name that the file gives the value by: this, or one that leads here
};

/// A variable by the component that has it.
struct StartPlace {
    std::string component;
    std::string variable;
};

/// What a given value of an expression says of the one variable in it.
struct SolvedStart {
    ElementId element;
    std::string variable;
    expression::Expr value;
    /// 1 where this, put into the expression, gives what is asked for; 0, or without a finite value, where it doesn't.
    expression::Expr holds;
};

/// The start values that types of the file take under names of their own.
class StartNames {
   public:
    explicit StartNames(Flattening& work);

    /// That of a component by its name; nothing where its type declares none.
    [[nodiscard]] std::optional<NamedStart> find(const std::string& component, const std::string& name) const;
    /// Whether its type declares such a name for nothing but itself, which is reported where it is declared.
    [[nodiscard]] bool leads_to_itself(const std::string& component, const std::string& name) const;
    /// All names that the type of a component declares.
    [[nodiscard]] std::vector<std::string> of(const std::string& component) const;

    /// Where it is just another name: what for, in an array for each part. Empty for an expression.
    [[nodiscard]] std::vector<StartPlace> places(const NamedStart& start);
    /// Whether it names an array that has no parts here.
    [[nodiscard]] bool names_empty_array(const NamedStart& start) const;
    /// Whether it is another name for what all parts of such an array have.
    [[nodiscard]] bool is_of_empty_array(const NamedStart& start) const;
    /// What has this value, in the variables of the graph. Nothing where something is wrong, which is reported: unknown
    /// names (BG-X001), names that need each other (BG-M015), another unit than declared (BG-U002).
    std::optional<Quantity> value(const NamedStart& start);
    /// Whether it names a part that an `if:` has left out of this instance.
    [[nodiscard]] bool leads_to_absent(const NamedStart& start) const;
    /// Whether a start value can be given under such a name.
    [[nodiscard]] bool is_start(const StartPlace& place) const;
    /// Begins to follow names that stand for names. False, and reported (BG-M015), where they lead back to this one.
    bool enter(const NamedStart& start);
    void leave() { followed_.pop_back(); }
    /// Mistakes in declarations are told also where nothing uses them, of the first instance that has all they name:
    /// besides those above ones that name no variable (BG-M084).
    void check();

   private:
    void check(const NamedStart& start);
    /// Whether what the name stands for has the unit that is declared; reported otherwise.
    bool has_declared_unit(const NamedStart& start, const Measure& measure);
    [[nodiscard]] Text with_numbers(const NamedStart& start) const;
    [[nodiscard]] StartPlace place(const NamedStart& start, const std::string& name) const;
    [[nodiscard]] std::vector<StartPlace> places_in_arrays(const NamedStart& start, const Text& text) const;
    [[nodiscard]] std::optional<std::size_t> count_of(const NamedStart& start, const IndexedText& text,
                                                      std::string_view index) const;
    std::optional<Quantity> look_up(const NamedStart& start, const std::string& name);

    Flattening& work_;
    std::unordered_map<std::string, std::uint32_t> scope_of_;  ///< by the name of the instance
    std::vector<NamedStart> followed_;
    std::unordered_set<const StartDeclaration*> reported_;  ///< with mistakes, perhaps in another instance
    bool met_variable_ = false;                             ///< one stands behind a name that has been looked up
};

/// Whether a variable that is solved for occurs in an expression.
bool has_variable(const BondGraph& graph, expression::Expr e);

/// Whether an expression is a number, with or without a finite value.
bool is_number(const BondGraph& graph, expression::Expr e);

/// The single variable in `expression = given`, solved for, if a component takes start values for it and there is one
/// solution whatever the values; nothing otherwise.
std::optional<SolvedStart> solve_start(Flattening& work, expression::Expr expression, expression::Expr given);

}  // namespace bondgraph::model

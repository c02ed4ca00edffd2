#include "bondgraph/api/derivation_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/quantity.hpp"

namespace bondgraph::api {

using expression::Expr;
using expression::SyntaxError;

namespace {

std::string explained(const SyntaxError& mistake) {
    const std::string near =
        mistake.suggestion().empty() ? "" : fmt::format(" Did you mean '{}'?", mistake.suggestion());
    return fmt::format("{}: write it with states, parameters and sources.{}", mistake.what(), near);
}

/// Whether a mistake is a name that stands behind a number without an operator.
bool has_unit(const std::string& text, const SyntaxError& mistake) {
    const std::size_t at = mistake.offset();
    const std::size_t before = at == 0 || at >= text.size() ? std::string::npos : text.find_last_not_of(' ', at - 1);
    return before != std::string::npos && std::isdigit(static_cast<unsigned char>(text[before])) != 0 &&
           std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

}  // namespace

std::optional<std::size_t> DerivationReader::state_of(const std::string& name, std::string& why_not) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < system_.states.size(); ++k) {
        names.push_back(system_.name(system_.states[k]));
        const KnownLeaf* leaf = sides_.find(name);
        if (names.back() != name && (leaf == nullptr || leaf->name != names.back())) continue;
        return k;
    }
    if (names.empty()) {
        why_not = fmt::format("'{}' is no state: this model has none.", name);
        return std::nullopt;
    }
    const std::string near = did_you_mean(name, names);
    why_not = fmt::format("'{}' is no state: {} {}{}", name, fmt::join(names, ", "), names.size() == 1 ? "is" : "are",
                          near.empty() ? "." : near);
    return std::nullopt;
}

std::optional<Expr> DerivationReader::read(const std::string& text, std::string& why_not, model::Measure* measured) {
    try {
        const expression::Syntax syntax = expression::parse_expression(text);
        model::EvaluationScope scope;
        scope.lookup = [&](const std::string& name) -> std::optional<model::Quantity> {
            const KnownLeaf* leaf = leaf_of(name);
            if (leaf == nullptr) return other_than_leaf(name, measured != nullptr);
            return model::Quantity::scalar(leaf->leaf, measured ? leaf->measure : model::Measure{});
        };
        scope.candidates = [&] {
            std::vector<std::string> names;
            for (const KnownLeaf& l : sides_.known()) names.push_back(l.name);
            return names;
        };
        std::vector<SyntaxError> mistakes;
        const auto found = model::evaluate(syntax, syntax.root, *system_.graph().expressions, scope, mistakes);
        if (!mistakes.empty()) {
            why_not = explained(mistakes.front());
            return std::nullopt;
        }
        if (!found || !found->is_scalar()) {
            why_not = "This is no single number.";
            return std::nullopt;
        }
        if (measured) *measured = found->measure;
        return found->value(0, 0);
    } catch (const SyntaxError& e) {
        why_not = has_unit(text, e) ? "Numbers stand without units in an equation: in SI units."
                                    : fmt::format("This can't be read: {}.", e.what());
        return std::nullopt;
    }
}

/// Nothing for what only has a value.
const KnownLeaf* DerivationReader::leaf_of(const std::string& name) {
    const KnownLeaf* found = sides_.find(name);
    const KnownLeaf* source = sides_.source_of(name);
    if (source == nullptr || (found == source && !system_.graph().parameters.contains(name))) return found;
    twofold_.insert(name);
    if (!parameters_.contains(name)) return source;
    return found == source ? nullptr : found;
}

/// All components of what is known by components, as of "i.p" in "i.p[2]"; or the value of a parameter of the model
/// that no element's goes by.
std::optional<model::Quantity> DerivationReader::other_than_leaf(const std::string& name, bool measured) const {
    std::vector<std::pair<std::size_t, const KnownLeaf*>> components;
    std::size_t largest = 0;
    for (const KnownLeaf& l : sides_.known()) {
        if (!l.name.starts_with(name + "[") || !l.name.ends_with("]")) continue;
        const std::string index = l.name.substr(name.size() + 1, l.name.size() - name.size() - 2);
        if (index.empty() || index.size() > 4 || index.find_first_not_of("0123456789") != std::string::npos) continue;
        components.emplace_back(std::stoul(index), &l);
        largest = std::max(largest, components.back().first);
    }
    if (!components.empty()) {
        model::Quantity all;
        all.value.setConstant(static_cast<Eigen::Index>(largest), 1, Expr(std::numeric_limits<double>::quiet_NaN()));
        for (const auto& [index, l] : components) {
            all.value(static_cast<Eigen::Index>(index) - 1, 0) = l->leaf;
            if (measured) all.measure = l->measure;
        }
        return all;
    }
    const auto& own = system_.graph().parameters;
    const auto at = own.find(name);
    if (at == own.end()) return std::nullopt;
    model::Quantity value = at->second;
    if (!measured) value.measure = {};
    return value;
}

}  // namespace bondgraph::api

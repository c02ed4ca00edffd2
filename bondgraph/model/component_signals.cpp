// Signals that drive single components of a vector: `s.y -> force.f[2]`.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

using expression::ExprMatrix;

namespace {

class ComponentAssembly {
   public:
    ComponentAssembly(Flattening& work, const DrivenComponents& driven, const std::string& name)
        : work_(work), driven_(driven), name_(name) {}

    std::optional<Quantity> into(const Quantity& base) {
        if (is_unknown(base)) return base;
        // A single value is the only component of a vector of one, which arrays of any size may come down to.
        if (base.is_scalar() && driven_.size() > 1) return report_shape("is a single value", "give it as a list");
        if (base.value.cols() != 1) return report_shape("is a matrix", "drive it as a whole");
        for (const DrivenComponents::One& one : driven_.signals) {
            if (one.index < static_cast<std::size_t>(base.value.rows())) continue;
            error("BG-M016", one.to->position,
                  fmt::format("'{}' has {} components: there is no [{}]", name_, base.value.rows(), one.index + 1));
            return std::nullopt;
        }
        return driven_over(base);
    }

    std::optional<Quantity> alone(std::size_t least) {
        const std::size_t size = std::max(driven_.size(), least);
        for (std::size_t k = 0; k < size; ++k) {
            if (drives(k)) continue;
            error("BG-M019", driven_.signals.front().to->position,
                  fmt::format("component {} of '{}' has no value", k + 1, name_),
                  {{"because", "signals drive only some of its components"},
                   {"try", fmt::format("give it with the component, as in '{}: [0, 0, 0]', or drive it too",
                                       name_.substr(name_.rfind('.') + 1))}});
            return std::nullopt;
        }
        return driven_over({ExprMatrix::Zero(static_cast<Eigen::Index>(size), 1), {}});
    }

   private:
    bool drives(std::size_t index) const {
        return std::any_of(driven_.signals.begin(), driven_.signals.end(),
                           [&](const DrivenComponents::One& one) { return one.index == index; });
    }

    std::optional<Quantity> driven_over(Quantity vector) {
        for (const DrivenComponents::One& one : driven_.signals) {
            Value source;
            source.scalar = *one.from;
            const auto q = evaluate_value(work_, source, driven_.scope);
            if (!q) return std::nullopt;
            if (!q->is_scalar()) {
                error("BG-M020", one.from->position,
                      fmt::format("'{}' is a vector: it can't drive the single component '{}'", one.from->text,
                                  one.to->text));
                return std::nullopt;
            }
            vector.value(static_cast<Eigen::Index>(one.index), 0) = q->value(0, 0);
            if (q->measure.kind != vector.measure.kind || q->measure.dimension != vector.measure.dimension)
                vector.measure = {};
        }
        return vector;
    }

    std::optional<Quantity> report_shape(const char* what, const char* advice) {
        error("BG-M016", driven_.signals.front().to->position, fmt::format("'{}' {}, without components", name_, what),
              {{"try", fmt::format("{}, or leave out the index", advice)}});
        return std::nullopt;
    }

    void error(const char* code, const SourcePosition& at, std::string what, std::vector<DiagnosticNote> notes = {}) {
        work_.diagnostics.error(code, at, std::move(what), std::move(notes));
    }

    Flattening& work_;
    const DrivenComponents& driven_;
    const std::string& name_;
};

}  // namespace

std::optional<std::pair<std::string, std::size_t>> component_of(std::string_view name) {
    const auto open = name.find('[');
    if (open == std::string_view::npos || open == 0 || !name.ends_with(']')) return std::nullopt;
    const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
    std::size_t index = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
    return std::pair{std::string(name.substr(0, open)), index};
}

std::size_t DrivenComponents::size() const {
    std::size_t size = 0;
    for (const One& one : signals) size = std::max(size, one.index + 1);
    return size;
}

std::optional<Quantity> with_components(Flattening& work, const std::optional<Quantity>& base,
                                        const DrivenComponents& driven, const std::string& name, std::size_t least) {
    ComponentAssembly assembly(work, driven, name);
    return base ? assembly.into(*base) : assembly.alone(least);
}

}  // namespace bondgraph::model

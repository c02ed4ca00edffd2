// Pass of flattening: what types of the file show of themselves in animations.

#include "bondgraph/model/declared_shapes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "bondgraph/model/coarse_mesh.hpp"

namespace bondgraph::model {
namespace {

using expression::Expr;
using expression::ExprMatrix;

constexpr double kUsualWidth = 0.1;  // m
constexpr std::size_t kMostTriangles = 100'000;

class ShapeEvaluation {
   public:
    explicit ShapeEvaluation(Flattening& work) : work_(work) {}

    void run() {
        for (std::uint32_t s = 1; s < work_.scopes.size(); ++s) {
            const Scope& scope = work_.scopes[s];
            if (scope.declaration == nullptr || scope.body->gaps.any()) continue;
            const std::string component = scope.prefix.substr(0, scope.prefix.size() - 1);
            if (scope.instance != nullptr && scope.instance->shapes != nullptr)
                shapes(scope.outer, component, *scope.instance->shapes);
            else if (!scope.declaration->shapes.empty())
                shapes(s, component, scope.declaration->shapes);
        }
        for (std::size_t e = 0; e < work_.origins.size(); ++e) {
            const Flattening::Origin& origin = work_.origins[e];
            const bool done = origin.inner_scope != Id<void>::kNone;  // its scope was there
            if (done || origin.declaration == nullptr || origin.declaration->shapes == nullptr) continue;
            shapes(origin.scope, work_.graph.elements[e].name, *origin.declaration->shapes);
        }
        coarsen_large_ones();
    }

   private:
    /// Those of a component, with values in the names of a scope.
    void shapes(std::uint32_t s, const std::string& component, const std::vector<ShapeDeclaration>& all) {
        work_.graph.with_declared_shapes.insert(component);
        for (const ShapeDeclaration& d : all) {
            if (!reported_.contains(place(d))) shape(s, component, d);
        }
    }

    using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
    static Place place(const ShapeDeclaration& d) { return {d.position.file, d.position.line, d.position.column}; }

    void shape(std::uint32_t s, const std::string& component, const ShapeDeclaration& d) {
        if (d.file && d.mesh == nullptr) return;  // reported
        const std::size_t errors = work_.diagnostics.error_count();
        const std::string prefix = component + ".";
        DeclaredShape made;
        made.component = component;
        made.kind = d.kind.text;
        if (const auto frame = frame_of(prefix, *d.frame)) made.frame = *frame;
        if (d.to) made.to = frame_of(prefix, *d.to);
        made.r = vector(s, d, "r", 0.0, true);
        made.direction = vector(s, d, "lengthDirection", 1.0, false);
        if (find(d, "widthDirection") != nullptr) made.across = vector(s, d, "widthDirection", 0.0, false);
        made.length = d.file ? length(s, d, "scale", 1.0) : length(s, d, "length", 0.0);
        made.width = d.file || (d.kind.text == "sphere" && !d.to) ? made.length : Expr(kUsualWidth);
        made.width = length(s, d, "width", made.width);
        made.height = length(s, d, "height", made.width);
        if (work_.diagnostics.error_count() == errors && directions_fit(d, made)) {
            if (d.file) made.mesh = mesh_of(d);
            work_.graph.shapes.push_back(std::move(made));
        } else {
            reported_.insert(place(d));
        }
    }

    /// The same file, however often it is named, is one form.
    std::uint32_t mesh_of(const ShapeDeclaration& d) {
        auto& meshes = work_.graph.meshes;
        const auto found = std::ranges::find(meshes, d.mesh);
        if (found == meshes.end()) named_.push_back(d.file->position);
        const auto at = static_cast<std::uint32_t>(found - meshes.begin());
        if (found == meshes.end()) meshes.push_back(d.mesh);
        return at;
    }

    /// What all of them have together is bounded: a page holds it, and a browser draws it.
    void coarsen_large_ones() {
        auto& meshes = work_.graph.meshes;
        std::vector<std::size_t> counts;
        for (const auto& mesh : meshes) counts.push_back(mesh->triangles());
        const std::size_t most = most_of_each(counts, kMostTriangles);
        for (std::size_t k = 0; k < meshes.size(); ++k) {
            if (counts[k] <= most) continue;
            meshes[k] = std::make_shared<const Mesh>(coarsened(*meshes[k], most));
            work_.diagnostics.warning(
                "BG-M098", named_[k],
                fmt::format("'{}' has {} triangles; {} of a coarser form are shown", meshes[k]->file, counts[k],
                            meshes[k]->triangles()),
                {{"because", fmt::format("all files of shapes together are shown with {} at most", kMostTriangles)},
                 {"try", "save it with fewer triangles from the program that it comes from"}});
        }
    }

    static const Setting* find(const ShapeDeclaration& d, std::string_view key) {
        const auto found = std::ranges::find_if(d.values, [&](const Setting& s) { return s.key.text == key; });
        return found == d.values.end() ? nullptr : &*found;
    }

    /// A connector of the type, or of a part, that has a position.
    std::optional<ShapeFrame> frame_of(const std::string& prefix, const Text& text) {
        const std::string name = prefix + text.text;
        std::optional<ShapeFrame> found;
        if (const auto shared = work_.graph.shared_connectors.find(name); shared != work_.graph.shared_connectors.end())
            found = {shared->second.element, shared->second.connector};
        const auto place = work_.connector_by_name.find(name);
        if (!found && place != work_.connector_by_name.end() && work_.connectors[place->second].element.valid())
            found = {work_.connectors[place->second].element, work_.connectors[place->second].index};
        if (found) {
            const auto& signals =
                work_.graph.elements[found->element.index()].connectors[found->connector].type->signals;
            if (std::ranges::find(signals, "x", &ConnectorSignal::name) != signals.end()) return found;
        }
        std::vector<std::string> names;
        for (const ConnectorPlace& c : work_.connectors) {
            const auto is_x = [](const ConnectorSignal& signal) { return signal.name == "x"; };
            if (c.name.starts_with(prefix) && std::ranges::any_of(c.type->signals, is_x))
                names.push_back(c.name.substr(prefix.size()));
        }
        work_.diagnostics.error(
            "BG-M085", text.position,
            fmt::format("'{}' is no frame that a shape could move with{}", text.text, did_you_mean(text.text, names)),
            {{"try", names.empty() ? "a connector that has a position: a frame or a planar_frame"
                                   : fmt::format("one of {}", fmt::join(names, ", "))}});
        return std::nullopt;
    }

    /// Three numbers, or two in the plane. In m, or a direction, which has no unit.
    ExprMatrix vector(std::uint32_t s, const ShapeDeclaration& d, std::string_view key, double first, bool in_metres) {
        ExprMatrix v = ExprMatrix::Constant(3, 1, Expr(0.0));
        v(0, 0) = first;
        const Setting* setting = find(d, key);
        if (setting == nullptr) return v;
        const auto q = evaluate_value(work_, setting->value, s);
        if (!q || is_unknown(*q)) return v;
        if ((q->value.size() != 2 && q->value.size() != 3) || q->value.cols() != 1) {
            refuse(*setting, "is a list of three numbers, or of two in a plane");
            return v;
        }
        check_units(s, *setting, *q, in_metres);
        v(0, 0) = 0.0;
        for (Eigen::Index k = 0; k < q->value.size(); ++k) v(k, 0) = q->value(k, 0);
        return v;
    }

    Expr length(std::uint32_t s, const ShapeDeclaration& d, std::string_view key, Expr otherwise) {
        const Setting* setting = find(d, key);
        if (setting == nullptr) return otherwise;
        const auto q = evaluate_value(work_, setting->value, s);
        if (!q || is_unknown(*q)) return otherwise;
        if (!q->is_scalar())
            refuse(*setting, "is a single length");
        else if (q->value(0, 0).is_constant() && q->value(0, 0).constant() < 0.0)
            refuse(*setting, "is a length and can't be negative");
        else
            check_unit(*setting, setting->value, *q, true);
        return q->value(0, 0);
    }

    /// Of a list, whose entries have units of their own.
    void check_units(std::uint32_t s, const Setting& setting, const Quantity& q, bool in_metres) {
        if (!setting.value.is_list || q.measure.known()) return check_unit(setting, setting.value, q, in_metres);
        for (const Value& item : setting.value.items) {
            const auto one = evaluate_value(work_, item, s);
            if (one && !is_unknown(*one)) check_unit(setting, item, *one, in_metres);
        }
    }

    void check_unit(const Setting& setting, const Value& value, const Quantity& q, bool in_metres) {
        const Measure wanted = Measure::of(in_metres ? Dimension{.metre = 1} : Dimension{});
        const bool metres_of_direction = !in_metres && q.measure.dimension == Dimension{.metre = 1};
        if (!q.measure.known() || metres_of_direction || !differ(q.measure, wanted)) return;
        work_.diagnostics.error("BG-U002", value.position(),
                                fmt::format("'{}' of a shape {}, not in {}", setting.key.text,
                                            in_metres ? "is in m" : "is a direction", written_unit(value, q)));
    }

    void refuse(const Setting& setting, std::string_view what) {
        work_.diagnostics.error("BG-M085", setting.value.position(),
                                fmt::format("'{}' of a shape {}", setting.key.text, what));
    }

    /// The square of a vector's length where that is known.
    static std::optional<double> square(const ExprMatrix& v) {
        double sum = 0.0;
        for (const Expr& x : v.reshaped()) {
            if (!x.is_constant()) return std::nullopt;
            sum += x.constant() * x.constant();
        }
        return sum;
    }

    static bool are_parallel(const ExprMatrix& a, const ExprMatrix& b) {
        constexpr double kParallel = 1e-20;
        ExprMatrix cross(3, 1);
        for (Eigen::Index k = 0; k < 3; ++k) {
            const Eigen::Index i = (k + 1) % 3;
            const Eigen::Index j = (k + 2) % 3;
            cross(k, 0) = a(i, 0) * b(j, 0) - a(j, 0) * b(i, 0);
        }
        const auto sine = square(cross);
        return sine && square(a) && square(b) && *sine <= kParallel * *square(a) * *square(b);
    }

    /// Directions have to be some, and that of the width another one than that of the length.
    bool directions_fit(const ShapeDeclaration& d, DeclaredShape& made) {
        for (const auto& [key, v] : {std::pair{"lengthDirection", &made.direction}, {"widthDirection", &made.across}}) {
            const Setting* setting = find(d, key);
            if (setting == nullptr || square(*v) != 0.0) continue;
            refuse(*setting, "has length 0: it is no direction");
            return false;
        }
        if (made.to) return true;
        if (made.across.size() > 0 && are_parallel(made.direction, made.across)) {
            refuse(*find(d, "widthDirection"), "points along its length");
            return false;
        }
        if (made.across.size() == 0 && square(made.direction)) {  // across, in the plane with y
            made.across = ExprMatrix::Constant(3, 1, Expr(0.0));
            made.across(1, 0) = 1.0;
            if (are_parallel(made.direction, made.across)) std::swap(made.across(1, 0), made.across(0, 0));
        }
        return true;
    }

    Flattening& work_;
    std::set<Place> reported_;
    std::vector<SourcePosition> named_;  ///< of each mesh, where its file stands first
};

}  // namespace

void evaluate_shapes(Flattening& work) { ShapeEvaluation(work).run(); }

}  // namespace bondgraph::model

#include "bondgraph/simulation/undetermined.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <stdexcept>

#include "bondgraph/model/free_points.hpp"
#include "bondgraph/simulation/singular.hpp"
#include "bondgraph/structure/block_triangular.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

class Undetermined {
   public:
    Undetermined(Evaluator& ev, const Point& point) : ev_(ev), m_(ev.model()), point_(point), n_(ev.size()) {}

    [[noreturn]] void refuse() {
        Singularity s = find_singularity();
        Diagnostics d;
        std::vector<DiagnosticNote> notes;
        notes.push_back({"where", s.free.empty()           ? "the algebraic equations of the whole model"
                                  : s.inner && massless(s) ? fmt::format("the motion of {}", shortened(s.elements))
                                                           : fmt::format("{} may take any value", shortened(s.free))});
        const auto known = singular_positions(ev_, point_.time, point_.y, point_.yp);
        if (!known.empty() && !s.position.known()) s.position = singular_place(ev_, point_.time, point_.y, point_.yp);
        const model::Element* point = free_point(s);
        if (!known.empty() || massless(s) || point != nullptr) {
            notes.insert(notes.end(), known.begin(), known.end());
            if (known.empty() && point != nullptr) {
                s.position = point->position;
                explain_free_point(*point, notes);
            } else if (known.empty()) {
                explain_massless(s, notes);
            }
            d.error("BG-I004", s.position.known() ? s.position : m_.graph().model_position,
                    fmt::format("the equations don't determine all rates at time {:g}", point_.time), notes);
            d.throw_if_errors();
        }
        notes.push_back({"because", s.elements.empty()
                                        ? "some equations say the same at this point"
                                        : fmt::format("the equations of {} say the same, so that nothing determines {}",
                                                      shortened(s.elements), s.free.size() > 1 ? "them" : "it")});
        notes.push_back({"try", s.elements.empty()
                                    ? "remove a constraint that others imply (rSe, rSf, own types), or describe the "
                                      "system by independent coordinates"
                                    : "add what decides (a resistance, a storage, Ron and Goff of switches and "
                                      "diodes), or remove what is said twice: a constraint that repeats another, a "
                                      "modulus or coefficient of 0"});
        d.error("BG-I004", s.position.known() ? s.position : m_.graph().model_position,
                fmt::format("the equations don't determine all rates at time {:g}", point_.time), notes);
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

   private:
    std::string element_text(std::size_t row) const {
        if (!m_.rows[row].element.valid()) return fmt::format("'{}'", m_.name(m_.rows[row].variable));
        const auto* e = &m_.graph().elements[m_.rows[row].element.index()];
        if (e->owner.valid()) e = &m_.graph().elements[e->owner.index()];
        return fmt::format("'{}' ({})", e->name, e->type->name);
    }

    /// Whether a variable is one inside a joint or body, which no user has named.
    bool is_inner(compile::VariableId v) const {
        const model::BondGraph& g = m_.graph();
        const auto part = [&](model::ElementId id) { return g.elements[id.index()].owner.valid(); };
        if (v.value >= 2 * g.bond_components)
            return v.index() < g.variable_count() && part(g.slot_variables[v.value - 2 * g.bond_components].element);
        const model::Bond& bond = g.bonds[g.bond_of_component(v.value / 2).index()];
        return part(bond.from) && part(bond.to);
    }

    // The unknowns that may move without any equation noticing, and the equations that say the same thing.
    struct Singularity {
        std::vector<std::string> free;
        bool inner = true;  ///< all of them inside components
        std::vector<std::string> elements;
        SourcePosition position;
    };

    void add(Singularity& s, const Eigen::VectorXd& free, const Eigen::VectorXd& repeated,
             std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) const {
        constexpr double kNoticed = 1e-6;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (std::abs(free(static_cast<Eigen::Index>(k))) < kNoticed * free.lpNorm<Eigen::Infinity>()) continue;
            const std::string v = m_.name(m_.unknowns[columns[k]].variable);
            s.inner = s.inner && is_inner(m_.unknowns[columns[k]].variable);
            s.free.push_back(m_.unknowns[columns[k]].differential ? fmt::format("der({})", v) : v);
        }
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (std::abs(repeated(static_cast<Eigen::Index>(k))) < kNoticed * repeated.lpNorm<Eigen::Infinity>())
                continue;
            const std::string e = element_text(rows[k]);
            if (std::find(s.elements.begin(), s.elements.end(), e) != s.elements.end()) continue;
            const auto position = m_.rows[rows[k]].position;
            if (!s.position.known() && position.known()) s.position = position;
            s.elements.push_back(e);
        }
    }

    // The first block of the matrix that is singular, by numbers or by its structure.
    Singularity find_singularity() {
        constexpr double kSmallest = 1e-12;  // ratio of pivots below which nothing is left worth having
        Singularity result;
        std::vector<double> alpha(n_);
        std::vector<double> beta(n_);
        for (std::size_t j = 0; j < n_; ++j) (m_.unknowns[j].differential ? beta : alpha)[j] = 1.0;
        std::vector<double> entries(m_.pattern.columns.size());
        if (!ev_.jacobian(point_.time, point_.y, point_.yp, alpha, beta, entries)) return result;
        structure::Incidence nonzero;
        std::vector<std::uint32_t> row;
        std::size_t entry = 0;
        for (std::size_t r = 0; r < n_; ++r) {
            row.clear();
            for (const std::uint32_t c : m_.pattern.row(r)) {
                if (entries[entry++] != 0.0) row.push_back(c);
            }
            nonzero.add_row(row);
        }
        const auto matching = structure::maximum_matching(nonzero, n_);
        const auto blocks = structure::block_triangular(nonzero, n_, matching);
        const auto& over = blocks.parts.overdetermined_rows;
        const auto& under = blocks.parts.underdetermined_columns;
        if (!over.empty() || !under.empty()) {
            add(result, Eigen::VectorXd::Ones(static_cast<Eigen::Index>(under.size())),
                Eigen::VectorXd::Ones(static_cast<Eigen::Index>(over.size())), over, under);
            return result;
        }
        constexpr std::size_t kLargestDense = 500;
        for (std::size_t b = 0; b < blocks.rows.rows(); ++b) {
            const auto rows = blocks.rows.row(b);
            const auto columns = blocks.columns.row(b);
            if (rows.size() > kLargestDense || rows.size() == 1) continue;
            Eigen::MatrixXd a = block(entries, rows, columns);
            const Eigen::VectorXd row_size = a.cwiseAbs().rowwise().maxCoeff().cwiseInverse();
            a = row_size.asDiagonal() * a;
            const Eigen::VectorXd column_size = a.cwiseAbs().colwise().maxCoeff().cwiseInverse();
            a = a * column_size.asDiagonal();
            Eigen::FullPivLU<Eigen::MatrixXd> lu(a);
            lu.setThreshold(kSmallest);
            if (lu.isInvertible()) continue;
            Eigen::FullPivLU<Eigen::MatrixXd> transposed(a.transpose());
            transposed.setThreshold(kSmallest);
            add(result, lu.kernel().col(0), transposed.kernel().col(0), rows, columns);
            return result;
        }
        return result;
    }

    [[nodiscard]] Eigen::MatrixXd block(std::span<const double> entries, std::span<const std::uint32_t> rows,
                                        std::span<const std::uint32_t> columns) const {
        std::vector<Eigen::Index> place(n_, -1);
        for (std::size_t c = 0; c < columns.size(); ++c) place[columns[c]] = static_cast<Eigen::Index>(c);
        Eigen::MatrixXd result =
            Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
        for (std::size_t r = 0; r < rows.size(); ++r) {
            std::size_t entry = m_.pattern.starts[rows[r]];
            for (const std::uint32_t c : m_.pattern.row(rows[r])) {
                if (place[c] >= 0) result(static_cast<Eigen::Index>(r), place[c]) = entries[entry];
                ++entry;
            }
        }
        return result;
    }

    /// The point without mass that may move, if it is one.
    const model::Element* free_point(const Singularity& s) const {
        for (const model::Element& e : m_.graph().elements) {
            if (!e.root || !model::is_free_point(*e.type)) continue;
            const auto of_it = [&](const std::string& v) { return v.find(e.name + ".") != std::string::npos; };
            if (std::any_of(s.free.begin(), s.free.end(), of_it)) return &e;
        }
        return nullptr;
    }

    static void explain_free_point(const model::Element& point, std::vector<DiagnosticNote>& notes) {
        notes.push_back({"because", fmt::format("'{}' ({}) has no mass, and no force at it resists a motion in some "
                                                "direction: springs are slack there, or dampers act in others only",
                                                point.name, point.type->name)});
        notes.push_back({"try",
                         "springs that are stretched at the start (guess:), dampers in all directions or none, or a "
                         "PointMass in place of the point"});
    }

    // Why a motion meets no inertia, in the words of mechanics.
    void explain_massless(const Singularity& s, std::vector<DiagnosticNote>& notes) const {
        const auto point = [](const model::Element& e) { return e.type->root == model::RootKind::at_last; };
        if (only_free_bodies(s)) {
            notes.push_back({"because", "a free body has no inertia against this motion"});
            notes.push_back({"try", "give its moments of inertia (I_11, I_22, I_33), or let a joint hold it"});
        } else if (named_in(s, point) > 0) {
            notes.push_back({"because",
                             "point masses have no inertia against turning about the line they lie on (one alone: "
                             "about any), and what is connected to them has none either"});
            notes.push_back({"try", "use a Body with moments of inertia in place of a PointMass"});
        } else if (s.elements.size() > 1) {
            notes.push_back({"because",
                             "they can move together so that nothing with mass or inertia moves, as two "
                             "parallel joints do with a part without mass between them"});
            notes.push_back({"try", "put a Body between them, or remove one"});
        } else {
            notes.push_back({"because",
                             "nothing with mass or inertia moves with it: what is behind the joint has no mass, "
                             "or it is a point mass on the axis"});
            notes.push_back({"try", fmt::format("put a Body with {} behind the joint, or an I on its axis",
                                                slides(s) ? "a mass" : "moments of inertia")});
        }
    }

    /// Whether the joints that may move at any rate do nothing but slide.
    bool slides(const Singularity& s) const {
        const auto turns = [](const model::Element& e) {
            return std::any_of(e.ports.begin(), e.ports.end(),
                               [](const model::Port& p) { return model::domains()[p.domain].name == "rotational"; });
        };
        return named_in(s, [](const model::Element& e) { return !e.ports.empty(); }) > 0 && named_in(s, turns) == 0;
    }

    /// Whether what is left open are the rates of joints, or bodies that nothing carries, alone.
    bool massless(const Singularity& s) const {
        const std::size_t joints = named_in(s, [](const model::Element& e) { return e.type->free_rates; });
        return joints > 0 && joints == s.elements.size();
    }

    bool only_free_bodies(const Singularity& s) const {
        const auto has_inertia = [](const model::Element& e) {
            return std::any_of(e.type->parameters.begin(), e.type->parameters.end(),
                               [](const model::ParameterSpec& p) { return p.name == "I_33"; });
        };
        return !s.elements.empty() && named_in(s, has_inertia) == s.elements.size();
    }

    template <class Of>
    std::size_t named_in(const Singularity& s, const Of& of) const {
        std::size_t count = 0;
        for (const model::Element& e : m_.graph().elements) {
            if (!of(e)) continue;
            const std::string quoted = "'" + e.name + "'";
            count += static_cast<std::size_t>(
                std::count_if(s.elements.begin(), s.elements.end(),
                              [&](const std::string& text) { return text.starts_with(quoted); }));
        }
        return count;
    }

    static std::string shortened(const std::vector<std::string>& names) {
        constexpr std::size_t kMost = 6;
        std::string text;
        for (std::size_t k = 0; k < names.size() && k < kMost; ++k) text += (k == 0 ? "" : ", ") + names[k];
        if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
        return text;
    }

    Evaluator& ev_;
    const CompiledModel& m_;
    const Point& point_;
    std::size_t n_;
};

}  // namespace

void refuse_undetermined(Evaluator& evaluator, const Point& point) {
    const auto hold = evaluator.model().hold();
    Undetermined(evaluator, point).refuse();
}

}  // namespace bondgraph::simulation

#include "bondgraph/analysis/small_turns.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::analysis {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Xi = Eigen::Matrix<double, 4, 3>;

namespace {

constexpr std::size_t kRows = 7;  // outputs of a quaternion

Matrix3d skew(const Vector3d& a) {
    Matrix3d m;
    m << 0.0, -a(2), a(1), a(2), 0.0, -a(0), -a(1), a(0), 0.0;
    return m;
}

Xi xi(const Vector4d& q) {
    Xi m;
    m.topRows<3>() = q(3) * Matrix3d::Identity() + skew(q.head<3>());
    m.row(3) = -q.head<3>().transpose();
    return m;
}

// A product with what rounding has left of terms that cancel put to 0: a model that does not depend on where a body
// points has exactly no column there, and its poles at 0 stay there. The factors carry a few roundings themselves.
template <class Left, class Right>
MatrixXd product(const Left& a, const Right& b) {
    constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
    const MatrixXd size = a.cwiseAbs() * b.cwiseAbs();
    const MatrixXd sum = a * b;
    return (sum.array().abs() > kRounding * size.array()).select(sum, 0.0);
}

/// What the outputs of a quaternion say.
struct Numbers {
    Vector4d q;
    Vector3d w;
    MatrixXd norm;      ///< |q| d|q|, a row by states
    MatrixXd turn;      ///< theta, by states
    MatrixXd velocity;  ///< dw, by states
    MatrixXd forced;    ///< dw, by inputs
};

Numbers numbers_of(const LinearModel& m, Index first, std::span<const double> values) {
    Numbers n;
    n.q = Eigen::Map<const Vector4d>(values.data());
    n.w = Eigen::Map<const Vector3d>(values.data() + 4);
    const MatrixXd dq = m.C.middleRows(first, 4);
    n.norm = product(n.q.transpose(), dq);
    n.turn = product(Eigen::Matrix<double, 3, 4>(2.0 / n.q.squaredNorm() * xi(n.q).transpose()), dq);
    n.velocity = m.C.middleRows(first + 4, 3);
    n.forced = m.D.middleRows(first + 4, 3);
    return n;
}

/// A component of a turn that becomes a state.
struct Turn {
    std::size_t quaternion = 0;
    Index axis = 0;
};

class Replacing {
   public:
    Replacing(LinearModel& model, std::span<const Quaternion> quaternions, std::span<const double> values)
        : m_(model), quaternions_(quaternions) {
        const Index first = m_.C.rows() - static_cast<Index>(kRows * quaternions.size());
        for (std::size_t k = 0; k < quaternions.size(); ++k) {
            const Index row = first + static_cast<Index>(kRows * k);
            numbers_.push_back(numbers_of(m_, row, values.subspan(kRows * k, kRows)));
            if (!quaternions[k].all_states()) partial_.push_back(k);
        }
        m_.C.conservativeResize(first, Eigen::NoChange);
        m_.D.conservativeResize(first, Eigen::NoChange);
        list_states();
        choose_turns();
        order();
        make_tangents();
    }

    void replace() const {
        const Eigen::SparseMatrix<double> tangents = tangents_.sparseView();
        const MatrixXd rates = product(m_.A, tangents);
        MatrixXd A = MatrixXd::Zero(size(), size());
        MatrixXd B = MatrixXd::Zero(size(), m_.B.cols());
        std::vector<std::string> names(static_cast<std::size_t>(size()));
        for (std::size_t i = 0; i < kept_.size(); ++i) {
            A.row(kept_place_[i]) = rates.row(kept_[i]);
            B.row(kept_place_[i]) = m_.B.row(kept_[i]);
            names[static_cast<std::size_t>(kept_place_[i])] = m_.states[static_cast<std::size_t>(kept_[i])];
        }
        std::vector<MatrixXd> turned;
        for (const Numbers& n : numbers_)
            turned.emplace_back(product(n.velocity, tangents) - product(skew(n.w), product(n.turn, tangents)));
        for (std::size_t i = 0; i < turns_.size(); ++i) {
            const auto [k, axis] = turns_[i];
            A.row(turn_place_[i]) = turned[k].row(axis);
            B.row(turn_place_[i]) = numbers_[k].forced.row(axis);
            names[static_cast<std::size_t>(turn_place_[i])] = fmt::format("{}[{}]", quaternions_[k].turn, axis + 1);
        }
        m_.A = std::move(A);
        m_.B = std::move(B);
        m_.C = product(m_.C, tangents);
        m_.states = std::move(names);
    }

   private:
    [[nodiscard]] Index size() const { return static_cast<Index>(kept_.size() + turns_.size()); }

    void list_states() {
        std::vector<bool> component(m_.states.size(), false);
        for (const Quaternion& k : quaternions_) {
            for (const auto& s : k.state) {
                if (!s) continue;
                component[*s] = true;
                if (!k.all_states()) replaced_.push_back(static_cast<Index>(*s));
            }
        }
        for (std::size_t s = 0; s < component.size(); ++s) {
            if (!component[s]) kept_.push_back(static_cast<Index>(s));
        }
    }

    // Of whole quaternions all three, which come first.
    void choose_turns() {
        for (std::size_t k = 0; k < quaternions_.size(); ++k) {
            for (Index axis = 0; quaternions_[k].all_states() && axis < 3; ++axis) turns_.push_back({k, axis});
        }
        whole_ = turns_.size();
        if (replaced_.size() > partial_.size()) choose_turns_in_part();
        if (turns_.size() - whole_ + partial_.size() != replaced_.size())
            throw std::logic_error("the length of a quaternion is no freedom of the model");
    }

    // As many as the states that are left have directions in which no |q| changes: those turns that show most of these.
    void choose_turns_in_part() {
        const auto n = static_cast<Index>(replaced_.size());
        const auto m = static_cast<Index>(partial_.size());
        MatrixXd norms(m, n);
        for (Index i = 0; i < m; ++i) norms.row(i) = number(i).norm(0, replaced_);
        const MatrixXd basis = structure::singular_vectors(norms).V;
        MatrixXd seen(n - m, 3 * m);
        for (Index i = 0; i < m; ++i)
            seen.middleCols(3 * i, 3) =
                product(MatrixXd(number(i).turn(Eigen::all, replaced_)), basis.rightCols(n - m)).transpose();
        std::vector<Index> chosen = structure::independent_columns(seen, {}, 0.0, 0.0);
        std::ranges::sort(chosen);
        for (const Index c : chosen) turns_.push_back({partial_[static_cast<std::size_t>(c / 3)], c % 3});
    }

    [[nodiscard]] const Numbers& number(Index partial) const {
        return numbers_[partial_[static_cast<std::size_t>(partial)]];
    }

    // Turns stand where the first state of their quaternion stood.
    void order() {
        struct Key {
            Index at = 0;
            Index axis = 0;
            Index* place = nullptr;
        };
        kept_place_.resize(kept_.size());
        turn_place_.resize(turns_.size());
        std::vector<Key> keys;
        for (std::size_t i = 0; i < kept_.size(); ++i) keys.push_back({kept_[i], 0, &kept_place_[i]});
        for (std::size_t i = 0; i < turns_.size(); ++i) {
            std::size_t first = m_.states.size();
            for (const auto& s : quaternions_[turns_[i].quaternion].state) first = std::min(first, s.value_or(first));
            keys.push_back({static_cast<Index>(first), turns_[i].axis, &turn_place_[i]});
        }
        std::ranges::sort(keys,
                          [](const Key& a, const Key& b) { return std::tie(a.at, a.axis) < std::tie(b.at, b.axis); });
        for (std::size_t i = 0; i < keys.size(); ++i) *keys[i].place = static_cast<Index>(i);
    }

    // The states by the new ones.
    void make_tangents() {
        tangents_ = MatrixXd::Zero(m_.A.rows(), size());
        for (std::size_t i = 0; i < kept_.size(); ++i) tangents_(kept_[i], kept_place_[i]) = 1.0;
        for (std::size_t i = 0; i < whole_; ++i) {
            const auto [k, axis] = turns_[i];
            const Vector4d dq = 0.5 * xi(numbers_[k].q).col(axis);
            for (std::size_t c = 0; c < 4; ++c)
                tangents_(static_cast<Index>(*quaternions_[k].state[c]), turn_place_[i]) = dq(static_cast<Index>(c));
        }
        if (replaced_.empty()) return;
        // Of quaternions in part: what the chosen turns are by all states, and that |q| stays.
        const auto n = static_cast<Index>(replaced_.size());
        MatrixXd rows(n, m_.A.rows());
        MatrixXd right = MatrixXd::Zero(n, size());
        Index row = 0;
        for (std::size_t i = whole_; i < turns_.size(); ++i, ++row) {
            rows.row(row) = numbers_[turns_[i].quaternion].turn.row(turns_[i].axis);
            right(row, turn_place_[i]) = 1.0;
        }
        for (const std::size_t k : partial_) rows.row(row++) = numbers_[k].norm.row(0);
        right -= product(rows, tangents_);
        const MatrixXd own = rows(Eigen::all, replaced_);
        tangents_(replaced_, Eigen::all) = structure::linear_solution(own, right);
    }

    LinearModel& m_;
    std::span<const Quaternion> quaternions_;
    std::vector<Numbers> numbers_;
    std::vector<std::size_t> partial_;  ///< quaternions of which not all components are states
    std::vector<Index> replaced_;       ///< states that are components of these
    std::vector<Index> kept_;           ///< states that are no component of a quaternion
    std::vector<Turn> turns_;           ///< new states, those of whole quaternions first
    std::size_t whole_ = 0;             ///< how many these are
    std::vector<Index> kept_place_, turn_place_;
    MatrixXd tangents_;
};

}  // namespace

bool Quaternion::all_states() const {
    return std::ranges::all_of(state, [](const auto& s) { return s.has_value(); });
}

std::vector<Quaternion> quaternions_among_states(const compile::CompiledModel& model) {
    const model::BondGraph& g = model.graph();
    std::vector<Quaternion> result;
    std::vector<std::optional<std::size_t>> state_of(g.variable_count());
    for (std::size_t i = 0; i < model.state_count; ++i) {
        const std::size_t v = model.unknowns[i].variable.index();
        if (v < state_of.size()) state_of[v] = i;
    }
    for (const model::Element& e : g.elements) {
        const model::Element::Slot* w = e.slot("w");
        for (const model::Element::Slot& slot : e.slots) {
            if (!slot.unit_length || w == nullptr) continue;
            Quaternion k{.turn = e.name + ".theta"};
            const auto value = [&](const model::Element::Slot& s, std::uint32_t i) {
                return model.in_unknowns(g.variable(g.slot_variable(s.first + i)));
            };
            bool any = false;
            for (std::uint32_t i = 0; i < 4; ++i) {
                k.state[i] = state_of[g.slot_variable(slot.first + i).index()];
                k.q[i] = value(slot, i);
                any = any || k.state[i];
            }
            for (std::uint32_t i = 0; i < 3; ++i) k.w[i] = value(*w, i);
            if (any) result.push_back(std::move(k));
        }
    }
    return result;
}

std::vector<expression::Expr> outputs_of(std::span<const Quaternion> quaternions) {
    std::vector<expression::Expr> all;
    for (const Quaternion& k : quaternions) {
        all.insert(all.end(), k.q.begin(), k.q.end());
        all.insert(all.end(), k.w.begin(), k.w.end());
    }
    return all;
}

void replace_by_turns(LinearModel& model, std::span<const Quaternion> quaternions, std::span<const double> values) {
    if (!quaternions.empty()) Replacing(model, quaternions, values).replace();
}

}  // namespace bondgraph::analysis

#include "bondgraph/simulation/start_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_set>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::StartCondition;

namespace {

constexpr std::size_t kStartLanes = 4;

}  // namespace

StartProblem::StartProblem(Evaluator& ev, const Point& point, std::span<const double> defaults)
    : m_(ev.model()), interrupted_(ev.interrupted), n_(m_.size()), states_(m_.state_count) {
    for (const auto kind :
         {StartCondition::Kind::value, StartCondition::Kind::equation, StartCondition::Kind::steady}) {
        for (const StartCondition& c : m_.conditions) {
            if (c.fixed && c.kind == kind) conditions_.push_back(&c);
        }
    }
    std::vector<expression::Expr> both;
    for (const StartCondition* c : conditions_) {
        both.push_back(c->value);
        both.push_back(c->target);
    }
    tape_ = m_.tape(both);
    const auto& g = m_.graph();
    const auto inputs = ev.inputs(point.time, point.y, point.yp);
    in_.assign(inputs.begin(), inputs.end());
    defaults_.assign(defaults.begin(), defaults.end());
    for (std::uint32_t j = 0; j < n_; ++j) slot_.push_back(1 + j);
    for (std::uint32_t j = 0; j < states_; ++j) {
        slot_.push_back(static_cast<std::uint32_t>(1 + n_) + j);
        defaults_.push_back(0.0);
    }
    for (std::size_t k = 0; k < g.free_parameters.size(); ++k) {
        slot_.push_back(static_cast<std::uint32_t>(m_.first_held() + g.first_free() + k));
        defaults_.push_back(g.free_parameters[k].guess);
    }
    kept_ = defaults_;
    position_.assign(slot_.size(), kNone);
    work_ = m_.residual.make_workspace<double>();
    condition_work_ = tape_.make_workspace<double>();
    f_.resize(n_);
    condition_f_.resize(both.size());
    jet_in_.resize(in_.size());
    jet_work_ = m_.residual.make_workspace<Jet>();
    jet_condition_work_ = tape_.make_workspace<Jet>();
    jet_f_.resize(n_);
    jet_condition_f_.resize(both.size());
    find_incidence();
}

void StartProblem::find_incidence() {
    std::vector<bool> wanted(m_.input_size(), false);
    std::vector<std::uint32_t> column_of(m_.input_size(), kNone);
    for (std::uint32_t c = 0; c < slot_.size(); ++c) {
        wanted[slot_[c]] = true;
        column_of[slot_[c]] = c;
    }
    std::vector<std::uint32_t> row;
    const auto add = [&] {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        incidence_.add_row(row);
        row.clear();
    };
    for (const auto& inputs : m_.residual.dependencies(wanted)) {
        for (const std::uint32_t i : inputs) row.push_back(column_of[i]);
        add();
    }
    const auto sides = tape_.dependencies(wanted);
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
        for (const auto* inputs : {&sides[2 * k], &sides[2 * k + 1]}) {
            for (const std::uint32_t i : *inputs) row.push_back(column_of[i]);
        }
        add();
    }
    for (std::uint32_t c = 0; c < slot_.size(); ++c) {
        row.push_back(c);
        add();
    }
}

std::vector<double> StartProblem::natural_sizes() const {
    std::vector<double> sizes(column_count(), 0.0);
    if (!m_.reduced || !m_.reduced->loops) return sizes;
    std::unordered_set<std::size_t> angles;
    for (const compile::ClosedLoops::Coordinate& c : m_.reduced->loops->position) {
        if (c.number) angles.insert(c.variable);
    }
    for (std::size_t i = 0; i < n_; ++i) {
        if (angles.contains(m_.unknowns[i].variable.index())) sizes[i] = 1.0;
    }
    return sizes;
}

std::string StartProblem::column_name(std::uint32_t c) const {
    if (c < n_) return m_.name(m_.unknowns[c].variable);
    if (c < n_ + states_) return fmt::format("der({})", m_.name(m_.unknowns[c - n_].variable));
    return m_.graph().free_parameters[c - n_ - states_].name;
}

const StartCondition* StartProblem::condition(std::uint32_t row) const {
    return row >= n_ && row < hard_count() ? conditions_[row - n_] : nullptr;
}

std::string StartProblem::row_text(std::uint32_t row) const {
    if (const StartCondition* c = condition(row)) {
        return c->kind == StartCondition::Kind::steady ? fmt::format("{} = 0", c->name) : c->name;
    }
    if (row >= hard_count()) return fmt::format("the default of {}", column_name(row - default_row(0)));
    const auto& e = m_.graph().elements[m_.rows[row].element.index()];
    return fmt::format("the equation of {} at '{}' ({})", m_.name(m_.rows[row].variable), e.name, e.type->name);
}

std::vector<model::StartValue> StartProblem::fixed_starts(std::uint32_t row) const {
    std::vector<model::StartValue> result;
    if (row >= residual_count() || !m_.rows[row].element.valid()) return result;
    const model::Element* e = &m_.graph().elements[m_.rows[row].element.index()];
    if (e->owner.valid()) e = &m_.graph().elements[e->owner.index()];
    for (const model::StartValue& s : e->starts) {
        if (s.fixed && s.position.known()) result.push_back(s);
    }
    return result;
}

SourcePosition StartProblem::row_position(std::uint32_t row) const {
    if (const StartCondition* c = condition(row)) return c->position;
    if (row >= hard_count()) return m_.graph().model_position;
    return m_.rows[row].position;
}

void StartProblem::write(Point& point) const {
    for (std::uint32_t j = 0; j < n_; ++j) point.y[j] = value(j);
    for (std::uint32_t j = 0; j < states_; ++j) point.yp[j] = value(rate(j));
    const std::size_t first = m_.first_held();
    for (auto c = static_cast<std::uint32_t>(n_ + states_); c < slot_.size(); ++c)
        point.held[slot_[c] - first] = value(c);
}

StartProblem::Colours StartProblem::part(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
    Colours result;
    result.rows.assign(rows.begin(), rows.end());
    result.columns.assign(columns.begin(), columns.end());
    for (std::uint32_t k = 0; k < columns.size(); ++k) position_[columns[k]] = k;
    std::vector<std::uint32_t> row;
    for (const std::uint32_t r : rows) {
        row.clear();
        for (const std::uint32_t c : incidence_.row(r)) {
            if (position_[c] != kNone) row.push_back(position_[c]);
        }
        std::sort(row.begin(), row.end());
        result.pattern.add_row(row);
    }
    for (const std::uint32_t c : columns) position_[c] = kNone;
    result.colouring = structure::colour_columns(result.pattern, columns.size());
    return result;
}

NonlinearSystem StartProblem::block(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
    const auto shared = std::make_shared<const Colours>(part(rows, columns));
    NonlinearSystem s;
    s.pattern = shared->pattern;
    s.interrupted = interrupted_;
    s.residual = [this, shared](std::span<const double> x, std::span<double> f) { return residual(*shared, x, f); };
    s.jacobian = [this, shared](std::span<const double> x, std::span<double> e) { return jacobian(*shared, x, e); };
    s.rounding = [this, shared](std::span<const double> x) { return rounding(*shared, x); };
    for (const std::uint32_t c : columns) {
        s.typical.push_back(c < n_ ? m_.unknowns[c].nominal : is_parameter(c) ? std::abs(defaults_[c]) : 0.0);
    }
    return s;
}

void StartProblem::put(const Colours& part, std::span<const double> x) {
    for (std::size_t k = 0; k < part.columns.size(); ++k) in_[slot_[part.columns[k]]] = x[k];
}

bool StartProblem::residual(const Colours& part, std::span<const double> x, std::span<double> f) {
    put(part, x);
    const auto any = [&](std::size_t from, std::size_t to) {
        return std::any_of(part.rows.begin(), part.rows.end(), [&](std::uint32_t r) { return r >= from && r < to; });
    };
    if (any(0, n_)) m_.residual.evaluate<double>(in_, f_, work_);
    if (any(n_, hard_count())) tape_.evaluate<double>(in_, condition_f_, condition_work_);
    bool finite = true;
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
        const std::uint32_t r = part.rows[i];
        if (r < n_) {
            f[i] = f_[r];
        } else if (r < hard_count()) {
            f[i] = condition_f_[2 * (r - n_)] - condition_f_[2 * (r - n_) + 1];
        } else {
            const std::uint32_t c = r - default_row(0);
            f[i] = value(c) - kept_[c];
        }
        finite = finite && std::isfinite(f[i]);
    }
    return finite;
}

bool StartProblem::jacobian(const Colours& part, std::span<const double> x, std::span<double> entries) {
    put(part, x);
    bool residuals = false;
    bool conditions = false;
    for (const std::uint32_t r : part.rows) {
        residuals = residuals || r < n_;
        conditions = conditions || (r >= n_ && r < hard_count());
    }
    for (std::size_t i = 0; i < in_.size(); ++i) jet_in_[i] = Jet(in_[i]);
    bool finite = true;
    const auto& colour = part.colouring.colour;
    for (std::uint32_t first = 0; first < part.colouring.count; first += kStartLanes) {
        const auto lane = [&](std::size_t k) { return colour[k] - first; };  // wraps for earlier colours
        for (std::size_t k = 0; k < part.columns.size(); ++k) {
            if (lane(k) < kStartLanes) jet_in_[slot_[part.columns[k]]].d[lane(k)] = 1.0;
        }
        if (residuals) m_.residual.evaluate<Jet>(jet_in_, jet_f_, jet_work_);
        if (conditions) tape_.evaluate<Jet>(jet_in_, jet_condition_f_, jet_condition_work_);
        std::size_t entry = 0;
        for (std::size_t i = 0; i < part.rows.size(); ++i) {
            const std::uint32_t r = part.rows[i];
            for (const std::uint32_t k : part.pattern.row(i)) {
                const std::size_t e = entry++;
                const std::uint32_t d = lane(k);
                if (d >= kStartLanes) continue;
                if (r < n_) {
                    entries[e] = jet_f_[r].d[d];
                } else if (r < hard_count()) {
                    entries[e] = jet_condition_f_[2 * (r - n_)].d[d] - jet_condition_f_[2 * (r - n_) + 1].d[d];
                } else {
                    entries[e] = 1.0;
                }
                finite = finite && std::isfinite(entries[e]);
            }
        }
        for (const std::uint32_t c : part.columns) jet_in_[slot_[c]].d = {};
    }
    return finite;
}

std::vector<double> StartProblem::rounding(const Colours& part, std::span<const double> x) {
    put(part, x);
    const std::vector<double> residuals = m_.residual.rounding(in_);
    const std::vector<double> both = tape_.rounding(in_);
    std::vector<double> result;
    for (const std::uint32_t r : part.rows) {
        const std::size_t side = 2 * (r - n_);
        result.push_back(r < n_ ? residuals[r] : r < hard_count() ? both[side] + both[side + 1] : 0.0);
    }
    return result;
}

StartProblem::Sides StartProblem::sides(std::uint32_t row) {
    if (row < n_) {
        m_.residual.evaluate<double>(in_, f_, work_);
        return {f_[row], 0.0};
    }
    if (row >= hard_count()) return {value(row - default_row(0)), kept_[row - default_row(0)]};
    tape_.evaluate<double>(in_, condition_f_, condition_work_);
    return {condition_f_[2 * (row - n_)], condition_f_[2 * (row - n_) + 1]};
}

std::vector<double> StartProblem::terms() {
    std::vector<double> result = m_.residual.rounding(in_);
    const std::vector<double> both = tape_.rounding(in_);
    for (std::size_t k = 0; k < conditions_.size(); ++k) result.push_back(both[2 * k] + both[2 * k + 1]);
    for (double& x : result) x /= std::numeric_limits<double>::epsilon();
    return result;
}

std::vector<double> StartProblem::jacobian() {
    std::vector<std::uint32_t> rows(row_count());
    std::vector<std::uint32_t> columns(column_count());
    std::iota(rows.begin(), rows.end(), 0U);
    std::iota(columns.begin(), columns.end(), 0U);
    const Colours all = part(rows, columns);
    std::vector<double> x(column_count());
    for (std::uint32_t c = 0; c < x.size(); ++c) x[c] = value(c);
    std::vector<double> entries(all.pattern.columns.size());
    jacobian(all, x, entries);
    for (double& e : entries) {
        if (!std::isfinite(e)) e = 0.0;
    }
    return entries;
}

}  // namespace bondgraph::simulation

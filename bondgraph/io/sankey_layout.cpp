// Layered layout in the manner of Sugiyama, Tagawa, Toda (1981): circles broken, columns by longest paths, dummies
// where a band passes a column, order by barycentres, positions by isotonic regression.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/io/sankey.hpp"

namespace bondgraph::io {
namespace {

constexpr double kColumn = 150.0;  // from one column to the next
constexpr double kBands = 300.0;   // height of the column with the most
constexpr double kGap = 22.0;      // between nodes: room for a line of text
constexpr double kPassingGap = 10.0;
constexpr double kMargin = 20.0;
constexpr double kTop = 56.0;
constexpr double kBottom = 46.0;
constexpr double kLane = 14.0;  // between bands that return
constexpr int kSweeps = 24;
constexpr int kRelaxations = 40;

/// A node in its column, or the place where a band passes one.
struct Item {
    std::size_t node = 0;
    bool passing = false;
    std::size_t column = 0;
    double amount = 0.0;
    double height = 0.0;
    double y = 0.0;
};

/// A piece of a flow between neighbouring columns; `offset`s are from the tops of its items.
struct Piece {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t flow = 0;
    double amount = 0.0;
    double offset_from = 0.0;
    double offset_to = 0.0;
};

/// The flows that close circles: those that lead back to a node still being visited by a depth-first search.
class Circles {
   public:
    explicit Circles(const Sankey& diagram)
        : diagram_(diagram), closing_(diagram.flows.size(), false), state_(diagram.nodes.size(), State::fresh) {
        std::vector<bool> entered(diagram.nodes.size(), false);
        for (const SankeyFlow& flow : diagram.flows) entered[flow.to] = true;
        for (const bool second : {false, true}) {
            for (std::size_t n = 0; n < state_.size(); ++n) {
                if (entered[n] == second && state_[n] == State::fresh) visit(n);
            }
        }
    }
    [[nodiscard]] const std::vector<bool>& closing() const { return closing_; }

   private:
    enum class State : std::uint8_t { fresh, open, done };

    // A stack of our own: bond graphs may be chains of thousands of junctions.
    void visit(std::size_t root) {
        std::vector<std::pair<std::size_t, std::size_t>> stack{{root, 0}};
        state_[root] = State::open;
        while (!stack.empty()) {
            const auto [node, begin] = stack.back();
            std::size_t f = begin;
            while (f < diagram_.flows.size() && diagram_.flows[f].from != node) ++f;
            if (f == diagram_.flows.size()) {
                state_[node] = State::done;
                stack.pop_back();
                continue;
            }
            stack.back().second = f + 1;
            const std::size_t to = diagram_.flows[f].to;
            if (state_[to] == State::open) closing_[f] = true;
            if (state_[to] != State::fresh) continue;
            state_[to] = State::open;
            stack.emplace_back(to, 0);
        }
    }

    const Sankey& diagram_;
    std::vector<bool> closing_;
    std::vector<State> state_;
};

std::vector<std::size_t> columns_of(const Sankey& diagram, const std::vector<bool>& closing) {
    std::vector<std::size_t> column(diagram.nodes.size(), 0);
    std::vector<bool> leaves(diagram.nodes.size(), false);
    std::size_t last = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t f = 0; f < diagram.flows.size(); ++f) {
            const SankeyFlow& flow = diagram.flows[f];
            leaves[flow.from] = true;
            if (closing[f] || column[flow.to] > column[flow.from]) continue;
            column[flow.to] = column[flow.from] + 1;
            last = std::max(last, column[flow.to]);
            changed = true;
        }
    }
    for (std::size_t n = 0; n < column.size(); ++n) {
        if (!leaves[n]) column[n] = std::max<std::size_t>(last, 1);
    }
    return column;
}

/// The positions nearest to those wanted that keep an order and distances (pool adjacent violators).
void settle(std::vector<double>& y, const std::vector<double>& room, double height) {
    struct Block {
        double sum = 0.0;
        double count = 0.0;
        [[nodiscard]] double mean() const { return sum / count; }
    };
    std::vector<Block> blocks;
    double offset = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        blocks.push_back({y[k] - offset, 1.0});
        offset += room[k];
        while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
            blocks[blocks.size() - 2].sum += blocks.back().sum;
            blocks[blocks.size() - 2].count += blocks.back().count;
            blocks.pop_back();
        }
    }
    const double most = std::max(height - offset, 0.0);
    std::size_t k = 0;
    double before = 0.0;
    for (const Block& block : blocks) {
        for (double left = block.count; left > 0.5; left -= 1.0, ++k) {
            y[k] = std::clamp(block.mean(), 0.0, most) + before;
            before += room[k];
        }
    }
}

class Layout {
   public:
    explicit Layout(const Sankey& diagram)
        : diagram_(diagram), closing_(Circles(diagram).closing()), column_(columns_of(diagram, closing_)) {
        make_items();
        order();
        position();
        attach();
    }

    [[nodiscard]] SankeyLayout result() const;

   private:
    using Pieces = std::vector<std::vector<std::size_t>>;  // per item

    void make_items();
    void order();
    void sweep(bool forward);
    [[nodiscard]] double crossings() const;
    void position();
    void relax(bool forward);
    void attach();
    [[nodiscard]] double room_of(std::size_t item) const {
        return items_[item].height + (items_[item].passing ? kPassingGap : kGap);
    }
    void route_return(std::size_t flow, double lane, SankeyLayout& layout) const;

    const Sankey& diagram_;
    std::vector<bool> closing_;
    std::vector<std::size_t> column_;
    std::vector<Item> items_;  // the nodes first
    std::vector<Piece> pieces_;
    Pieces entering_, leaving_;
    std::vector<std::vector<std::size_t>> columns_;
    std::vector<std::size_t> place_;  // of an item in its column
    std::vector<double> in_, out_;    // amounts at nodes, returning flows included
    double scale_ = 1.0;
    double height_ = 0.0;
};

void Layout::make_items() {
    const std::size_t nodes = diagram_.nodes.size();
    in_.assign(nodes, 0.0);
    out_.assign(nodes, 0.0);
    for (const SankeyFlow& flow : diagram_.flows) {
        out_[flow.from] += flow.amount;
        in_[flow.to] += flow.amount;
    }
    for (std::size_t n = 0; n < nodes; ++n) items_.push_back({n, false, column_[n], std::max(in_[n], out_[n])});
    for (std::size_t f = 0; f < diagram_.flows.size(); ++f) {
        const SankeyFlow& flow = diagram_.flows[f];
        if (closing_[f]) continue;
        std::size_t at = flow.from;
        for (std::size_t c = column_[flow.from] + 1; c < column_[flow.to]; ++c) {
            items_.push_back({0, true, c, flow.amount});
            pieces_.push_back({at, items_.size() - 1, f, flow.amount});
            at = items_.size() - 1;
        }
        pieces_.push_back({at, flow.to, f, flow.amount});
    }
    entering_.resize(items_.size());
    leaving_.resize(items_.size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
        leaving_[pieces_[p].from].push_back(p);
        entering_[pieces_[p].to].push_back(p);
    }
}

/// Σ over crossing pairs of the narrower band's amount.
double Layout::crossings() const {
    double sum = 0.0;
    for (const auto& column : columns_) {
        std::vector<const Piece*> pieces;
        for (const std::size_t item : column) {
            for (const std::size_t p : leaving_[item]) pieces.push_back(&pieces_[p]);
        }
        for (std::size_t a = 0; a < pieces.size(); ++a) {
            for (std::size_t b = a + 1; b < pieces.size(); ++b) {
                if (pieces[a]->from != pieces[b]->from && place_[pieces[a]->to] > place_[pieces[b]->to])
                    sum += std::min(pieces[a]->amount, pieces[b]->amount);
            }
        }
    }
    return sum;
}

void Layout::sweep(bool forward) {
    const std::size_t count = columns_.size();
    for (std::size_t step = 0; step < count; ++step) {
        auto& column = columns_[forward ? step : count - 1 - step];
        std::vector<double> centre(items_.size(), 0.0);
        for (const std::size_t item : column) {
            const auto& pieces = forward ? entering_[item] : leaving_[item];
            double weight = 0.0;
            for (const std::size_t p : pieces) {
                const std::size_t other = forward ? pieces_[p].from : pieces_[p].to;
                const double size = static_cast<double>(columns_[items_[other].column].size());
                centre[item] += pieces_[p].amount * (static_cast<double>(place_[other]) + 0.5) / size;
                weight += pieces_[p].amount;
            }
            const double own = (static_cast<double>(place_[item]) + 0.5) / static_cast<double>(column.size());
            centre[item] = weight > 0.0 ? centre[item] / weight : own;
        }
        std::stable_sort(column.begin(), column.end(),
                         [&](std::size_t a, std::size_t b) { return centre[a] < centre[b] - 1e-9; });
        for (std::size_t k = 0; k < column.size(); ++k) place_[column[k]] = k;
    }
}

void Layout::order() {
    std::size_t count = 0;
    for (const Item& item : items_) count = std::max(count, item.column + 1);
    columns_.resize(count);
    place_.resize(items_.size());
    for (std::size_t k = 0; k < items_.size(); ++k) {
        place_[k] = columns_[items_[k].column].size();
        columns_[items_[k].column].push_back(k);
    }
    auto best = columns_;
    double least = crossings();
    for (int k = 0; k < kSweeps && least > 0.0; ++k) {
        sweep(k % 2 == 0);
        const double now = crossings();
        if (now < least * (1.0 - 1e-9)) {
            least = now;
            best = columns_;
        }
    }
    columns_ = best;
    for (const auto& column : columns_) {
        for (std::size_t k = 0; k < column.size(); ++k) place_[column[k]] = k;
    }
}

void Layout::relax(bool forward) {
    for (std::size_t step = 0; step < columns_.size(); ++step) {
        const auto& column = columns_[forward ? step : columns_.size() - 1 - step];
        std::vector<double> wanted;
        std::vector<double> room;
        for (const std::size_t item : column) {
            const auto& pieces = forward ? entering_[item] : leaving_[item];
            double weight = 0.0;
            double sum = 0.0;
            for (const std::size_t p : pieces) {
                const Piece& piece = pieces_[p];
                // So that the band lies level.
                const double level = forward ? items_[piece.from].y + piece.offset_from - piece.offset_to
                                             : items_[piece.to].y + piece.offset_to - piece.offset_from;
                sum += piece.amount * level;
                weight += piece.amount;
            }
            wanted.push_back(weight > 0.0 ? sum / weight : items_[item].y);
            room.push_back(room_of(item));
        }
        settle(wanted, room, height_ + kGap);
        for (std::size_t k = 0; k < column.size(); ++k) items_[column[k]].y = wanted[k];
    }
}

void Layout::position() {
    double most = 0.0;
    for (const auto& column : columns_) {
        double amount = 0.0;
        for (const std::size_t item : column) amount += items_[item].amount;
        most = std::max(most, amount);
    }
    scale_ = most > 0.0 ? kBands / most : 1.0;
    for (Item& item : items_) item.height = item.amount * scale_;
    for (const auto& column : columns_) {
        double sum = -kGap;
        for (const std::size_t item : column) sum += room_of(item);
        height_ = std::max(height_, sum);
    }
    for (const auto& column : columns_) {
        double y = 0.0;
        for (const std::size_t item : column) {
            items_[item].y = y;
            y += room_of(item);
        }
    }
    attach();
    for (int k = 0; k < kRelaxations; ++k) relax(k % 2 == 0);
}

/// Bands leave and enter a bar in the order of where they go to and come from.
void Layout::attach() {
    for (std::size_t item = 0; item < items_.size(); ++item) {
        auto& out = leaving_[item];
        std::stable_sort(out.begin(), out.end(),
                         [&](std::size_t a, std::size_t b) { return place_[pieces_[a].to] < place_[pieces_[b].to]; });
        double offset = 0.0;
        for (const std::size_t p : out) {
            pieces_[p].offset_from = offset;
            offset += pieces_[p].amount * scale_;
        }
        auto& in = entering_[item];
        std::stable_sort(in.begin(), in.end(), [&](std::size_t a, std::size_t b) {
            return place_[pieces_[a].from] < place_[pieces_[b].from];
        });
        offset = 0.0;
        for (const std::size_t p : in) {
            pieces_[p].offset_to = offset;
            offset += pieces_[p].amount * scale_;
        }
    }
}

double longest_text(const Sankey& diagram, const std::vector<SankeyBar>& bars, bool SankeyBar::*side) {
    double room = 0.0;
    for (std::size_t n = 0; n < bars.size(); ++n) {
        if (!(bars[n].*side)) continue;
        const auto length = utf8_count(diagram.nodes[n].name) + utf8_count(diagram.nodes[n].note) + 1;
        room = std::max(room, kSankeyCharacter * static_cast<double>(length) + kMargin);
    }
    return room;
}

/// Out of the bar, round below everything and into the other bar, at the lower ends of both.
void Layout::route_return(std::size_t flow, double lane, SankeyLayout& layout) const {
    const SankeyFlow& f = diagram_.flows[flow];
    const SankeyBar& from = layout.bars[f.from];
    const SankeyBar& to = layout.bars[f.to];
    SankeyBand& band = layout.bands[flow];
    band.returns = true;
    const double w = f.amount * scale_;
    double below_from = 0.0;
    double below_to = 0.0;
    for (std::size_t k = flow + 1; k < diagram_.flows.size(); ++k) {
        if (!closing_[k]) continue;
        if (diagram_.flows[k].from == f.from) below_from += diagram_.flows[k].amount * scale_;
        if (diagram_.flows[k].to == f.to) below_to += diagram_.flows[k].amount * scale_;
    }
    const double leave = from.y + out_[f.from] * scale_ - below_from - w;
    const double enter = to.y + in_[f.to] * scale_ - below_to - w;
    band.points = {{from.x + kSankeyBar, leave}, {from.x + kSankeyBar, lane}, {to.x, lane}, {to.x, enter}};
}

SankeyLayout Layout::result() const {
    SankeyLayout layout;
    for (std::size_t n = 0; n < diagram_.nodes.size(); ++n)
        layout.bars.push_back({0.0, kTop + items_[n].y, items_[n].height, in_[n] == 0.0, out_[n] == 0.0});
    layout.left = std::max(longest_text(diagram_, layout.bars, &SankeyBar::begins), kMargin);
    const double right = std::max(longest_text(diagram_, layout.bars, &SankeyBar::ends), kMargin);
    const auto x_of = [&](std::size_t column) { return layout.left + kColumn * static_cast<double>(column); };
    for (std::size_t n = 0; n < layout.bars.size(); ++n) layout.bars[n].x = x_of(column_[n]);
    layout.bands.resize(diagram_.flows.size());
    for (const Piece& piece : pieces_) {
        SankeyBand& band = layout.bands[piece.flow];
        band.points.push_back(
            {x_of(items_[piece.from].column) + kSankeyBar, kTop + items_[piece.from].y + piece.offset_from});
        band.points.push_back({x_of(items_[piece.to].column), kTop + items_[piece.to].y + piece.offset_to});
    }
    double bottom = kTop + height_;
    for (std::size_t f = 0; f < diagram_.flows.size(); ++f) {
        layout.bands[f].width = diagram_.flows[f].amount * scale_;
        if (!closing_[f]) continue;
        route_return(f, bottom + kLane, layout);
        bottom += kLane + layout.bands[f].width;
    }
    const std::size_t columns = columns_.empty() ? 1 : columns_.size();
    layout.width = x_of(columns - 1) + kSankeyBar + right;
    layout.height = bottom + kBottom;
    return layout;
}

}  // namespace

SankeyLayout lay_out(const Sankey& diagram) { return Layout(diagram).result(); }

}  // namespace bondgraph::io

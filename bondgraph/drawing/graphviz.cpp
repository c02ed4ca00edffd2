#include "bondgraph/drawing/graphviz.hpp"

#include <fmt/format.h>
#include <gvc.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

// Graphviz doesn't free all it allocates for a layout. That is no finding about this program.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
using LeaksOfGraphviz = __lsan::ScopedDisabler;
#else
struct LeaksOfGraphviz {};
#endif

namespace bondgraph::drawing {
namespace {

constexpr double kInch = 72.0;

struct FreeContext {
    void operator()(GVC_t* context) const { gvFreeContext(context); }
};

// cgraph takes its texts as char* and copies them.
char* text(const std::string& s) { return const_cast<char*>(s.c_str()); }
char* text(const char* s) { return const_cast<char*>(s); }

void set(void* object, const char* name, const std::string& value) {
    agsafeset(object, text(name), text(value), text(""));
}

std::string inches(double points) { return fmt::format("{:.5f}", points / kInch); }

/// Graphviz says on standard error what it thinks of a graph; nobody who draws a model needs to know.
int discard(char* /*message*/) { return 0; }

/// The ids of a graph's objects, counted in the order in which they are named. Graphviz's own are addresses of their
/// names, by which it orders what is equal otherwise: pictures with rings would differ from run to run.
class CountedIds {
   public:
    static Agdisc_t* discipline() {
        static Agiddisc_t ids{open, map, no_id, forget, name, close, ignore};
        static Agdisc_t all{nullptr, &ids, nullptr};
        return &all;
    }

   private:
    static void* open(Agraph_t* /*graph*/, Agdisc_t* /*discipline*/) { return new CountedIds; }
    static void close(void* state) { delete static_cast<CountedIds*>(state); }
    static long no_id(void* /*state*/, int /*type*/, IDTYPE /*id*/) { return 0; }
    static void forget(void* /*state*/, int /*type*/, IDTYPE /*id*/) {}
    static void ignore(void* /*state*/, int /*type*/, void* /*object*/) {}

    static long map(void* state, int /*type*/, char* text, IDTYPE* id, int create) {
        auto& ids = *static_cast<CountedIds*>(state);
        const auto known = text == nullptr ? ids.of_.end() : ids.of_.find(text);
        if (known != ids.of_.end()) {
            *id = known->second;
            return 1;
        }
        if (create == 0) return 0;
        *id = ++ids.last_;
        if (text != nullptr) ids.names_[*id] = ids.of_.emplace(text, *id).first->first;
        return 1;
    }

    static char* name(void* state, int /*type*/, IDTYPE id) {
        auto& names = static_cast<CountedIds*>(state)->names_;
        const auto at = names.find(id);
        return at == names.end() ? nullptr : at->second.data();
    }

    std::map<std::string, IDTYPE> of_;
    std::map<IDTYPE, std::string> names_;
    IDTYPE last_ = 0;
};

class DotGraph {
   public:
    explicit DotGraph(const RankedGraph& graph)
        : asked_(graph), context_(gvContext()), graph_(agopen(text("picture"), Agdirected, CountedIds::discipline())) {
        agseterrf(discard);
        agattr(graph_, AGNODE, text("shape"), text("box"));
        agattr(graph_, AGNODE, text("fixedsize"), text("true"));
        agattr(graph_, AGNODE, text("label"), text(""));
        set(graph_, "rankdir", "LR");
        set(graph_, "nodesep", inches(graph.node_gap));
        set(graph_, "ranksep", inches(graph.rank_gap));
        set(graph_, "splines", "none");  // lines are found afterwards, when everything has its place
        add_frames();
        add_nodes();
        add_edges();
    }
    ~DotGraph() {
        if (laid_out_) gvFreeLayout(context_.get(), graph_);
        agclose(graph_);
    }
    DotGraph(const DotGraph&) = delete;
    DotGraph& operator=(const DotGraph&) = delete;

    RankedLayout lay_out() {
        if (gvLayout(context_.get(), graph_, "dot") != 0)
            throw std::runtime_error("Graphviz could not lay the picture out: is its plug-in 'dot' installed?");
        laid_out_ = true;
        RankedLayout layout;
        for (Agnode_t* node : nodes_) layout.nodes.push_back(point(ND_coord(node)));
        for (Agraph_t* frame : frames_) {
            const boxf box = GD_bb(frame);
            const Point low = point(box.LL);
            const Point high = point(box.UR);
            layout.frames.push_back({0.5 * (low + high), high.x - low.x, low.y - high.y});
        }
        return layout;
    }

   private:
    void add_frames() {
        for (std::size_t i = 0; i < asked_.frames.size(); ++i) {
            const std::uint32_t parent = asked_.frames[i].parent;
            Agraph_t* outer = parent < frames_.size() ? frames_[parent] : graph_;
            Agraph_t* frame = agsubg(outer, text(fmt::format("cluster_{}", i)), 1);
            set(frame, "margin", fmt::format("{:.1f}", asked_.frame_margin));
            frames_.push_back(frame);
        }
    }

    void add_nodes() {
        for (std::size_t i = 0; i < asked_.nodes.size(); ++i) {
            const RankedGraph::Node& asked = asked_.nodes[i];
            Agnode_t* node = agnode(graph_, text(fmt::format("n{}", i)), 1);
            set(node, "width", inches(asked.width));
            set(node, "height", inches(asked.height));
            if (asked.frame < frames_.size()) agsubnode(frames_[asked.frame], node, 1);
            nodes_.push_back(node);
        }
    }

    void add_edges() {
        for (std::size_t i = 0; i < asked_.edges.size(); ++i) {
            const RankedGraph::Edge& asked = asked_.edges[i];
            Agedge_t* edge = agedge(graph_, nodes_[asked.from], nodes_[asked.to], text(fmt::format("e{}", i)), 1);
            set(edge, "weight", fmt::format("{}", asked.weight));
            set(edge, "constraint", asked.directed ? "true" : "false");
        }
    }

    static Point point(pointf p) { return {p.x, -p.y}; }

    const RankedGraph& asked_;
    std::unique_ptr<GVC_t, FreeContext> context_;
    Agraph_t* graph_;
    std::vector<Agraph_t*> frames_;
    std::vector<Agnode_t*> nodes_;
    bool laid_out_ = false;
};

}  // namespace

RankedLayout rank_layout(const RankedGraph& graph) {
    [[maybe_unused]] const LeaksOfGraphviz tolerated;
    return DotGraph(graph).lay_out();
}

}  // namespace bondgraph::drawing

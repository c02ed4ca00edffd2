// Junctions and two-ports: the power-conserving structure. Karnopp, Margolis, Rosenberg: System Dynamics, ch. 3.

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;

namespace {

// e1 = Mᵀ e2, f2 = M f1: power e1·f1 = e2·f2 for every M.
void transformer_law(LawContext& k) {
    k.equations(k.effort(0), k.transposed_product("m", k.effort(1), k.size(0)));
    k.equations(k.flow(1), k.product("m", k.flow(0), k.size(1)));
}

// e1 = Rᵀ f2, e2 = R f1.
void gyrator_law(LawContext& k) {
    k.equations(k.effort(0), k.transposed_product("r", k.flow(1), k.size(0)));
    k.equations(k.effort(1), k.product("r", k.flow(0), k.size(1)));
}

const std::vector<PortSpec> kTwoPorts{{"p1", PortDirection::in, "power flows in"},
                                      {"p2", PortDirection::out, "power flows out"}};

}  // namespace

const ComponentType kJunction0{
    .name = "0",
    .structure = Structure::junction0,
    .summary = "Common effort: all bonds have one effort, the flows (into the junction positive) sum to zero.",
    .law_text = "e1 = e2 = … = en,  Σ ± f = 0 (sign by half arrow)",
    .example = "node: {type: 0}",
    .pattern = PortPattern::junction,
    .source = kKarnopp,
};

const ComponentType kJunction1{
    .name = "1",
    .structure = Structure::junction1,
    .summary = "Common flow: all bonds have one flow, the efforts (into the junction positive) sum to zero.",
    .law_text = "f1 = f2 = … = fn,  Σ ± e = 0 (sign by half arrow)",
    .example = "loop: {type: 1}",
    .pattern = PortPattern::junction,
    .source = kKarnopp,
};

const ComponentType kTransformer{
    .name = "TF",
    .structure = Structure::transformer,
    .summary = "Transformer: lever, gear, piston, ideal transformer. A signal in m makes it modulated (MTF).",
    .law_text = "e1 = m e2,  f2 = m f1;  matrix: e1 = Mᵀ e2, f2 = M f1",
    .example = "gear: {type: TF, m: 0.2}",
    .ports = kTwoPorts,
    .parameters = {{.name = "m",
                    .doc = "modulus e1/e2 = f2/f1 (rows of a matrix: components of p2)",
                    .dimension = {.e = 1, .e2 = -1}}},
    .law = transformer_law,
    .source = kKarnopp,
};

const ComponentType kGyrator{
    .name = "GY",
    .structure = Structure::gyrator,
    .summary = "Gyrator: motor constant, pump, gyroscope. A signal in r makes it modulated (MGY).",
    .law_text = "e1 = r f2,  e2 = r f1;  matrix: e1 = Rᵀ f2, e2 = R f1",
    .example = "emf: {type: GY, r: 0.05 N.m/A}",
    .ports = kTwoPorts,
    .parameters = {{.name = "r",
                    .doc = "gyration e2/f1 = e1/f2 (rows of a matrix: components of p2)",
                    .dimension = {.f = -1, .e2 = 1}}},
    .law = gyrator_law,
    .source = kKarnopp,
};

const ComponentType kSymplecticGyrator{
    .name = "SGY",
    .structure = Structure::gyrator,
    .summary = "Symplectic gyrator: the gyrator with unit modulus, which exchanges effort and flow.",
    .law_text = "e1 = f2,  f1 = e2",
    .example = "sg: {type: SGY}",
    .ports = kTwoPorts,
    .law =
        [](LawContext& k) {
            k.equations(k.effort(0), k.flow(1));
            k.equations(k.effort(1), k.flow(0));
        },
    .source = "Breedveld: Physical Systems Theory in Terms of Bond Graphs, 1984",
};

}  // namespace bondgraph::elements

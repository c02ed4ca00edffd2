// Shapes that have their form from files: whatever the format, unit, axes and place of the file, what moves is the
// same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/command.hpp"
#include "tests/support/forms.hpp"

namespace bondgraph::cli {
namespace {

using test::angle_iron;
using test::angle_iron_facets;
using test::Corner;
using test::Facet;
using test::Facets;
using testing::HasSubstr;
using testing::Not;

/// A body that tumbles, and what it shows.
std::string tumbling(const std::string& shapes, const std::string& types = "") {
    return "model: tumbling\n" + types + R"(components:
  world: {type: World, gravity: none}
  ball:  {type: Spherical, initial: {angles: [10 deg, 20 deg, 30 deg], w: [1, 2, 3]}}
  body:  {type: BodyShape, r: [0.3 m, 0, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 2 kg.m2, I_33: 3 kg.m2, shapes: )" +
           shapes + R"(}
connect: [[world.frame_b, ball.frame_a], [ball.frame_b, body.frame_a]]
experiment: {stop: 0.4 s, interval: 0.2 s}
)";
}

/// All formats of one form, in its own unit and in thousandths.
void write_forms(const Folder& folder) {
    folder.write("a.stl", test::stl_text(angle_iron_facets()));
    folder.write("b.stl", test::stl_bytes(angle_iron_facets()));
    folder.write("c.obj", test::obj_text(angle_iron()));
    const test::GltfForm form = test::gltf_form(angle_iron_facets());
    folder.write("d.gltf", test::gltf_embedded(form));
    folder.write("e.glb", test::glb_bytes(form));
    folder.write("f.gltf", test::with_uri(form, "parts/f.bin"));
    folder.write("parts/f.bin", form.buffer);
    folder.write("mm.stl", test::stl_text(angle_iron_facets(), 1000.0));
}

nlohmann::json animation_in(const Folder& folder, const std::string& model, const std::string& name = "m.yaml") {
    folder.write(name, model);
    const Outcome run = folder.run({"run", name, "--animation", "a.json", "--quiet"});
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(folder.read("a.json"));
}

Eigen::Vector3d vector_of(const nlohmann::json& v) { return Eigen::Vector3d(v[0], v[1], v[2]); }

/// What a component's forms are in the world at an output time.
Facets in_the_world(const nlohmann::json& animation, const std::string& component, std::size_t row) {
    Facets facets;
    for (const auto& s : animation["shapes"]) {
        if (s["component"] != component || s["shape"] != "mesh") continue;
        const auto& mesh = animation["meshes"][s["mesh"].get<std::size_t>()];
        const Eigen::Vector3d x = vector_of(s["x"][row]);
        const Eigen::Vector3d size = vector_of(s["size"][row]);
        Eigen::Matrix3d R;
        for (int k = 0; k < 3; ++k) R.row(k) = vector_of(s["R"][row][static_cast<std::size_t>(k)]).transpose();
        for (const auto& part : mesh["parts"]) {
            for (const auto& t : part["triangles"]) {
                Facet f;
                for (std::size_t k = 0; k < 3; ++k)
                    f[k] = x + R.transpose() * vector_of(mesh["vertices"][t[k].get<std::size_t>()]).cwiseProduct(size);
                facets.push_back(f);
            }
        }
    }
    return facets;
}

/// Which corners there are, and how the solid lies: by its moment and volume.
void expect_same_solid(const Facets& one, const Facets& other) {
    ASSERT_EQ(one.size(), 20U);
    ASSERT_EQ(other.size(), 20U);
    EXPECT_NEAR(test::signed_volume(one), test::signed_volume(other), 1e-5);
    EXPECT_LT((test::surface_moment(one) - test::surface_moment(other)).norm(), 1e-5);
    for (const Facet& f : one) {
        for (const Corner& c : f) {
            EXPECT_TRUE(std::ranges::any_of(other, [&](const Facet& g) {
                return std::ranges::any_of(g, [&](const Corner& d) { return (c - d).norm() < 1e-5; });
            })) << c.transpose();
        }
    }
}

class ShapeFiles : public testing::Test {
   protected:
    void SetUp() override { write_forms(folder); }

    /// Two lists of shapes of the same body: the same solid at every output time.
    void expect_same(const std::string& one, const std::string& other, const std::string& head = "") {
        const auto a = animation_in(folder, tumbling(one, head));
        const auto b = animation_in(folder, tumbling(other, head));
        for (std::size_t row = 0; row < 3; ++row)
            expect_same_solid(in_the_world(a, "body", row), in_the_world(b, "body", row));
        EXPECT_GT((test::surface_moment(in_the_world(a, "body", 0)) - test::surface_moment(in_the_world(a, "body", 2)))
                      .norm(),
                  0.1);
    }

    Folder folder;
};

TEST_F(ShapeFiles, AreTheSameSolidInEveryFormat) {
    for (const char* name : {"b.stl", "c.obj", "d.gltf", "e.glb", "f.gltf"}) {
        SCOPED_TRACE(name);
        expect_same("[{file: a.stl, frame: frame_a}]", "[{file: " + std::string(name) + ", frame: frame_a}]");
    }
}

TEST_F(ShapeFiles, HaveTheUnitThatTheScaleIs) {
    expect_same("[{file: a.stl, frame: frame_a}]", "[{file: mm.stl, frame: frame_a, scale: 1 mm}]");
    expect_same("[{file: a.stl, frame: frame_a, scale: 2}]", "[{file: mm.stl, frame: frame_a, scale: 2 mm}]");
}

TEST_F(ShapeFiles, LieInTheAxesOfTheFrame) {
    const auto a = animation_in(folder, tumbling("[{file: a.stl, frame: frame_a, r: [0.1 m, 0.2 m, 0.3 m]},\n"
                                                 "    {shape: box, frame: frame_a, r: [0.1 m, 0.2 m, 0.3 m], length: "
                                                 "1, width: 1, height: 1}]"));
    for (std::size_t row = 0; row < 3; ++row) {
        const auto& box = a["shapes"].back();
        ASSERT_EQ(box["shape"], "box");
        Eigen::Matrix3d R;
        for (int k = 0; k < 3; ++k) R.row(k) = vector_of(box["R"][row][static_cast<std::size_t>(k)]).transpose();
        Facets placed = angle_iron_facets();
        for (Facet& f : placed) {
            for (Corner& c : f) c = vector_of(box["x"][row]) + R.transpose() * c;
        }
        expect_same_solid(in_the_world(a, "body", row), placed);
    }
}

TEST_F(ShapeFiles, HaveTheirXAlongTheLengthAndTheirYAlongTheWidth) {
    Facets turned = angle_iron_facets();
    for (Facet& f : turned) {
        for (Corner& c : f) c = Corner(-c.z(), -c.x(), c.y());
    }
    folder.write("turned.stl", test::stl_text(turned));
    expect_same("[{file: a.stl, frame: frame_a}]",
                "[{file: turned.stl, frame: frame_a, lengthDirection: [0, 0, -2], widthDirection: [-1, 0, 0]}]");
}

TEST_F(ShapeFiles, LieTheSameWhetherADirectionIsKnownBeforeOrNot) {
    for (const char* direction : {"[1, 2, 3]", "[-1, 0, 0]", "[0, 3, 0]", "[0, -1, 0]"}) {
        SCOPED_TRACE(direction);
        std::string hidden = direction;  // no text tells that this is 0
        hidden.replace(hidden.find(','), 1, " + 1e-30*time/T,");
        expect_same(std::string("[{file: a.stl, frame: frame_a, lengthDirection: ") + direction + "}]",
                    "[{file: a.stl, frame: frame_a, lengthDirection: " + hidden + "}]", "parameters: {T: 1 s}\n");
    }
}

TEST_F(ShapeFiles, MoveWithTheOtherFrame) {
    expect_same("[{file: a.stl, frame: frame_a, r: [0.3 m, 0, 0]}]", "[{file: a.stl, frame: frame_b}]");
}

constexpr const char* kLinkType = R"(types:
  Link:
    parameters: {unit: 1 mm, l: 0.3 m, off: 0 m}
    connectors: {frame_a: frame, frame_b: frame}
    components: {rod: {type: BodyShape, r: [l, 0, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 2 kg.m2, I_33: 3 kg.m2, shapes: []}}
    connect: [[frame_a, rod.frame_a], [frame_b, rod.frame_b]]
    shapes: [{file: FILE, frame: frame_a, scale: unit, r: [off, 0, 0]}]
)";

std::string link_with(const std::string& file) {
    std::string text = kLinkType;
    return text.replace(text.find("FILE"), 4, file);
}

std::string tumbling_link(const std::string& head, const std::string& link) {
    std::string text = tumbling("[]", head);
    const std::size_t begin = text.find("  body:");
    return text.replace(begin, text.find('\n', begin) - begin, "  body: " + link);
}

TEST_F(ShapeFiles, OfATypeAreThoseOfItsInstances) {
    const auto a = animation_in(folder, tumbling("[{file: mm.stl, frame: frame_a, scale: 1 mm}]"));
    const auto b = animation_in(folder, tumbling_link(link_with("mm.stl"), "{type: Link}"));
    EXPECT_EQ(b["meshes"].size(), 1U);
    for (const auto& s : b["shapes"]) EXPECT_NE(s["component"], "body.rod");
    for (std::size_t row = 0; row < 3; ++row)
        expect_same_solid(in_the_world(a, "body", row), in_the_world(b, "body", row));
    const auto c = animation_in(folder, tumbling_link(link_with("a.stl"), "{type: Link, unit: 1 m}"));
    for (std::size_t row = 0; row < 3; ++row)
        expect_same_solid(in_the_world(a, "body", row), in_the_world(c, "body", row));
}

TEST_F(ShapeFiles, AreBesideTheFileThatNamesThem) {
    folder.write("lib/links.yaml", link_with("forms/iron.stl"));
    folder.write("lib/forms/iron.stl", test::stl_text(angle_iron_facets(), 1000.0));
    folder.write("models/forms/iron.stl", test::stl_text(angle_iron_facets(), 10.0));  // of another
    const auto a = animation_in(folder, tumbling("[{file: a.stl, frame: frame_a}]"));
    const std::string import = "import: {parts: ../lib/links.yaml}\n";
    const auto b = animation_in(folder, tumbling_link(import, "{type: parts.Link}"), "models/m.yaml");
    const auto heir = "import: {parts: ../lib/links.yaml}\ntypes: {Own: {extends: parts.Link}}\n";
    const auto c = animation_in(folder, tumbling_link(heir, "{type: Own}"), "models/n.yaml");
    for (std::size_t row = 0; row < 3; ++row) {
        expect_same_solid(in_the_world(a, "body", row), in_the_world(b, "body", row));
        expect_same_solid(in_the_world(a, "body", row), in_the_world(c, "body", row));
    }
}

TEST_F(ShapeFiles, OfAComponentTakeThePlaceOfWhatItShowsItself) {
    const auto kinds = [&](const std::string& model) {
        std::vector<std::string> found;
        const auto animation = animation_in(folder, model);
        for (const auto& s : animation["shapes"]) {
            if (s["component"].get<std::string>().starts_with("body"))
                found.push_back(s["component"].get<std::string>() + " " + s["shape"].get<std::string>());
        }
        return found;
    };
    using testing::ElementsAre;
    const std::string bare = tumbling("[]");
    EXPECT_THAT(kinds(bare), testing::IsEmpty());
    EXPECT_THAT(kinds(std::string(bare).replace(bare.find(", shapes: []"), 12, "")),
                ElementsAre("body cylinder", "body sphere"));
    EXPECT_THAT(kinds(tumbling("[{file: a.stl, frame: frame_a}, {shape: box, frame: frame_b, length: 1 m}]")),
                ElementsAre("body mesh", "body box"));
    const std::string link = link_with("a.stl");
    EXPECT_THAT(kinds(tumbling_link(link, "{type: Link}")), ElementsAre("body mesh"));
    EXPECT_THAT(kinds(tumbling_link(link, "{type: Link, shapes: [{shape: sphere, frame: rod.frame_b, length: 1 m}]}")),
                ElementsAre("body sphere"));
    EXPECT_THAT(kinds(tumbling_link(link, "{type: Link, shapes: []}")), testing::IsEmpty());
}

TEST_F(ShapeFiles, OfAComponentHaveTheNamesThatItsValuesHave) {
    std::string model = tumbling("[{file: a.stl, frame: frame_a, scale: unit}]", "parameters: {unit: 0.5 m}\n");
    EXPECT_EQ(animation_in(folder, model)["shapes"].back()["size"][0][0], 0.5);
    const std::string array = R"(model: row
parameters: {unit: 1 mm}
components:
  world: {type: World, gravity: none}
  at[3]: {type: FixedTranslation, r: [i, 0, 0], shapes: [{file: a.stl, frame: frame_b, r: [0, i, 0], scale: i*unit}]}
connect: [["world.frame_b", "at[1].frame_a", "at[2].frame_a", "at[3].frame_a"]]
experiment: {stop: 1 s, interval: 1 s}
)";
    const auto row = animation_in(folder, array);
    EXPECT_EQ(row["meshes"].size(), 1U);
    int found = 0;
    for (const auto& s : row["shapes"]) {
        if (s["shape"] != "mesh") continue;
        ++found;
        EXPECT_EQ(s["component"], "at[" + std::to_string(found) + "]");
        EXPECT_EQ(s["x"][0][0], found);
        EXPECT_EQ(s["x"][0][1], found);
        EXPECT_NEAR(s["size"][0][0].get<double>(), 0.001 * found, 1e-12);
    }
    EXPECT_EQ(found, 3);
}

TEST_F(ShapeFiles, AreThereOnceHoweverOftenTheyAreNamed) {
    const auto a = animation_in(
        folder, tumbling("[{file: a.stl, frame: frame_a}, {file: ./parts/../a.stl, frame: frame_b}, {file: b.stl, "
                         "frame: frame_a}]"));
    ASSERT_EQ(a["meshes"].size(), 2U);
    EXPECT_EQ(a["meshes"][0]["file"], "a.stl");
    EXPECT_EQ(a["meshes"][1]["file"], "b.stl");
}

TEST_F(ShapeFiles, ColoursAreTold) {
    const auto a = animation_in(folder, tumbling("[{file: d.gltf, frame: frame_a}, {file: a.stl, frame: frame_a}]"));
    EXPECT_EQ(a["meshes"][0]["parts"][0]["colour"], "#ff8000");
    EXPECT_FALSE(a["meshes"][1]["parts"][0].contains("colour"));
}

TEST_F(ShapeFiles, AreInCompiledModels) {
    folder.write("m.yaml", tumbling("[{file: d.gltf, frame: frame_a}, {file: mm.stl, frame: frame_b, scale: 1 mm}]"));
    ASSERT_EQ(folder.run({"compile", "m.yaml"}).status, 0);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--animation", "a.json", "--quiet"}).status, 0);
    for (const char* name : {"d.gltf", "mm.stl"}) std::filesystem::remove(folder.path() / name);
    ASSERT_EQ(folder.run({"run", "m.bgc", "--animation", "b.json", "--quiet"}).status, 0);
    EXPECT_EQ(folder.read("a.json"), folder.read("b.json"));
    EXPECT_THAT(folder.read("a.json"), HasSubstr("\"meshes\""));
}

TEST_F(ShapeFiles, LongArrowsAreAThirdOfWhatTheyShow) {
    // A force of 2 N on a body whose form is 3 m long, lying along the axes: the arrow is 1 m long.
    const std::string model = R"(model: pushed
components:
  world: {type: World, gravity: none}
  body: {type: Body, m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2, shapes: [{file: mm.stl, frame: frame_a, scale: 1 mm}]}
  load: {type: WorldForce, f: [0, 0, 2 N], shapes: SHAPES}
connect: [[load.frame_b, body.frame_a]]
experiment: {stop: 1 us, interval: 1 us}
)";
    const auto a = animation_in(folder, std::string(model).replace(model.find(", shapes: SHAPES"), 16, ""));
    EXPECT_NEAR(a["scale"]["force"].get<double>(), 2.0, 1e-6);
}

// ---- What is said

std::string repeated_facets(std::size_t count) {
    Facets many;
    // a sheet of squares in two triangles each
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(count) / 2.0));
    for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
            const auto x = static_cast<double>(i);
            const auto y = static_cast<double>(j);
            many.push_back({Corner(x, y, 0), Corner(x + 1, y, 0), Corner(x, y + 1, 0)});
            many.push_back({Corner(x + 1, y, 0), Corner(x + 1, y + 1, 0), Corner(x, y + 1, 0)});
        }
    }
    return test::stl_bytes(many);
}

TEST_F(ShapeFiles, LargeOnesAreShownCoarserAndSmallOnesAsTheyAre) {
    folder.write("large.stl", repeated_facets(180'000));
    folder.write("m.yaml", tumbling("[{file: large.stl, frame: frame_a, scale: 1 mm}, {file: a.stl, frame: frame_a}]"));
    const Outcome run = folder.run({"run", "m.yaml", "--animation", "a.json"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("'large.stl' has 180000 triangles"));
    EXPECT_THAT(run.err, HasSubstr("[BG-M098]"));
    EXPECT_THAT(run.err, Not(HasSubstr("'a.stl' has")));
    const auto a = nlohmann::json::parse(folder.read("a.json"));
    const std::size_t kept = a["meshes"][0]["parts"][0]["triangles"].size();
    EXPECT_GT(kept, 60'000U);
    EXPECT_LE(kept, 100'000U - 20U);
    EXPECT_EQ(a["meshes"][1]["parts"][0]["triangles"].size(), 20U);
    // It is still the sheet.
    Eigen::Vector3d low = Eigen::Vector3d::Constant(1e9);
    Eigen::Vector3d high = -low;
    for (const auto& v : a["meshes"][0]["vertices"]) {
        low = low.cwiseMin(vector_of(v));
        high = high.cwiseMax(vector_of(v));
    }
    EXPECT_NEAR(high.x() - low.x(), 300.0, 3.0);
    EXPECT_NEAR(high.y() - low.y(), 300.0, 3.0);
    const Outcome page = folder.run({"report", "m.yaml", "-o", "m.html"});
    EXPECT_EQ(page.status, 0) << page.err;
    if (folder.has("m.html")) {
        EXPECT_LT(folder.read("m.html").size(), 5'000'000U);
    }
}

TEST_F(ShapeFiles, NothingOfATypeThatIsNotUsedMatters) {
    folder.write("large.stl", repeated_facets(180'000));
    folder.write("m.yaml", tumbling("[{file: a.stl, frame: frame_a}]", link_with("large.stl")));
    const Outcome run = folder.run({"run", "m.yaml", "--animation", "a.json"});
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.err, Not(HasSubstr("BG-M098")));
    EXPECT_THAT(folder.read("a.json"), Not(HasSubstr("large.stl")));
}

TEST_F(ShapeFiles, NegativeScalesAreShownAs0) {
    folder.write("m.yaml",
                 tumbling("[{file: a.stl, frame: frame_a, scale: l - 2*l*time/0.4}]", "parameters: {l: 0.1 m}\n"));
    const Outcome run = folder.run({"run", "m.yaml", "--animation", "a.json"});
    EXPECT_THAT(run.err, HasSubstr("the scale of a mesh that 'body' shows is negative"));
}

}  // namespace
}  // namespace bondgraph::cli

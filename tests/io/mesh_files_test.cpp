// Forms of solids from files: what is in them, and what is said of files that are none.

#include "bondgraph/io/mesh_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bondgraph/io/polygon.hpp"
#include "tests/support/forms.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::io {
namespace {

using testing::HasSubstr;
using namespace bondgraph::test;

std::string no_neighbour(const std::string& name) { throw UnreadableMesh(name); }

Facets facets_of(const model::Mesh& mesh) {
    Facets facets;
    for (const model::MeshPart& part : mesh.parts) {
        for (const auto& t : part.triangles) {
            Facet f;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto& v = mesh.vertices.at(t[k]);
                f[k] = Corner(v[0], v[1], v[2]);
            }
            facets.push_back(f);
        }
    }
    return facets;
}

/// The L by what no other form has: volume with the sign of its turn, and where its surface lies.
void expect_angle_iron(const model::Mesh& mesh) {
    const Facets facets = facets_of(mesh);
    EXPECT_EQ(facets.size(), 20U);
    EXPECT_EQ(mesh.vertices.size(), 12U);
    EXPECT_NEAR(signed_volume(facets), 4.0, 1e-5);
    EXPECT_LT((surface_moment(facets) - surface_moment(angle_iron_facets())).norm(), 1e-5);
}

std::string failure_of(const std::function<void()>& reading) {
    try {
        reading();
    } catch (const UnreadableMesh& e) {
        return e.what();
    }
    return "read";
}
std::string stl_failure(const std::string& bytes) {
    return failure_of([&] { read_stl(bytes); });
}
std::string obj_failure(const std::string& text) {
    return failure_of([&] { read_obj(text, no_neighbour); });
}
std::string gltf_failure(const std::string& text) {
    return failure_of([&] { read_gltf(text, no_neighbour); });
}

TEST(MeshFiles, AllFormatsHaveTheSameForm) {
    expect_angle_iron(read_stl(stl_text(angle_iron_facets())));
    expect_angle_iron(read_stl(stl_bytes(angle_iron_facets())));
    expect_angle_iron(read_obj(obj_text(angle_iron()), no_neighbour));
    const GltfForm form = gltf_form(angle_iron_facets());
    expect_angle_iron(read_gltf(gltf_embedded(form), no_neighbour));
    expect_angle_iron(read_gltf(glb_bytes(form), no_neighbour));
    const auto neighbour = [&](const std::string& name) {
        EXPECT_EQ(name, "the iron.bin");
        return form.buffer;
    };
    expect_angle_iron(read_gltf(with_uri(form, "the%20iron.bin"), neighbour));
}

TEST(MeshFiles, TheHandMadeTrianglesAreTheForm) { EXPECT_NEAR(signed_volume(angle_iron_facets()), 4.0, 1e-12); }

TEST(MeshFiles, ABinaryStlMayBeginWithTheWordOfATextOne) {
    expect_angle_iron(read_stl(stl_bytes(angle_iron_facets(), 1.0, "solid iron\n")));
    expect_angle_iron(read_stl(stl_bytes(angle_iron_facets()) + "some more"));
}

TEST(MeshFiles, WordsOfStlMayBeLarge) {
    std::string text = stl_text(angle_iron_facets());
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    expect_angle_iron(read_stl(text));
}

TEST(MeshFiles, ColoursOfMaterials) {
    const std::string obj =
        "mtllib a b.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl blue\nf 1 3 2\nusemtl new\nf 1 2 3\n";
    const auto neighbour = [&](const std::string& name) {
        EXPECT_EQ(name, "a b.mtl");
        return std::string("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0.5 2\n");
    };
    const model::Mesh mesh = read_obj(obj, neighbour);
    ASSERT_EQ(mesh.parts.size(), 2U);
    EXPECT_EQ(mesh.parts[0].triangles.size(), 2U);
    EXPECT_FALSE(mesh.parts[0].colour);
    EXPECT_EQ(mesh.parts[1].colour, (std::array<std::uint8_t, 3>{0, 128, 255}));
    EXPECT_EQ(read_obj(obj, no_neighbour).parts.size(), 1U);
    const model::Mesh gltf = read_gltf(gltf_embedded(gltf_form(angle_iron_facets())), no_neighbour);
    EXPECT_EQ(gltf.parts.at(0).colour, (std::array<std::uint8_t, 3>{255, 128, 0}));
}

TEST(MeshFiles, LinesOfObjMayGoOn) {
    const model::Mesh mesh = read_obj("v 0 0 0\r\nv 1 0 \\\r\n0\r\nv 0 1 0 # corner\r\nf 1 \\\r\n2 3", no_neighbour);
    EXPECT_EQ(mesh.triangles(), 1U);
}

TEST(MeshFiles, StlThatIsNone) {
    EXPECT_THAT(stl_failure(""), HasSubstr("it ends within its head"));
    EXPECT_THAT(stl_failure("solid a\nendsolid\n"), HasSubstr("it has no triangles"));
    std::string cut = stl_bytes(angle_iron_facets());
    cut.pop_back();
    EXPECT_THAT(stl_failure(cut), HasSubstr("of 20 triangles it has 19 at most"));
    std::string endless(80, '\0');
    put_bytes(endless, std::uint32_t{0xFFFFFFFF});
    EXPECT_THAT(stl_failure(endless + std::string(50, '\0')), HasSubstr("of 4294967295 triangles it has 1 at most"));
    EXPECT_THAT(stl_failure("solid a\nfacet\nvertex 1 2\n"), HasSubstr("in line 3 is no vertex of three numbers"));
    EXPECT_THAT(stl_failure("solid a\nfacet\nvertex nan 0 0\n"), HasSubstr("no number, or beyond all measure"));
    EXPECT_THAT(stl_failure("solid a\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nvertex 0 1 0\n"),
                HasSubstr("in line 5 a facet has a fourth corner"));
    EXPECT_THAT(stl_failure("solid a\nvertex 0 0 0\nendfacet\n"),
                HasSubstr("in line 3 a facet ends that has 1 corner"));
    EXPECT_THAT(stl_failure("solid a\nvertex 0 0 0\n"), HasSubstr("it ends within a facet"));
    Facets far = angle_iron_facets();
    far[7][1].y() = std::nan("");
    EXPECT_THAT(stl_failure(stl_bytes(far)), HasSubstr("no number, or beyond all measure"));
}

TEST(MeshFiles, ObjThatIsNone) {
    const std::string three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    EXPECT_THAT(obj_failure(""), HasSubstr("it has no triangles"));
    EXPECT_THAT(obj_failure(three), HasSubstr("it has no triangles"));
    EXPECT_THAT(obj_failure(three + "f 1 2 4\n"), HasSubstr("in line 4: a face names vertex 4, of 3 so far"));
    EXPECT_THAT(obj_failure(three + "f 1 2 -4\n"), HasSubstr("in line 4: a face names vertex -4, of 3 so far"));
    EXPECT_THAT(obj_failure(three + "f 1 2 0\n"), HasSubstr("'0' is no number of a vertex"));
    EXPECT_THAT(obj_failure(three + "f 1 2 99999999999999999999\n"), HasSubstr("is no number of a vertex"));
    EXPECT_THAT(obj_failure(three + "f 1 2\n"), HasSubstr("three corners or more, not 2"));
    EXPECT_THAT(obj_failure("v 0 0\n"), HasSubstr("in line 1: a vertex has three numbers"));
    EXPECT_THAT(obj_failure("v 0 0 1e999\n"), HasSubstr("in line 1: a vertex has three numbers"));
    EXPECT_THAT(obj_failure("v 0 0 inf\n"), HasSubstr("no number, or beyond all measure"));
    EXPECT_EQ(obj_failure("v 0 0 1e-999\n" + three + "f 1 2 3\n"), "read");
}

TEST(MeshFiles, GltfThatIsNone) {
    EXPECT_THAT(gltf_failure("{"), HasSubstr("it is no glTF"));
    EXPECT_THAT(gltf_failure("[]"), HasSubstr("it is no glTF"));
    EXPECT_THAT(gltf_failure(R"({"asset":{"version":"1.0"}})"), HasSubstr("no glTF of version 2"));
    EXPECT_THAT(gltf_failure(R"({"asset":{"version":"2.0"}})"), HasSubstr("it has no triangles"));
    EXPECT_THAT(gltf_failure(std::string(1000, '[')), HasSubstr("too deep"));
    EXPECT_THAT(gltf_failure("glTF"), HasSubstr("no glTF of version 2"));
    const GltfForm form = gltf_form(angle_iron_facets());
    const std::string glb = glb_bytes(form);
    EXPECT_THAT(gltf_failure(glb.substr(0, glb.size() - 4)), HasSubstr("it ends early"));
    EXPECT_THAT(gltf_failure(with_uri(form, "other.bin")), HasSubstr("other.bin"));
    EXPECT_THAT(gltf_failure(with_uri(form, "http://a/b.bin")), HasSubstr("only files are read"));
    EXPECT_THAT(gltf_failure(with_uri(form, "data:,abc")), HasSubstr("no base64"));
    EXPECT_THAT(gltf_failure(with_uri(form, "data:x;base64,!!")), HasSubstr("no base64"));
}

/// The form with another text in one place of its JSON.
std::string gltf_with(const std::string& before, const std::string& after) {
    std::string text = gltf_embedded(gltf_form(angle_iron_facets()));
    const std::size_t at = text.find(before);
    EXPECT_NE(at, std::string::npos) << before;
    return text.replace(at, before.size(), after);
}

TEST(MeshFiles, GltfWithNumbersOfWhatIsNotThere) {
    EXPECT_THAT(gltf_failure(gltf_with(R"("count":60,"type":"VEC3")", R"("count":4000000000,"type":"VEC3")")),
                HasSubstr("accessor 0 leaves its buffer"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("count":60,"type":"VEC3")", R"("count":59,"type":"VEC3")")),
                HasSubstr("a triangle names vertex 59, of 59"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("mesh":0)", R"("mesh":7)")), HasSubstr("number 7 of 'meshes'"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("mesh":0)", R"("mesh":-1)")), HasSubstr("'mesh' is no number"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("componentType":5126)", R"("componentType":1)")),
                HasSubstr("unknown kind 1"));
    EXPECT_THAT(gltf_failure(gltf_with(R"({"buffer":0,)", R"({"buffer":0,"byteStride":18446744073709551615,)")),
                HasSubstr("accessor 0 leaves its buffer"));
    EXPECT_THAT(gltf_failure(gltf_with(R"({"buffer":0,)", R"({"buffer":0,"byteStride":0,)")),
                HasSubstr("accessor 0 leaves its buffer"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("byteOffset":720)", R"("byteOffset":18446744073709551615)")),
                HasSubstr("a buffer ends early"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("bufferView":0)", R"("sparse":{},"bufferView":0)")), HasSubstr("sparse"));
    EXPECT_THAT(
        gltf_failure(gltf_with(R"("scene":0)", R"("extensionsRequired":["KHR_draco_mesh_compression"],"scene":0)")),
        HasSubstr("it needs 'KHR_draco_mesh_compression'"));
    EXPECT_THAT(gltf_failure(gltf_with(R"("scale":[0.5,2,0.25])", R"("scale":[1e300,1e300,1])")),
                HasSubstr("beyond all measure"));
}

std::string tree_of(const std::string& nodes) {
    std::string text = gltf_embedded(gltf_form(angle_iron_facets()));
    const std::size_t begin = text.find(R"("nodes":[{)");
    const std::size_t end = text.find(R"("meshes")");
    text.replace(begin, end - begin, R"("nodes":[)" + nodes + "],");
    return text.replace(text.find(R"("nodes":[1])"), 11, R"("nodes":[0])");
}

TEST(MeshFiles, GltfWhoseNodesAreNoTree) {
    EXPECT_THAT(gltf_failure(tree_of(R"({"children":[1]},{"children":[0]})")),
                HasSubstr("node 0 is in its tree twice"));
    std::string doubled;
    for (int k = 1; k < 60; ++k) doubled += fmt::format(R"({{"children":[{0},{0}]}},)", k);
    EXPECT_THAT(gltf_failure(tree_of(doubled + R"({"mesh":0})")), HasSubstr("is in its tree twice"));
    std::string deep;
    for (int k = 1; k < 90'000; ++k) deep += fmt::format(R"({{"children":[{}]}},)", k);
    EXPECT_EQ(gltf_failure(tree_of(deep + R"({"mesh":0})")), "read");
}

/// One mesh in so many places.
std::string spread_out(int many) {
    std::string nodes = R"({"children":[1)";
    for (int k = 2; k <= many; ++k) nodes += fmt::format(",{}", k);
    nodes += "]}";
    for (int k = 1; k <= many; ++k) nodes += R"(,{"mesh":0})";
    return tree_of(nodes);
}

TEST(MeshFiles, ManyPiecesInManyPlacesEnd) {
    EXPECT_THAT(gltf_failure(spread_out(50'001)), HasSubstr("more than 1000000 triangles"));
    std::string pieces = spread_out(3'000);
    std::string idle;
    for (int k = 0; k < 100; ++k) idle += R"({"mode":0},)";
    pieces.insert(pieces.find(R"({"attributes")"), idle);
    pieces.replace(pieces.find(R"("indices":1)"), 11, R"("mode":1)");
    EXPECT_THAT(gltf_failure(pieces), HasSubstr("too many pieces"));
}

TEST(MeshFiles, StripsAndFans) {
    Facets square{{Corner(0, 0, 0), Corner(1, 0, 0), Corner(0, 1, 0)},
                  {Corner(1, 1, 0), Corner(0, 0, 0), Corner(0, 0, 0)}};
    const auto area_of = [&](int mode, int count) {
        std::string text = gltf_embedded(gltf_form(square));
        text.replace(text.find(R"("indices":1)"), 11, fmt::format(R"("mode":{})", mode));
        const std::string before = R"("count":6,"type":"VEC3")";
        text.replace(text.find(before), before.size(), fmt::format(R"("count":{},"type":"VEC3")", count));
        Corner sum = Corner::Zero();
        for (const Facet& f : facets_of(read_gltf(text, no_neighbour))) sum += (f[1] - f[0]).cross(f[2] - f[0]) / 2.0;
        return sum.z();
    };
    EXPECT_NEAR(area_of(5, 4), -1.0, 1e-5);  // the node mirrors
    EXPECT_NEAR(area_of(5, 3), -0.5, 1e-5);
    EXPECT_NEAR(area_of(6, 3), -0.5, 1e-5);
    EXPECT_NEAR(area_of(6, 4), 0.0, 1e-5);  // the fourth corner is beyond the second side
}

TEST(MeshFiles, AnyBytesAreReadOrRefused) {
    std::mt19937 random(7);
    const GltfForm form = gltf_form(angle_iron_facets());
    const std::vector<std::string> whole{stl_text(angle_iron_facets()), stl_bytes(angle_iron_facets()),
                                         obj_text(angle_iron()), gltf_embedded(form), glb_bytes(form)};
    std::size_t refused = 0;
    for (int turn = 0; turn < 3000; ++turn) {
        std::string bytes = whole[static_cast<std::size_t>(turn) % whole.size()];
        for (int k = 0; k < 1 + turn % 4; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
        if (turn % 7 == 0) bytes.resize(random() % bytes.size());
        const std::string said = turn % 5 < 2    ? stl_failure(bytes)
                                 : turn % 5 == 2 ? obj_failure(bytes)
                                                 : gltf_failure(bytes);
        if (said != "read") ++refused;
    }
    EXPECT_GT(refused, 300U);
}

// ---- Faces with many corners

double area_of_polygon(const std::vector<std::array<float, 3>>& corners, std::size_t effort = 1'000'000) {
    const auto triangles = triangles_of_polygon(corners, effort);
    double area = 0.0;
    for (const auto& t : triangles) {
        const auto at = [&](std::size_t k) { return Corner(corners[t[k]][0], corners[t[k]][1], corners[t[k]][2]); };
        const double one = (at(1) - at(0)).cross(at(2) - at(0)).z() / 2.0;
        EXPECT_GE(one, -1e-9);
        area += one;
    }
    EXPECT_TRUE(triangles.empty() || triangles.size() == corners.size() - 2);
    return area;
}

TEST(Polygons, StarsAndCombsAreCoveredOnce) {
    std::vector<std::array<float, 3>> star;
    double doubled = 0.0;
    for (int k = 0; k < 24; ++k) {
        const double r = k % 2 == 0 ? 2.0 : 0.5;
        star.push_back({static_cast<float>(r * std::cos(k * 0.2617993877991494)),
                        static_cast<float>(r * std::sin(k * 0.2617993877991494)), 0.0F});
    }
    for (std::size_t k = 0; k < star.size(); ++k) {
        const auto& a = star[k];
        const auto& b = star[(k + 1) % star.size()];
        doubled += double{a[0]} * double{b[1]} - double{a[1]} * double{b[0]};
    }
    EXPECT_NEAR(area_of_polygon(star), doubled / 2.0, 1e-5);
    std::vector<std::array<float, 3>> comb{{0, -1, 0}, {40, -1, 0}};
    for (int k = 40; k > 0; k -= 2) {
        comb.push_back({static_cast<float>(k), 5, 0});
        comb.push_back({static_cast<float>(k - 1), 0, 0});
    }
    comb.push_back({0, 5, 0});
    EXPECT_GT(area_of_polygon(comb), 40.0);
    EXPECT_EQ(area_of_polygon(comb, 10), 0.0);  // no effort
}

TEST(Polygons, ConvexOnesWithCornersInLine) {
    EXPECT_NEAR(area_of_polygon({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}}), 2.0, 1e-9);
    EXPECT_NEAR(area_of_polygon({{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}), 1.0, 1e-9);
}

TEST(Polygons, ThatCrossThemselvesEnd) {
    std::size_t effort = 1000;
    const std::vector<std::array<float, 3>> bow{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    EXPECT_EQ(triangles_of_polygon(bow, effort).size(), 2U);
    const std::vector<std::array<float, 3>> point(5, {1, 1, 1});
    EXPECT_EQ(triangles_of_polygon(point, effort).size(), 3U);
}

// ---- Names of files

class MeshNames : public test::InTemporaryFolder {
   protected:
    std::string failure(const std::string& name, const FileAccess& access = {}) {
        read_.clear();
        return failure_of([&] { read_mesh(folder_ / name, access, read_); });
    }
    std::vector<std::string> read_;
};

TEST_F(MeshNames, TellTheFormat) {
    write("a.STL", stl_text(angle_iron_facets()));
    write("a.step", "ISO-10303-21;");
    write("lfs.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    EXPECT_EQ(failure("a.STL"), "read");
    EXPECT_THAT(failure("a.step"), HasSubstr("has to end with .stl, .obj, .gltf or .glb"));
    EXPECT_THAT(failure("lfs.stl"), HasSubstr("pointer of Git LFS"));
    EXPECT_EQ(failure("none.stl"), "No such file or directory");
    std::filesystem::create_directory(folder_ / "folder.stl");
    EXPECT_THAT(failure("folder.stl"), HasSubstr("folder"));
}

TEST_F(MeshNames, NothingOutsideOfTheFoldersIsRead) {
    const GltfForm form = gltf_form(angle_iron_facets());
    write("in/a.gltf", with_uri(form, "../out/a.bin"));
    write("in/b.gltf", with_uri(form, "link.bin"));
    write("in/c.gltf", with_uri(form, "c.bin"));
    write("in/c.bin", form.buffer);
    write("out/a.bin", form.buffer);
    write("out/a.stl", stl_text(angle_iron_facets()));
    write("in/.hidden.stl", stl_text(angle_iron_facets()));
    write("in/m.obj", "mtllib ../out/a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
    write("out/a.mtl", "newmtl red\nKd 1 0 0\n");
    std::filesystem::create_symlink(folder_ / "out/a.bin", folder_ / "in/link.bin");
    std::filesystem::create_symlink(folder_ / "out/a.stl", folder_ / "in/link.stl");
    const FileAccess within{{{folder_ / "in"}}};
    for (const char* name : {"in/a.gltf", "in/b.gltf", "out/a.stl", "in/link.stl", "in/../out/a.stl"}) {
        EXPECT_EQ(failure(name), "read") << name;
        EXPECT_THAT(failure(name, within), HasSubstr(kFileRefused)) << name;
    }
    EXPECT_THAT(failure("in/.hidden.stl", within), HasSubstr(kFileRefused));
    EXPECT_EQ(failure("in/c.gltf", within), "read");
    EXPECT_THAT(read_, testing::ElementsAre((folder_ / "in/c.gltf").string(), (folder_ / "in/c.bin").string()));
    std::vector<std::string> read;
    EXPECT_TRUE(read_mesh(folder_ / "in/m.obj", {}, read).parts.at(0).colour);
    EXPECT_FALSE(read_mesh(folder_ / "in/m.obj", within, read).parts.at(0).colour);
}

}  // namespace
}  // namespace bondgraph::io

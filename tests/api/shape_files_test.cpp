// Forms from files in the library: what is told of them, what the page holds, and which files may be read.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/page_data.hpp"
#include "tests/support/forms.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::api {
namespace {

using test::angle_iron;
using test::angle_iron_facets;
using test::Corner;
using test::Facet;
using test::Facets;
using test::numbers_of_base64;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using PageData = nlohmann::json;

class ApiShapeFiles : public test::InTemporaryFolder {
   protected:
    Result<Model> loaded(const std::string& shapes, const LoadOptions& options = {}, const std::string& more = "") {
        write("in/m.yaml", more + R"(model: swing
components:
  world: {type: World}
  joint: {type: Revolute, n: [0, 0, 1], initial: {phi: 1 rad}}
  rod: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1 kg, I_33: 1 kg.m2, shapes: )" +
                               shapes + R"(}
connect: [[world.frame_b, joint.frame_a], [joint.frame_b, rod.frame_a]]
experiment: {stop: 1 s, interval: 0.5 s}
)");
        return Model::load((folder_ / "in/m.yaml").string(), options);
    }

    [[nodiscard]] std::vector<std::string> files_of(const Model& model) const {
        std::vector<std::string> names;
        for (const std::string& file : model.files()) names.push_back(without_folder(file));
        return names;
    }
};

TEST_F(ApiShapeFiles, AreAmongTheFilesOfTheModel) {
    const test::GltfForm form = test::gltf_form(angle_iron_facets());
    write("in/forms/a.gltf", test::with_uri(form, "a.bin"));
    write("in/forms/a.bin", form.buffer);
    write("in/b.obj", "mtllib b.mtl\n" + test::obj_text(angle_iron()));
    const auto model = loaded("[{file: forms/a.gltf, frame: frame_a}, {file: b.obj, frame: frame_a}]");
    ASSERT_TRUE(model) << model.error().text();
    // The library of materials is not there: once it is, the model is another.
    EXPECT_THAT(files_of(*model),
                UnorderedElementsAre("in/m.yaml", "in/forms/a.gltf", "in/forms/a.bin", "in/b.obj", "in/b.mtl"));
}

TEST_F(ApiShapeFiles, AreReadInTheFoldersThatModelsMayReadOnly) {
    write("out/a.stl", test::stl_text(angle_iron_facets()));
    write("in/a.stl", test::stl_text(angle_iron_facets()));
    write("lib/a.stl", test::stl_text(angle_iron_facets()));
    std::filesystem::create_symlink(folder_ / "out/a.stl", folder_ / "in/link.stl");
    const LoadOptions within{.import_folders = {(folder_ / "lib").string()},
                             .only_within = {(folder_ / "in").string()}};
    for (const std::string name : {"../out/a.stl", "link.stl", "/etc/passwd.stl"}) {
        const auto model = loaded("[{file: " + name + ", frame: frame_a}]", within);
        ASSERT_FALSE(model) << name;
        EXPECT_EQ(model.error().messages.front().code, "BG-M097");
        EXPECT_THAT(model.error().messages.front().text, HasSubstr("outside of the folders that models may read here"));
        EXPECT_EQ(model.error().messages.front().place.line, 5);
    }
    EXPECT_TRUE(loaded("[{file: ../out/a.stl, frame: frame_a}]"));
    for (const char* name : {"a.stl", "../in/a.stl", "../lib/a.stl"})
        EXPECT_TRUE(loaded(fmt::format("[{{file: {}, frame: frame_a}}]", name), within)) << name;
}

/// What a browser makes of it.
Facets facets_on_page(const PageData& mesh) {
    const auto steps = numbers_of_base64<std::uint16_t>(mesh["places"]);
    const auto at = [&](std::size_t vertex) {
        Corner c;
        for (int k = 0; k < 3; ++k) {
            const auto i = static_cast<std::size_t>(k);
            c(k) = mesh["low"][i].get<double>() + mesh["side"][i].get<double>() * steps.at(3 * vertex + i) / 65535.0;
        }
        return c;
    };
    Facets facets;
    for (const PageData& part : mesh["parts"]) {
        std::vector<std::uint32_t> all;
        if (mesh["wide"].get<bool>()) {
            all = numbers_of_base64<std::uint32_t>(part["triangles"]);
        } else {
            const auto narrow = numbers_of_base64<std::uint16_t>(part["triangles"]);
            all.assign(narrow.begin(), narrow.end());
        }
        for (std::size_t i = 0; i + 2 < all.size(); i += 3)
            facets.push_back({at(all[i]), at(all[i + 1]), at(all[i + 2])});
    }
    return facets;
}

PageData data_with(const Model& model, ReportOptions::Content content) {
    const auto page = report(model, {.content = content});
    EXPECT_TRUE(page) << page.error().text();
    return page ? PageData::parse(page->page) : PageData();
}

TEST_F(ApiShapeFiles, AreOnThePageOnceAndAsTheyAre) {
    write("in/a.glb", test::glb_bytes(test::gltf_form(angle_iron_facets())));
    const auto model = loaded("[{file: a.glb, frame: frame_a}, {file: a.glb, frame: frame_b, scale: 2}]");
    ASSERT_TRUE(model) << model.error().text();
    for (const auto content : {ReportOptions::Content::data, ReportOptions::Content::run}) {
        const PageData animation = data_with(*model, content)["run"]["animation"];
        ASSERT_EQ(animation["meshes"].size(), 1U);
        const PageData& mesh = animation["meshes"][0];
        EXPECT_EQ(mesh["parts"][0]["colour"], "#ff8000");
        EXPECT_EQ(mesh["wide"], false);
        const Facets facets = facets_on_page(mesh);
        EXPECT_EQ(facets.size(), 20U);
        EXPECT_NEAR(test::signed_volume(facets), 4.0, 1e-3);
        EXPECT_LT((test::surface_moment(facets) - test::surface_moment(angle_iron_facets())).norm(), 2e-3);
        std::vector<double> sizes;
        for (const PageData& s : animation["shapes"]) {
            if (s["kind"] != "mesh") continue;
            EXPECT_EQ(s["mesh"], 0);
            sizes.push_back(numbers_of_base64<float>(s["size"]).at(0));
        }
        EXPECT_THAT(sizes, testing::ElementsAre(1.0, 2.0));
    }
}

/// A strip of so many squares, all corners apart.
std::string flat_strip(std::size_t squares) {
    Facets facets;
    for (std::size_t k = 0; k < squares; ++k) {
        const auto x = static_cast<double>(k % 300);
        const auto y = 2.0 * static_cast<double>(k / 300);
        facets.push_back({Corner(x, y, 0), Corner(x + 0.5, y, 0), Corner(x, y + 1, 0)});
    }
    return test::stl_bytes(facets);
}

TEST_F(ApiShapeFiles, WithMoreVerticesThanTwoBytesTellHaveTheirTriangles) {
    write("in/wide.stl", flat_strip(30'000));
    const auto model = loaded("[{file: wide.stl, frame: frame_a}]");
    ASSERT_TRUE(model) << model.error().text();
    const PageData data = data_with(*model, ReportOptions::Content::run);
    const PageData& mesh = data["run"]["animation"]["meshes"][0];
    EXPECT_EQ(mesh["wide"], true);
    double area = 0.0;
    const Facets facets = facets_on_page(mesh);
    for (const Facet& f : facets) area += 0.5 * (f[1] - f[0]).cross(f[2] - f[0]).norm();
    EXPECT_EQ(facets.size(), 30'000U);
    EXPECT_NEAR(area, 30'000 * 0.25, 100.0);
}

TEST_F(ApiShapeFiles, AreInTheAnimationAsAValue) {
    write("in/a.stl", test::stl_text(angle_iron_facets()));
    const auto model =
        loaded("[{file: a.stl, frame: frame_a, scale: 3 mm}, {shape: box, frame: frame_a, length: 1 m}]");
    ASSERT_TRUE(model) << model.error().text();
    const auto run = model->run({.animation = true});
    ASSERT_TRUE(run && run->animation);
    ASSERT_EQ(run->animation->meshes.size(), 1U);
    EXPECT_EQ(run->animation->meshes[0].file, "a.stl");
    EXPECT_EQ(run->animation->meshes[0].vertices.size(), 12U);
    for (const AnimatedShape& s : run->animation->shapes) {
        EXPECT_EQ(s.mesh.has_value(), s.kind == "mesh");
        if (s.mesh) {
            EXPECT_EQ(s.size.front(), 3e-3);
        }
    }
    // Without one there is no such list.
    const auto bare = loaded("[]")->run({.animation = true});
    EXPECT_THAT(bare->animation->json(), testing::Not(HasSubstr("meshes")));
}

}  // namespace
}  // namespace bondgraph::api

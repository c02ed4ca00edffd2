// One form, which no turn or mirror image maps to itself, written in every format that shapes are read from.
#pragma once

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace bondgraph::test {

using Corner = Eigen::Vector3d;
using Facet = std::array<Corner, 3>;
using Facets = std::vector<Facet>;

/// Outlines of faces of an L, 3 long, 2 high, 1 thick, seen from outside; the two large ones are concave.
inline std::vector<std::vector<Corner>> angle_iron() {
    const std::vector<std::array<double, 2>> outline{{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    std::vector<std::vector<Corner>> faces(2);
    for (std::size_t i = 0; i < outline.size(); ++i) {
        const auto& a = outline[i];
        const auto& b = outline[(i + 1) % outline.size()];
        faces[1].emplace_back(a[0], a[1], 1.0);
        faces[0].insert(faces[0].begin(), Corner(a[0], a[1], 0.0));
        faces.push_back({{a[0], a[1], 0}, {b[0], b[1], 0}, {b[0], b[1], 1}, {a[0], a[1], 1}});
    }
    return faces;
}

/// The same as triangles, divided by hand.
inline Facets angle_iron_facets() {
    const auto at = [](double x, double y, double z) { return Corner(x, y, z); };
    Facets facets;
    for (const double z : {0.0, 1.0}) {
        const Facets upper{{at(0, 0, z), at(3, 0, z), at(3, 1, z)},
                           {at(0, 0, z), at(3, 1, z), at(1, 1, z)},
                           {at(0, 0, z), at(1, 1, z), at(0, 2, z)},
                           {at(1, 1, z), at(1, 2, z), at(0, 2, z)}};
        for (const Facet& f : upper) facets.push_back(z > 0.0 ? f : Facet{f[0], f[2], f[1]});
    }
    const auto faces = angle_iron();
    for (std::size_t k = 2; k < faces.size(); ++k) {
        facets.push_back({faces[k][0], faces[k][1], faces[k][2]});
        facets.push_back({faces[k][0], faces[k][2], faces[k][3]});
    }
    return facets;
}

inline double signed_volume(const Facets& facets) {
    double six_fold = 0.0;
    for (const Facet& f : facets) six_fold += f[0].dot(f[1].cross(f[2]));
    return six_fold / 6.0;
}

inline Eigen::Vector3d surface_moment(const Facets& facets) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const Facet& f : facets) sum += 0.5 * (f[1] - f[0]).cross(f[2] - f[0]).norm() * (f[0] + f[1] + f[2]) / 3.0;
    return sum;
}

template <class Number>
void put_bytes(std::string& to, Number value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
}

inline std::string stl_text(const Facets& facets, double factor = 1.0) {
    std::string text = "solid angle iron\n";
    for (const Facet& f : facets) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for (const Corner& c : f)
            text += fmt::format("      vertex {:e} {:e} {:e}\n", factor * c.x(), factor * c.y(), factor * c.z());
        text += "    endloop\n  endfacet\n";
    }
    return text + "endsolid\n";
}

inline std::string stl_bytes(const Facets& facets, double factor = 1.0, std::string_view head = "binary") {
    std::string bytes(head);
    bytes.resize(80, ' ');
    put_bytes(bytes, static_cast<std::uint32_t>(facets.size()));
    for (const Facet& f : facets) {
        for (int k = 0; k < 3; ++k) put_bytes(bytes, 0.0F);
        for (const Corner& c : f) {
            for (int k = 0; k < 3; ++k) put_bytes(bytes, static_cast<float>(factor * c(k)));
        }
        put_bytes(bytes, std::uint16_t{0});
    }
    return bytes;
}

/// Faces of as many corners as they have; every second one by numbers from the end, all with texture and normals.
inline std::string obj_text(const std::vector<std::vector<Corner>>& faces, double factor = 1.0) {
    std::string text = "# an angle iron\nvn 0 0 1\nvt 0 0\no iron\n";
    std::size_t count = 0;
    bool from_end = false;
    for (const auto& face : faces) {
        for (const Corner& c : face)
            text += fmt::format("v {} {} {}\n", factor * c.x(), factor * c.y(), factor * c.z());
        count += face.size();
        text += "f";
        for (std::size_t i = 0; i < face.size(); ++i) {
            const auto back = static_cast<long>(face.size() - i);
            text += from_end ? fmt::format(" -{}/-1/-1", back) : fmt::format(" {}//1", count - face.size() + i + 1);
        }
        text += "\n";
        from_end = !from_end;
    }
    return text;
}

inline std::string base64_text(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[three >> (18U - 6U * k) & 63U];
    }
    return text;
}

/// A node that turns, scales and moves, and one below it with a matrix: together they undo what the buffer holds.
struct GltfForm {
    std::string json;  ///< without the address of its buffer: URI stands in its place
    std::string buffer;
};

inline GltfForm gltf_form(const Facets& facets) {
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -2).normalized()));
    const Eigen::Vector3d move(0.3, -0.4, 0.5);
    const Eigen::Vector3d stretch(0.5, 2.0, 0.25);
    Eigen::Matrix4d inner = Eigen::Matrix4d::Identity();
    inner.topLeftCorner<3, 3>() = Eigen::AngleAxisd(-1.1, Eigen::Vector3d::UnitY()).toRotationMatrix();
    inner.topLeftCorner<3, 3>().col(1) *= -1.0;  // a mirror
    inner.topRightCorner<3, 1>() = Eigen::Vector3d(0.1, 0.2, 0.3);
    Eigen::Affine3d outer = Eigen::Affine3d::Identity();
    outer.translate(move).rotate(turn).scale(stretch);
    const Eigen::Affine3d whole = outer * Eigen::Affine3d(inner);
    GltfForm form;
    std::string indices;
    for (std::size_t f = 0; f < facets.size(); ++f) {
        for (const Corner& c : facets[f]) {
            const Corner raw = whole.inverse() * c;
            for (int k = 0; k < 3; ++k) put_bytes(form.buffer, static_cast<float>(raw(k)));
        }
        // the mirror turns them round
        for (const unsigned int k : {0U, 2U, 1U}) put_bytes(indices, static_cast<std::uint16_t>(3 * f + k));
    }
    const std::size_t positions = form.buffer.size();
    form.buffer += indices;
    std::string matrix;
    for (int i = 0; i < 16; ++i) matrix += fmt::format("{}{}", i == 0 ? "" : ",", inner.data()[i]);
    form.json = fmt::format(
        R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[1]}}],)"
        R"("nodes":[{{"mesh":0,"matrix":[{}]}},{{"children":[0],"translation":[{},{},{}],"rotation":[{},{},{},{}],"scale":[{},{},{}]}}],)"
        R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"material":0}}]}}],)"
        R"("materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[1,0.2158605,0,1]}}}}],)"
        R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},{{"bufferView":1,"componentType":5123,"count":{},"type":"SCALAR"}}],)"
        R"("bufferViews":[{{"buffer":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],)"
        R"("buffers":[{{URI"byteLength":{}}}]}})",
        matrix, move.x(), move.y(), move.z(), turn.x(), turn.y(), turn.z(), turn.w(), stretch.x(), stretch.y(),
        stretch.z(), 3 * facets.size(), 3 * facets.size(), positions, positions, indices.size(), form.buffer.size());
    return form;
}

inline std::string with_uri(const GltfForm& form, const std::string& uri) {
    std::string json = form.json;
    return json.replace(json.find("URI"), 3, uri.empty() ? "" : fmt::format(R"("uri":"{}",)", uri));
}

inline std::string gltf_embedded(const GltfForm& form) {
    return with_uri(form, "data:application/octet-stream;base64," + base64_text(form.buffer));
}

inline std::string glb_bytes(const GltfForm& form) {
    std::string json = with_uri(form, "");
    std::string buffer = form.buffer;
    json.resize((json.size() + 3) / 4 * 4, ' ');
    buffer.resize((buffer.size() + 3) / 4 * 4, '\0');
    std::string bytes = "glTF";
    put_bytes(bytes, std::uint32_t{2});
    put_bytes(bytes, static_cast<std::uint32_t>(28 + json.size() + buffer.size()));
    put_bytes(bytes, static_cast<std::uint32_t>(json.size()));
    bytes += "JSON" + json;
    put_bytes(bytes, static_cast<std::uint32_t>(buffer.size()));
    return bytes + std::string("BIN\0", 4) + buffer;
}

}  // namespace bondgraph::test

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bondgraph/io/mesh_building.hpp"
#include "bondgraph/io/mesh_files.hpp"

namespace bondgraph::io {
namespace {

using GltfJson = nlohmann::json;
using Bytes = std::string_view;

// What values of JSON take in memory is many times their text: a text of brackets alone would fill any.
constexpr std::size_t kMostValues = 500'000;
constexpr std::size_t kDeepestValue = 64;
constexpr std::size_t kMostNodes = 100'000;

void check_json_size(Bytes text) {
    std::size_t values = 0;
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
            continue;
        }
        if (c == '"') quoted = true;
        if (c == ',' || c == '[' || c == '{' || c == ':') ++values;
        if (c == '[' || c == '{') ++depth;
        if ((c == ']' || c == '}') && depth > 0) --depth;
        if (values > kMostValues || depth > kDeepestValue) throw UnreadableMesh("its JSON is too large, or too deep");
    }
}

std::string bytes_of_base64(Bytes text) {
    const auto digit = [](char c) -> int {
        if (c >= 'A' && c <= 'Z') return c - 'A';
        if (c >= 'a' && c <= 'z') return c - 'a' + 26;
        if (c >= '0' && c <= '9') return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    };
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned int kept = 0;
    int bits = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char c : text) {
        const int value = digit(c);
        if (value < 0) throw UnreadableMesh("its embedded data are no base64");
        kept = (kept << 6U | static_cast<unsigned int>(value)) & 0xFFFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(kept >> static_cast<unsigned int>(bits) & 0xFFU);
    }
    return bytes;
}

/// "two%20words.bin" as a name of a file.
std::string without_escapes(Bytes uri) {
    std::string name;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned int code = 0;
        const Bytes digits = uri.substr(i).size() > 2 ? uri.substr(i + 1, 2) : Bytes{};
        const bool escape = uri[i] == '%' && digits.size() == 2 &&
                            std::isxdigit(static_cast<unsigned char>(digits[0])) != 0 &&
                            std::isxdigit(static_cast<unsigned char>(digits[1])) != 0;
        if (escape) code = static_cast<unsigned int>(std::stoul(std::string(digits), nullptr, 16));
        name += escape ? static_cast<char>(code) : uri[i];
        if (escape) i += 2;
    }
    return name;
}

/// The JSON and the binary part of a file, which may be of the one kind or of the other.
struct GltfParts {
    Bytes json;
    std::optional<Bytes> binary;
};

std::uint32_t word_at(Bytes bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

GltfParts parts_of(Bytes bytes) {
    constexpr std::size_t kHead = 12;
    constexpr std::size_t kChunkHead = 8;
    constexpr std::uint32_t kJson = 0x4E4F534A;
    constexpr std::uint32_t kBinary = 0x004E4942;
    if (!bytes.starts_with("glTF")) return {bytes, std::nullopt};
    GltfParts parts;
    if (bytes.size() < kHead || word_at(bytes, 4) != 2) throw UnreadableMesh("it is no glTF of version 2");
    for (std::size_t at = kHead; at + kChunkHead <= bytes.size();) {
        const std::size_t length = word_at(bytes, at);
        const std::uint32_t kind = word_at(bytes, at + 4);
        at += kChunkHead;
        if (length > bytes.size() - at) throw UnreadableMesh("it ends early");
        if (kind == kJson && parts.json.empty()) parts.json = bytes.substr(at, length);
        if (kind == kBinary && !parts.binary) parts.binary = bytes.substr(at, length);
        at += length;
    }
    return parts;
}

class GltfFile {
   public:
    GltfFile(Bytes bytes, const NeighbourReader& neighbour) : parts_(parts_of(bytes)), neighbour_(neighbour) {}

    model::Mesh read() {
        check_json_size(parts_.json);
        root_ = GltfJson::parse(parts_.json.begin(), parts_.json.end(), nullptr, false);
        if (!root_.is_object() || !root_.contains("asset")) throw UnreadableMesh("it is no glTF: no JSON with 'asset'");
        const auto version = text(root_["asset"], "version");
        if (!version.starts_with("2.")) throw UnreadableMesh("it is no glTF of version 2");
        check_extensions();
        walk();
        return builder_.take();
    }

   private:
    using Place = Eigen::Matrix4d;

    // ---- Values of the JSON

    [[nodiscard]] static std::string text(const GltfJson& of, const char* key) {
        const auto found = of.is_object() ? of.find(key) : of.end();
        return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
    }

    /// A whole number that is not negative; `otherwise` where there is none.
    [[nodiscard]] static std::size_t number(const GltfJson& of, const char* key, std::size_t otherwise) {
        const auto found = of.is_object() ? of.find(key) : of.end();
        if (found == of.end()) return otherwise;
        if (!found->is_number_unsigned()) throw UnreadableMesh(fmt::format("'{}' is no number of something", key));
        return found->get<std::size_t>();
    }

    /// The entry of that number in a list of the file.
    [[nodiscard]] const GltfJson& entry(const char* list, std::size_t index) const {
        const auto found = root_.find(list);
        if (found == root_.end() || !found->is_array() || index >= found->size())
            throw UnreadableMesh(fmt::format("it names number {} of '{}', which is not there", index, list));
        return (*found)[index];
    }

    [[nodiscard]] static std::vector<double> numbers(const GltfJson& of, const char* key, std::size_t count) {
        const auto found = of.is_object() ? of.find(key) : of.end();
        if (found == of.end()) return {};
        const auto is_number = [](const GltfJson& j) { return j.is_number(); };
        if (!found->is_array() || found->size() != count || !std::all_of(found->begin(), found->end(), is_number))
            throw UnreadableMesh(fmt::format("'{}' is no list of {} numbers", key, count));
        return found->get<std::vector<double>>();
    }

    [[nodiscard]] static std::vector<std::size_t> indices(const GltfJson& of, const char* key) {
        const auto found = of.is_object() ? of.find(key) : of.end();
        if (found == of.end()) return {};
        const auto is_index = [](const GltfJson& j) { return j.is_number_unsigned(); };
        if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_index))
            throw UnreadableMesh(fmt::format("'{}' is no list of numbers", key));
        return found->get<std::vector<std::size_t>>();
    }

    /// Those that only change how surfaces look, or how numbers are written that are read here.
    void check_extensions() const {
        const auto required = root_.find("extensionsRequired");
        if (required == root_.end() || !required->is_array()) return;
        for (const GltfJson& name : *required) {
            const std::string extension = name.is_string() ? name.get<std::string>() : "";
            const bool harmless = extension.starts_with("KHR_materials_") || extension == "KHR_texture_transform" ||
                                  extension == "KHR_mesh_quantization" || extension == "KHR_lights_punctual" ||
                                  extension == "KHR_texture_basisu" || extension == "EXT_texture_webp";
            if (!harmless)
                throw UnreadableMesh(fmt::format("it needs '{}', which is not read: save it without", extension));
        }
    }

    // ---- Nodes

    /// All nodes of the scene, or of the file where it has none. Each has one place in the tree.
    void walk() {
        std::vector<std::pair<std::size_t, Place>> open;
        const auto list = root_.find("nodes");
        const std::size_t count = list != root_.end() && list->is_array() ? list->size() : 0;
        if (count > kMostNodes) throw UnreadableMesh(fmt::format("it has more than {} nodes", kMostNodes));
        for (const std::size_t node : roots(count)) open.emplace_back(node, Place::Identity());
        std::vector<bool> seen(count, false);
        while (!open.empty()) {
            const auto [index, above] = open.back();
            open.pop_back();
            const GltfJson& node = entry("nodes", index);
            if (seen[index]) throw UnreadableMesh(fmt::format("node {} is in its tree twice", index));
            seen[index] = true;
            const Place here = above * placement(node);
            if (node.contains("mesh")) add_mesh(entry("meshes", number(node, "mesh", 0)), here);
            for (const std::size_t child : indices(node, "children")) {
                if (open.size() > kMostNodes) throw UnreadableMesh("a node is in its tree twice");
                open.emplace_back(child, here);
            }
        }
    }

    [[nodiscard]] std::vector<std::size_t> roots(std::size_t count) const {
        if (root_.contains("scenes")) return indices(entry("scenes", number(root_, "scene", 0)), "nodes");
        std::vector<bool> below(count, false);
        for (std::size_t n = 0; n < count; ++n) {
            for (const std::size_t child : indices(entry("nodes", n), "children")) {
                if (child < count) below[child] = true;
            }
        }
        std::vector<std::size_t> tops;
        for (std::size_t n = 0; n < count; ++n) {
            if (!below[n]) tops.push_back(n);
        }
        return tops;
    }

    [[nodiscard]] static Place placement(const GltfJson& node) {
        if (!node.is_object()) throw UnreadableMesh("a node is no object");
        if (const auto all = numbers(node, "matrix", 16); !all.empty()) return Eigen::Map<const Place>(all.data());
        Eigen::Affine3d place = Eigen::Affine3d::Identity();
        if (const auto t = numbers(node, "translation", 3); !t.empty())
            place.translate(Eigen::Vector3d(t[0], t[1], t[2]));
        if (const auto q = numbers(node, "rotation", 4); !q.empty()) {
            const Eigen::Quaterniond turn(q[3], q[0], q[1], q[2]);
            if (!(turn.norm() > 0.0)) throw UnreadableMesh("the 'rotation' of a node is 0");
            place.rotate(turn.normalized());
        }
        if (const auto s = numbers(node, "scale", 3); !s.empty()) place.scale(Eigen::Vector3d(s[0], s[1], s[2]));
        return place.matrix();
    }

    // ---- Triangles

    void add_mesh(const GltfJson& mesh, const Place& place) {
        const auto primitives = mesh.is_object() ? mesh.find("primitives") : mesh.end();
        if (primitives == mesh.end() || !primitives->is_array()) throw UnreadableMesh("a mesh has no 'primitives'");
        for (const GltfJson& primitive : *primitives) {
            if (++primitives_ > kMostPrimitives) throw UnreadableMesh("it consists of too many pieces");
            add_primitive(primitive, place);
        }
    }

    void add_primitive(const GltfJson& primitive, const Place& place) {
        constexpr std::size_t kTriangles = 4;
        constexpr std::size_t kStrip = 5;
        constexpr std::size_t kFan = 6;
        const std::size_t mode = number(primitive, "mode", kTriangles);
        if (mode < kTriangles || mode > kFan) return;  // points and lines
        const auto attributes = primitive.find("attributes");
        if (attributes == primitive.end() || !attributes->contains("POSITION")) return;
        const Accessor positions = accessor(number(*attributes, "POSITION", 0), 3);
        std::vector<std::uint32_t> order = order_of(primitive, positions.count);
        if (order.size() < 3) return;
        builder_.expect(mode == kTriangles ? order.size() / 3 : order.size() - 2);
        // Those alone that triangles have: many primitives may share a buffer.
        std::vector<std::uint32_t> used = order;
        std::ranges::sort(used);
        used.erase(std::unique(used.begin(), used.end()), used.end());
        const auto first = static_cast<std::uint32_t>(builder_.vertices());
        for (const std::uint32_t v : used) {
            const Eigen::Vector4d x =
                place * Eigen::Vector4d(positions.at(v, 0), positions.at(v, 1), positions.at(v, 2), 1.0);
            builder_.vertex({x(0), x(1), x(2)});
        }
        for (std::uint32_t& v : order) v = static_cast<std::uint32_t>(std::ranges::lower_bound(used, v) - used.begin());
        builder_.colour(colour_of(primitive));
        const bool mirrored = place.topLeftCorner<3, 3>().determinant() < 0.0;
        const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
            builder_.triangle(first + a, first + (mirrored ? c : b), first + (mirrored ? b : c));
        };
        for (std::size_t i = 0; i + 2 < order.size(); i += mode == kTriangles ? 3 : 1) {
            if (mode == kFan)
                add(order[0], order[i + 1], order[i + 2]);
            else if (mode == kStrip && i % 2 == 1)
                add(order[i + 1], order[i], order[i + 2]);
            else
                add(order[i], order[i + 1], order[i + 2]);
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> order_of(const GltfJson& primitive, std::size_t vertices) {
        std::vector<std::uint32_t> order;
        if (!primitive.contains("indices")) {
            builder_.expect(vertices / 3);
            for (std::size_t i = 0; i < vertices; ++i) order.push_back(static_cast<std::uint32_t>(i));
            return order;
        }
        const Accessor all = accessor(number(primitive, "indices", 0), 1);
        builder_.expect(all.count / 3);
        for (std::size_t i = 0; i < all.count; ++i) {
            const double index = all.at(i, 0);
            if (!(index >= 0.0 && index < static_cast<double>(vertices)))
                throw UnreadableMesh(fmt::format("a triangle names vertex {}, of {}", index, vertices));
            order.push_back(static_cast<std::uint32_t>(index));
        }
        return order;
    }

    /// The base colour, which is told linearly, as screens have it.
    [[nodiscard]] MeshBuilder::Colour colour_of(const GltfJson& primitive) const {
        if (!primitive.contains("material")) return std::nullopt;
        const GltfJson& material = entry("materials", number(primitive, "material", 0));
        const auto surface = material.is_object() ? material.find("pbrMetallicRoughness") : material.end();
        if (surface == material.end()) return std::nullopt;
        const auto factor = numbers(*surface, "baseColorFactor", 4);
        if (factor.empty()) return std::nullopt;
        std::array<std::uint8_t, 3> colour{};
        for (std::size_t k = 0; k < 3; ++k) {
            const double share = std::clamp(factor[k], 0.0, 1.0);
            const double shown = share <= 0.0031308 ? 12.92 * share : 1.055 * std::pow(share, 1.0 / 2.4) - 0.055;
            colour[k] = static_cast<std::uint8_t>(std::lround(255.0 * shown));
        }
        return colour;
    }

    // ---- Numbers in buffers

    struct Accessor {
        Bytes bytes;  ///< from its first number on
        std::size_t count = 0;
        std::size_t stride = 0;
        std::size_t type = 0;
        bool normalized = false;

        [[nodiscard]] double at(std::size_t item, std::size_t component) const {
            const char* place = bytes.data() + item * stride + component * size_of(type);
            switch (type) {
                case 5120:
                    return normalized ? std::max(number_at<std::int8_t>(place) / 127.0, -1.0)
                                      : number_at<std::int8_t>(place);
                case 5121:
                    return number_at<std::uint8_t>(place) / (normalized ? 255.0 : 1.0);
                case 5122:
                    return normalized ? std::max(number_at<std::int16_t>(place) / 32767.0, -1.0)
                                      : number_at<std::int16_t>(place);
                case 5123:
                    return number_at<std::uint16_t>(place) / (normalized ? 65535.0 : 1.0);
                case 5125:
                    return number_at<std::uint32_t>(place);
                default:
                    return number_at<float>(place);
            }
        }

        template <class Number>
        static double number_at(const char* place) {
            Number value{};
            std::memcpy(&value, place, sizeof value);
            return static_cast<double>(value);
        }
        static std::size_t size_of(std::size_t type) {
            switch (type) {
                case 5120:
                case 5121:
                    return 1;
                case 5122:
                case 5123:
                    return 2;
                case 5125:
                case 5126:
                    return 4;
                default:
                    throw UnreadableMesh(fmt::format("it has numbers of the unknown kind {}", type));
            }
        }
    };

    /// All of it lies within its buffer.
    Accessor accessor(std::size_t index, std::size_t components) {
        const GltfJson& json = entry("accessors", index);
        if (text(json, "type") != (components == 3 ? "VEC3" : "SCALAR"))
            throw UnreadableMesh(fmt::format("accessor {} is not of the type that it is used as", index));
        if (!json.contains("bufferView") || json.contains("sparse"))
            throw UnreadableMesh("it has sparse accessors, which are not read: save it without");
        const GltfJson& view = entry("bufferViews", number(json, "bufferView", 0));
        const auto normalized = json.find("normalized");
        Accessor result{.bytes = {},
                        .count = number(json, "count", 0),
                        .stride = 0,
                        .type = number(json, "componentType", 0),
                        .normalized = normalized != json.end() && normalized->is_boolean() && normalized->get<bool>()};
        const std::size_t item = components * Accessor::size_of(result.type);
        result.stride = number(view, "byteStride", item);
        const Bytes whole = buffer(number(view, "buffer", 0));
        const Bytes seen = section(whole, number(view, "byteOffset", 0), number(view, "byteLength", 0));
        const std::size_t offset = number(json, "byteOffset", 0);
        result.bytes = section(seen, offset, offset <= seen.size() ? seen.size() - offset : 0);
        const bool fits = result.count == 0 ||
                          (item <= result.bytes.size() &&
                           (result.stride == 0 ? result.count == 1
                                               : result.count - 1 <= (result.bytes.size() - item) / result.stride));
        if (!fits) throw UnreadableMesh(fmt::format("accessor {} leaves its buffer", index));
        return result;
    }

    [[nodiscard]] static Bytes section(Bytes whole, std::size_t from, std::size_t length) {
        if (from > whole.size() || length > whole.size() - from) throw UnreadableMesh("a buffer ends early");
        return whole.substr(from, length);
    }

    Bytes buffer(std::size_t index) {
        const auto known = buffers_.find(index);
        if (known != buffers_.end()) return known->second;
        const GltfJson& json = entry("buffers", index);
        const auto uri = json.is_object() ? json.find("uri") : json.end();
        if (uri == json.end()) {
            if (index != 0 || !parts_.binary) throw UnreadableMesh(fmt::format("buffer {} has no bytes", index));
            return *parts_.binary;
        }
        if (!uri->is_string()) throw UnreadableMesh("the 'uri' of a buffer is no text");
        if (buffers_.size() >= kMostBuffers)
            throw UnreadableMesh(fmt::format("it has more than {} buffers", kMostBuffers));
        const auto& address = uri->get_ref<const std::string&>();
        return buffers_.emplace(index, address.starts_with("data:") ? embedded(address) : neighbour(address))
            .first->second;
    }

    static std::string embedded(Bytes address) {
        const std::size_t comma = address.find(',');
        if (comma == Bytes::npos || !address.substr(0, comma).ends_with(";base64"))
            throw UnreadableMesh("its embedded data are no base64");
        return bytes_of_base64(address.substr(comma + 1));
    }

    std::string neighbour(Bytes address) {
        if (address.find("://") != Bytes::npos)
            throw UnreadableMesh(fmt::format("it has its buffer at '{}': only files are read", address.substr(0, 60)));
        return neighbour_(without_escapes(address));
    }

    static constexpr std::size_t kMostBuffers = 8;
    static constexpr std::size_t kMostPrimitives = 200'000;

    GltfParts parts_;
    const NeighbourReader& neighbour_;
    GltfJson root_;
    std::map<std::size_t, std::string> buffers_;
    MeshBuilder builder_;
    std::size_t primitives_ = 0;
};

}  // namespace

model::Mesh read_gltf(std::string_view bytes, const NeighbourReader& neighbour) {
    return GltfFile(bytes, neighbour).read();
}

}  // namespace bondgraph::io

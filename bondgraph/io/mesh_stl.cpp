#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "bondgraph/io/mesh_building.hpp"
#include "bondgraph/io/mesh_files.hpp"

namespace bondgraph::io {
namespace {

constexpr std::size_t kStlHeader = 80;
constexpr std::size_t kStlStart = kStlHeader + sizeof(std::uint32_t);
constexpr std::size_t kStlTriangle = 50;  // normal and corners, three numbers each, and two bytes

template <class Number>
Number little_endian_at(std::string_view bytes, std::size_t at) {
    Number value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::size_t stl_triangles(std::string_view bytes) {
    return bytes.size() < kStlStart ? 0 : little_endian_at<std::uint32_t>(bytes, kStlHeader);
}

model::Mesh read_binary_stl(std::string_view bytes) {
    if (bytes.size() < kStlStart) throw UnreadableMesh("it is no STL file: it ends within its head");
    const std::size_t count = stl_triangles(bytes);
    const std::size_t room = (bytes.size() - kStlStart) / kStlTriangle;
    if (count > room)
        throw UnreadableMesh(
            fmt::format("it is no STL file, or ends early: of {} triangles it has {} at most", count, room));
    MeshBuilder builder;
    builder.expect(count);
    for (std::size_t t = 0; t < count; ++t) {
        std::size_t at = kStlStart + t * kStlTriangle + 3 * sizeof(float);  // behind the normal
        std::array<std::uint32_t, 3> corners{};
        for (std::uint32_t& corner : corners) {
            std::array<double, 3> x{};
            for (double& component : x) {
                component = double{little_endian_at<float>(bytes, at)};
                at += sizeof(float);
            }
            corner = builder.vertex(x);
        }
        builder.triangle(corners[0], corners[1], corners[2]);
    }
    return builder.take();
}

bool is_word(std::string_view word, std::string_view wanted) {
    return std::ranges::equal(word, wanted,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

class StlText {
   public:
    explicit StlText(std::string_view text) : text_(text) {}

    model::Mesh read() {
        for (std::size_t begin = 0; begin < text_.size();) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            ++line_;
            line(Words(text_.substr(begin, end - begin)));
            begin = end + 1;
        }
        if (!corners_.empty()) throw UnreadableMesh("it ends within a facet");
        return builder_.take();
    }

   private:
    void line(Words words) {
        const std::string_view word = words.next();
        if (is_word(word, "vertex")) {
            std::array<double, 3> x{};
            for (double& component : x) {
                const auto number = mesh_number(words.next());
                if (!number) throw UnreadableMesh(fmt::format("in line {} is no vertex of three numbers", line_));
                component = *number;
            }
            if (corners_.size() == 3)
                throw UnreadableMesh(fmt::format("in line {} a facet has a fourth corner", line_));
            corners_.push_back(builder_.vertex(x));
        } else if (is_word(word, "endfacet")) {
            if (corners_.size() != 3)
                throw UnreadableMesh(
                    fmt::format("in line {} a facet ends that has {} corners", line_, corners_.size()));
            builder_.triangle(corners_[0], corners_[1], corners_[2]);
            corners_.clear();
        }
    }

    std::string_view text_;
    std::size_t line_ = 0;
    MeshBuilder builder_;
    std::vector<std::uint32_t> corners_;
};

}  // namespace

// Binary ones may begin with "solid", too: those have as many bytes as their triangles take.
model::Mesh read_stl(std::string_view bytes) {
    const bool exact = bytes.size() >= kStlStart && bytes.size() - kStlStart == stl_triangles(bytes) * kStlTriangle;
    const bool solid = is_word(Words(bytes.substr(0, bytes.find('\n'))).next(), "solid");
    return solid && !exact ? StlText(bytes).read() : read_binary_stl(bytes);
}

}  // namespace bondgraph::io

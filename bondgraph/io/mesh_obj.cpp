#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "bondgraph/io/mesh_building.hpp"
#include "bondgraph/io/mesh_files.hpp"
#include "bondgraph/io/polygon.hpp"

namespace bondgraph::io {
namespace {

constexpr std::size_t kMostLooks = 200'000'000;  ///< at corners, while faces are divided into triangles
constexpr std::size_t kMostLibraries = 16;       ///< of materials; further ones give no colours

/// Calls with each line and its number; a line may go on behind a '\' at its end. Remarks are left out.
void for_each_line(std::string_view text, const std::function<void(std::string_view, std::size_t)>& visit) {
    std::string joined;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const bool goes_on = line.ends_with('\\');
        if (goes_on) line.remove_suffix(1);
        if (goes_on || !joined.empty()) {
            joined.append(line).append(" ");
            if (goes_on && begin < text.size()) continue;
            line = joined;
        }
        visit(line.substr(0, line.find('#')), number);
        joined.clear();
    }
}

/// What is left of a line, without blanks around it: names of files and materials may have some inside.
std::string rest_of_line(std::string_view line) {
    constexpr std::string_view kBlank = " \t";
    const std::size_t first = line.find_first_not_of(kBlank);
    const std::size_t space = std::min(line.find_first_of(kBlank, first), line.size());
    const std::size_t begin = std::min(line.find_first_not_of(kBlank, space), line.size());
    const std::size_t end = line.find_last_not_of(kBlank) + 1;
    return std::string(line.substr(begin, end > begin ? end - begin : 0));
}

class ObjText {
   public:
    ObjText(std::string_view text, const NeighbourReader& neighbour) : text_(text), neighbour_(neighbour) {}

    model::Mesh read() {
        for_each_line(text_, [&](std::string_view line, std::size_t number) {
            line_ = number;
            Words words(line);
            const std::string_view key = words.next();
            if (key == "v")
                vertex(words);
            else if (key == "f")
                face(words);
            else if (key == "usemtl")
                use(rest_of_line(line));
            else if (key == "mtllib")
                read_materials(rest_of_line(line));
        });
        return builder_.take();
    }

   private:
    void vertex(Words& words) {
        std::array<double, 3> x{};
        for (double& component : x) {
            const auto number = mesh_number(words.next());
            if (!number) fail("a vertex has three numbers");
            component = *number;
        }
        builder_.vertex(x);
    }

    void face(Words& words) {
        corners_.clear();
        places_.clear();
        for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
            corners_.push_back(corner(word.substr(0, word.find('/'))));
            places_.push_back(builder_.at(corners_.back()));
        }
        if (corners_.size() < 3) fail(fmt::format("a face has three corners or more, not {}", corners_.size()));
        builder_.expect(corners_.size() - 2);
        const auto triangles = triangles_of_polygon(places_, looks_);
        if (triangles.empty()) fail("its faces have too many corners: save it with triangles");
        for (const auto& t : triangles) builder_.triangle(corners_[t[0]], corners_[t[1]], corners_[t[2]]);
    }

    /// "3" is the third vertex, "-1" the last one so far.
    std::uint32_t corner(std::string_view word) {
        long long number = 0;
        const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failure != std::errc{} || end != word.data() + word.size() || number == 0)
            fail(fmt::format("'{}' is no number of a vertex", word.substr(0, 20)));
        const auto count = static_cast<long long>(builder_.vertices());
        const long long at = number > 0 ? number - 1 : count + number;
        if (at < 0 || at >= count) fail(fmt::format("a face names vertex {}, of {} so far", word, count));
        return static_cast<std::uint32_t>(at);
    }

    void use(const std::string& material) {
        const auto known = colours_.find(material);
        builder_.colour(known == colours_.end() ? std::nullopt : known->second);
    }

    /// One that can't be read, or is not to be, gives no colours.
    void read_materials(const std::string& name) {
        if (libraries_.size() >= kMostLibraries || !libraries_.insert(name).second) return;
        std::string text;
        try {
            text = neighbour_(name);
        } catch (const UnreadableMesh&) {
            return;
        }
        std::string material;
        for_each_line(text, [&](std::string_view line, std::size_t) {
            Words words(line);
            const std::string_view key = words.next();
            if (key == "newmtl") material = rest_of_line(line);
            if (key != "Kd" || material.empty()) return;
            std::array<std::uint8_t, 3> colour{};
            for (std::uint8_t& part : colour) {
                const auto share = mesh_number(words.next());
                if (!share || !std::isfinite(*share)) return;
                part = static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(*share, 0.0, 1.0)));
            }
            colours_[material] = colour;
        });
    }

    [[noreturn]] void fail(const std::string& why) const {
        throw UnreadableMesh(fmt::format("in line {}: {}", line_, why));
    }

    std::string_view text_;
    const NeighbourReader& neighbour_;
    std::size_t line_ = 0;
    MeshBuilder builder_;
    std::vector<std::uint32_t> corners_;
    std::vector<std::array<float, 3>> places_;
    std::size_t looks_ = kMostLooks;
    std::set<std::string> libraries_;
    std::map<std::string, MeshBuilder::Colour> colours_;
};

}  // namespace

model::Mesh read_obj(std::string_view text, const NeighbourReader& neighbour) {
    return ObjText(text, neighbour).read();
}

}  // namespace bondgraph::io

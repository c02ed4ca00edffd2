#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace bondgraph {

/// A typed index into one of a stage's arrays: an `Id<Bond>` can't be mistaken for an `Id<Vertex>`.
template <class Tag>
struct Id {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = kNone;

    constexpr Id() = default;
    constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}

    [[nodiscard]] constexpr bool valid() const { return value != kNone; }
    [[nodiscard]] constexpr std::size_t index() const { return value; }
    friend constexpr auto operator<=>(Id, Id) = default;
};

/// No index: what tables of indices hold where there is nothing.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace bondgraph

template <class Tag>
struct std::hash<bondgraph::Id<Tag>> {
    std::size_t operator()(bondgraph::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};

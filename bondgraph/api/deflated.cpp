#include "bondgraph/api/deflated.hpp"

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace bondgraph::api {

std::string deflated(std::string_view bytes) {
    // The next level takes half as long again for 1 to 8 % of the size, and 1 two thirds of the time for 9 to 40 %
    // more.
    constexpr int kLevel = 5;
    std::string result(compressBound(bytes.size()), '\0');
    uLongf size = result.size();
    const int done = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel);
    if (done != Z_OK) throw std::bad_alloc();  // there is room for all that can come of it
    result.resize(size);
    return result;
}

std::string in_planes(std::string_view numbers) {
    constexpr std::size_t kWordBytes = 4;
    const std::size_t count = (numbers.size() + kWordBytes - 1) / kWordBytes;
    const auto word = [&](std::size_t i) {
        std::uint32_t value = 0;
        for (std::size_t k = 0; k < kWordBytes && kWordBytes * i + k < numbers.size(); ++k)
            value |= std::uint32_t{static_cast<std::uint8_t>(numbers[kWordBytes * i + k])} << 8U * k;
        return value;
    };
    std::string planes(kWordBytes * count, '\0');
    std::uint32_t last_but_one = 0;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t now = word(i);
        const std::uint32_t difference = now - last_but_one;
        for (std::size_t k = 0; k < kWordBytes; ++k)
            planes[k * count + i] = static_cast<char>(difference >> 8U * k & 0xFFU);
        last_but_one = last;
        last = now;
    }
    return planes;
}

}  // namespace bondgraph::api

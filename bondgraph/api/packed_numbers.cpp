#include "bondgraph/api/packed_numbers.hpp"

#include <algorithm>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cmath>

namespace bondgraph::api {

namespace {

using Json = nlohmann::ordered_json;

template <class Replace>
void replace_bytes(Json& data, const Replace& replace) {
    if (data.is_binary()) {
        data = replace(data.get_binary());
    } else if (data.is_structured()) {
        for (Json& inner : data) replace_bytes(inner, replace);
    }
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) {
    using namespace boost::archive::iterators;
    using Digits = base64_from_binary<transform_width<const std::uint8_t*, 6, 8>>;
    std::string text(Digits(bytes.data()), Digits(bytes.data() + bytes.size()));
    text.append((3 - bytes.size() % 3) % 3, '=');
    return text;
}

std::size_t packed_size(const Json& data) {
    if (data.is_binary()) return data.get_binary().size();
    std::size_t size = 0;
    if (data.is_structured()) {
        for (const Json& inner : data) size += packed_size(inner);
    }
    return size;
}

void write_base64(Json& data) {
    replace_bytes(data, [](const Json::binary_t& bytes) { return Json(base64(bytes)); });
}

std::string part_bytes(Json& data) {
    std::string all;
    replace_bytes(data, [&](const Json::binary_t& bytes) {
        Json place{{"bytes", {all.size(), bytes.size()}}};
        all.append(bytes.begin(), bytes.end());
        all.resize((all.size() + 3) / 4 * 4);
        return place;
    });
    return all;
}

std::vector<std::size_t> kept_rows(std::size_t rows, std::size_t columns, std::size_t most) {
    const std::size_t wanted = std::max<std::size_t>(2, most / std::max<std::size_t>(1, columns));
    const std::size_t stride = std::max<std::size_t>(1, (rows + wanted - 1) / wanted);
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows; row += stride) kept.push_back(row);
    if (rows > 0 && kept.back() != rows - 1) kept.push_back(rows - 1);
    return kept;
}

Json packed_rows(std::span<const double> values, std::size_t width, std::span<const std::size_t> kept) {
    std::vector<float> numbers;
    numbers.reserve(width * kept.size());
    for (const std::size_t row : kept) {
        for (std::size_t i = 0; i < width; ++i) numbers.push_back(static_cast<float>(values[width * row + i]));
    }
    const bool constant = std::equal(numbers.begin() + static_cast<std::ptrdiff_t>(std::min(width, numbers.size())),
                                     numbers.end(), numbers.begin());
    if (constant) numbers.resize(std::min(width, numbers.size()));
    return packed(std::span<const float>(numbers));
}

Json packed_times(std::span<const double> time, std::span<const std::size_t> kept) {
    std::vector<double> numbers;
    for (const std::size_t row : kept) numbers.push_back(time[row]);
    return packed(std::span<const double>(numbers));
}

bool is_wide(std::span<const double> values) {
    constexpr double kLargest = 1e37;
    constexpr double kSmallest = 1e-30;
    return std::ranges::any_of(values, [](double v) {
        const double size = std::abs(v);
        return std::isfinite(v) && (size > kLargest || (size > 0.0 && size < kSmallest));
    });
}

Json packed_wide(std::span<const double> values, std::span<const std::size_t> kept) {
    std::vector<double> numbers;
    for (const std::size_t row : kept) numbers.push_back(values[row]);
    return packed(std::span<const double>(numbers));
}

}  // namespace bondgraph::api

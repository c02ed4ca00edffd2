#include "bondgraph/api/packed_numbers.hpp"

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>

namespace bondgraph::api {

std::string base64(std::span<const char> bytes) {
    using namespace boost::archive::iterators;
    using Digits = base64_from_binary<transform_width<const char*, 6, 8>>;
    std::string text(Digits(bytes.data()), Digits(bytes.data() + bytes.size()));
    text.append((3 - bytes.size() % 3) % 3, '=');
    return text;
}

}  // namespace bondgraph::api

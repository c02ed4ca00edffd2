#include "tests/mechanics3d/edited_models.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bondgraph::test {

namespace {

std::size_t line_of(const std::string& text, const std::string& name) {
    const std::string key = "  " + name + ":";
    if (text.starts_with(key)) return 0;
    const std::size_t at = text.find("\n" + key);
    if (at == std::string::npos) throw std::invalid_argument(fmt::format("not in the model: {}", name));
    return at + 1;
}

}  // namespace

std::string edited(std::string text, const std::vector<std::pair<std::string, std::string>>& edits) {
    for (const auto& [old, now] : edits) {
        const std::size_t at = text.find(old);
        if (at == std::string::npos || text.find(old, at + 1) != std::string::npos)
            throw std::invalid_argument(fmt::format("not once in the model: {}", old));
        text.replace(at, old.size(), now);
    }
    return text;
}

std::string model_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::size_t end = text.find("\noutputs:");
    if (end == std::string::npos) throw std::invalid_argument(file.string());
    return text.substr(0, end + 1);
}

std::string with_part(std::string text, const std::string& name, const std::string& now) {
    const std::size_t at = line_of(text, name);
    return text.replace(at, text.find('\n', at) - at, fmt::format("  {}: {}", name, now));
}

std::string without(std::string text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
        const std::size_t at = line_of(text, part);
        text.erase(at, text.find('\n', at) + 1 - at);
    }
    return text;
}

}  // namespace bondgraph::test

#include "tests/parts/exceptions.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace bondgraph::parts {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern.front() == '*') {
        for (std::size_t k = 0; k <= name.size(); ++k)
            if (matches(pattern.substr(1), name.substr(k))) return true;
        return false;
    }
    return !name.empty() && name.front() == pattern.front() && matches(pattern.substr(1), name.substr(1));
}

}  // namespace

std::vector<Exception> read_exceptions(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("can't read '{}'", file));
    std::vector<Exception> all;
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (line.empty() || line.front() == '#') continue;
        const std::size_t blank = line.find(' ');
        const std::size_t colon = line.find(": ", blank);
        if (blank == std::string::npos || colon == std::string::npos || colon + 2 >= line.size())
            throw std::runtime_error(fmt::format("{}:{}: not 'KIND PATTERN: REASON'", file, number));
        all.push_back({line.substr(0, blank), line.substr(blank + 1, colon - blank - 1), line.substr(colon + 2)});
    }
    return all;
}

Exception* find_exception(std::vector<Exception>& all, std::string_view kind, std::string_view name) {
    for (Exception& e : all) {
        if (e.kind != kind || !matches(e.pattern, name)) continue;
        ++e.uses;
        return &e;
    }
    return nullptr;
}

}  // namespace bondgraph::parts

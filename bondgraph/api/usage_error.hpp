#pragma once

#include <stdexcept>

namespace bondgraph::api {

/// What was asked for can't be done as it was asked: no such file, an option without a form.
class UsageError : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

}  // namespace bondgraph::api

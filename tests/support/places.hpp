#pragma once

#include <string>

/// Where things are on this machine. In one source only, so that the objects of all others can be shared by builds in
/// other places.
namespace bondgraph::test {

/// Of the repository.
const std::string& source_folder();

/// The command-line program that is tested.
const std::string& program();

/// Man pages and completion, laid out as under share/ of a system.
const std::string& pages_folder();

}  // namespace bondgraph::test

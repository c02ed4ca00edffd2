#pragma once

#include <string>
#include <vector>

namespace bondgraph::serve {

/// What a process that answers for the server is told.
struct WorkerOptions {
    std::string root;                         ///< the folder that is served
    std::vector<std::string> import_folders;  ///< of BONDGRAPH_PATH
};

/// Reads requests from standard input, frame by frame, and writes the answers to standard output until the input ends.
/// A process of its own: whatever a model does to it, the server goes on. It takes at most kMemory and writes no files.
int work(const WorkerOptions& options);

}  // namespace bondgraph::serve

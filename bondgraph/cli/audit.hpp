#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::cli {

/// What of the energy audit was asked for, as typed.
struct AuditOptions {
    bool table = false;
    std::string json;
    std::string sankey;
    std::string window;

    [[nodiscard]] bool any() const { return table || !json.empty() || !sankey.empty(); }
};

/// The energy audit of a run, from its options to its table and files.
class Audit {
   public:
    /// Sets what the run has to keep and opens the files. Throws UsageError: a window without an audit, of no length or
    /// outside the run, files that can't be written; ModelError for times that are none.
    Audit(Session& session, const AuditOptions& options, simulation::Settings& settings);

    /// Gives the files that were written. A run that failed has no audit, which is said.
    std::vector<std::string> report(const Session& session, const simulation::Summary& summary);

   private:
    bool asked_;
    bool table_;
    std::unique_ptr<OutputFile> json_;
    std::unique_ptr<OutputFile> sankey_;
};

}  // namespace bondgraph::cli

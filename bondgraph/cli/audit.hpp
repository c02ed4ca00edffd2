#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"

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
    /// Sets what the run has to keep. Throws UsageError: a window without an audit, of no length or outside the run, a
    /// Sankey diagram that is no SVG; Refused for times that are none.
    Audit(const api::Model& model, const AuditOptions& options, api::RunOptions& run);

    /// Throws UsageError for files that can't be written.
    void open_files(const api::Model& model);
    /// Gives the files that were written. A run that failed has no audit, which is said.
    std::vector<std::string> report(const api::Model& model, const api::Run& run);

   private:
    AuditOptions options_;
    std::unique_ptr<api::OutputFile> json_;
    std::unique_ptr<api::OutputFile> sankey_;
};

}  // namespace bondgraph::cli

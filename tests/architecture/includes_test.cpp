#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/architecture/include_rules.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::architecture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path kRoot{test::source_folder()};

// Paths from the repository's root, sorted, of all C++ files below a folder.
std::vector<std::string> source_files(const std::string& folder) {
    std::vector<std::string> files;
    if (!std::filesystem::exists(kRoot / folder)) return files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".cpp" || extension == ".hpp") {
            files.push_back(entry.path().lexically_relative(kRoot).generic_string());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string contents(const std::string& path) {
    std::ifstream in(kRoot / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Architecture, EverySourceIncludesOnlyWhatItsFolderMayUse) {
    for (const std::string top : {"bondgraph", "converters", "mechanics3d"}) {
        for (const std::string& file : source_files(top)) {
            EXPECT_THAT(violations(file, contents(file)), IsEmpty());
        }
    }
}

TEST(Architecture, TheSourcesOfEveryFolderOfBondgraphAreFound) {
    for (const Folder& folder : folders()) {
        if (folder.name.starts_with("bondgraph/")) {
            EXPECT_FALSE(source_files(std::string(folder.name)).empty()) << folder.name;
        }
    }
}

TEST(Architecture, TheTableHasNoCycle) {
    for (const Folder& folder : folders()) {
        for (const std::string_view used : folder.uses) {
            EXPECT_FALSE(may_use(used, folder.name)) << folder.name << " and " << used;
        }
    }
}

TEST(Architecture, OnlyTheBaseStandsAlone) {
    for (const Folder& folder : folders()) {
        EXPECT_TRUE(may_use(folder.name, "bondgraph/base")) << folder.name;
        EXPECT_EQ(folder.uses.empty(), folder.name == "bondgraph/base") << folder.name;
    }
}

TEST(IncludeRules, WhatAUsedFolderBringsIsAllowed) {
    EXPECT_THAT(violations("bondgraph/causality/scap.cpp", "#include \"bondgraph/base/id.hpp\"\n"), IsEmpty());
    EXPECT_THAT(violations("mechanics3d/joint.cpp", "#include \"bondgraph/expression/expr.hpp\"\n"), IsEmpty());
}

TEST(IncludeRules, AnUpwardIncludeIsReportedWithItsLine) {
    EXPECT_THAT(
        violations("bondgraph/model/tree.cpp", "#include <vector>\n\n#  include \"bondgraph/io/yaml_tree.hpp\"\n"),
        ElementsAre("bondgraph/model/tree.cpp:3: 'bondgraph/io/yaml_tree.hpp': bondgraph/model may not use "
                    "bondgraph/io"));
}

TEST(IncludeRules, AnIncludeBetweenSiblingsIsReported) {
    EXPECT_EQ(violations("bondgraph/elements/storage.cpp", "#include \"bondgraph/causality/strokes.hpp\"").size(), 1U);
    EXPECT_EQ(violations("bondgraph/structure/blt.cpp", "#include \"bondgraph/expression/expr.hpp\"").size(), 1U);
}

TEST(IncludeRules, AngleBracketsHideNothing) {
    EXPECT_EQ(violations("bondgraph/base/id.hpp", "#include <bondgraph/model/tree.hpp>").size(), 1U);
}

TEST(IncludeRules, AnIncludeThatIsNotFromTheRootIsReported) {
    EXPECT_EQ(violations("bondgraph/base/units.cpp", "#include \"units.hpp\"").size(), 1U);
    EXPECT_EQ(violations("bondgraph/base/units.cpp", "#include \"tests/base/helper.hpp\"").size(), 1U);
}

TEST(IncludeRules, ConfinedLibrariesAreSeenByOneFolderOnly) {
    EXPECT_THAT(violations("bondgraph/io/yaml.cpp", "#include <yaml-cpp/yaml.h>"), IsEmpty());
    EXPECT_EQ(violations("bondgraph/cli/main.cpp", "#include <yaml-cpp/yaml.h>").size(), 1U);
    EXPECT_THAT(violations("bondgraph/simulation/ida.cpp", "#include <idas/idas.h>"), IsEmpty());
    EXPECT_THAT(violations("bondgraph/analysis/energy.cpp", "#include <sunmatrix/sunmatrix_sparse.h>"),
                ElementsAre("bondgraph/analysis/energy.cpp:1: 'sunmatrix/sunmatrix_sparse.h': only "
                            "bondgraph/simulation may see SUNDIALS"));
    EXPECT_THAT(violations("bondgraph/base/units.cpp", "#include <udunits2.h>"), IsEmpty());
    EXPECT_EQ(violations("bondgraph/io/units.cpp", "#include <udunits2.h>").size(), 1U);
}

TEST(IncludeRules, TheProgramSeesTheInterfaceOnly) {
    EXPECT_THAT(violations("bondgraph/cli/run.cpp", "#include \"bondgraph/api/bondgraph.hpp\""), IsEmpty());
    EXPECT_THAT(violations("bondgraph/cli/run.cpp", "#include \"bondgraph/api/text_table.hpp\""), IsEmpty());
    EXPECT_EQ(violations("bondgraph/cli/run.cpp", "#include \"bondgraph/api/session.hpp\"").size(), 1U);
    EXPECT_EQ(violations("bondgraph/cli/run.cpp", "#include \"bondgraph/io/plot.hpp\"").size(), 1U);
}

TEST(Architecture, InterfaceIncludesNothingOfTheInside) {
    for (const std::string header : {"bondgraph", "calls", "energy", "judgements", "linear", "pictures",
                                     "port_hamiltonian", "reduction", "reference", "reports", "results", "runs"}) {
        const std::string text = contents("bondgraph/api/" + header + ".hpp");
        EXPECT_FALSE(text.empty()) << header;
        EXPECT_THAT(inside_of_interface(text), IsEmpty()) << header;
    }
}

TEST(IncludeRules, AFolderMissingFromTheTableIsReported) {
    EXPECT_THAT(violations("bondgraph/util/helpers.hpp", ""),
                ElementsAre("bondgraph/util/helpers.hpp: in no folder of the architecture's table"));
}

}  // namespace
}  // namespace bondgraph::architecture

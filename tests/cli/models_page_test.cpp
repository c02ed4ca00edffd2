// docs/models.md lists every model of models/ once, under its name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/documentation.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

const std::filesystem::path kRoot{test::source_folder()};

std::vector<std::string> shipped_models() {
    std::vector<std::string> models;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "models")) {
        const bool library = entry.path().parent_path().filename() == "library";
        if (entry.path().extension() == ".yaml" && !library)
            models.push_back(entry.path().lexically_relative(kRoot).generic_string());
    }
    std::sort(models.begin(), models.end());
    return models;
}

struct Row {
    std::string name;
    std::string path;  ///< from the repository's root
};

// The rows of the tables: | [name](../models/folder/name.yaml) | what it teaches |
std::vector<Row> listed_models(const std::string& page) {
    static const std::regex kRow(R"(\n\| \[(\w+)\]\(\.\./(models/[^)]+\.yaml)\) \| [^|\n]+ \|)");
    std::vector<Row> rows;
    for (std::sregex_iterator match(page.begin(), page.end(), kRow), end; match != end; ++match) {
        rows.push_back({.name = (*match)[1], .path = (*match)[2]});
    }
    return rows;
}

TEST(ModelsPage, ListsEveryShippedModelOnce) {
    std::vector<std::string> paths;
    for (const Row& row : listed_models(repository_file("docs/models.md"))) paths.push_back(row.path);
    std::sort(paths.begin(), paths.end());
    EXPECT_THAT(paths, testing::ElementsAreArray(shipped_models()));
}

TEST(ModelsPage, NamesModelsAsTheirFilesDo) {
    for (const Row& row : listed_models(repository_file("docs/models.md"))) {
        EXPECT_EQ(std::filesystem::path(row.path).stem(), row.name);
        const std::string file = repository_file(row.path);
        EXPECT_EQ(file.substr(0, file.find('\n')), "model: " + row.name);
    }
}

}  // namespace
}  // namespace bondgraph::cli

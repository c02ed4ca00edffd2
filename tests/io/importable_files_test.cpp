// Files of types in folders where imports are looked for.

#include "bondgraph/io/importable_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ImportableFiles : public test::InTemporaryFolder {
   protected:
    std::vector<std::string> names(const std::vector<std::string>& folders) {
        std::vector<std::string> result;
        for (const ImportableFile& file : importable_files(paths(folders)))
            result.push_back(fs::relative(file.path, folder_).string());
        return result;
    }

    std::vector<fs::path> paths(const std::vector<std::string>& folders) {
        std::vector<fs::path> result;
        for (const std::string& folder : folders) result.push_back(folder_ / folder);
        return result;
    }
};

const std::string kType = "types:\n  Loss: {ports: {p: {domain: electrical}}, equations: [p.e = p.f]}\n";

TEST_F(ImportableFiles, HoldTypesAndNoModel) {
    write("a/motors.yaml", kType);
    write("a/kinds.yaml", "connector_types: {}\n");
    write("a/oils.yaml", "model: oils\nrecords: {Oil: {parameters: {rho: 1}}}\n");
    write("a/model.yaml", "model: m\n" + kType + "components: {}\n");
    write("a/notes.yaml", "title: no model either\n");
    write("a/types.txt", kType);
    write("a/deeper/hidden.yaml", kType);
    EXPECT_THAT(names({"a"}), ElementsAre("a/kinds.yaml", "a/motors.yaml", "a/oils.yaml"));
    EXPECT_THAT(names({}), IsEmpty());
}

// The same that tells which files of a folder are no models.
TEST_F(ImportableFiles, AreAskedForOneByOne) {
    write("oils.yaml", "model: oils\nrecords: {Oil: {parameters: {rho: 1}}}\n");
    write("model.yaml", "types: {}\ncomponents: {}\n");
    write("notes.yaml", "title: no model either\n");
    EXPECT_TRUE(is_importable(folder_ / "oils.yaml"));
    for (const char* other : {"model.yaml", "notes.yaml", "none.yaml", "."})
        EXPECT_FALSE(is_importable(folder_ / other));
}

TEST_F(ImportableFiles, AreThoseThatAnImportFinds) {
    write("a/motors.yaml", kType);
    write("b/motors.yaml", kType);
    write("b/gears.yaml", kType);
    EXPECT_THAT(names({"nowhere", "a", "b"}), ElementsAre("a/motors.yaml", "b/gears.yaml"));
    EXPECT_THAT(names({"b", "a"}), ElementsAre("b/gears.yaml", "b/motors.yaml"));
}

TEST_F(ImportableFiles, AreAskedForTheTypesTheyDeclareThemselves) {
    write("a/it's.yaml", kType);
    write("a/user.yaml", "import: [\"it's\"]\ntypes:\n  Twice: {extends: Loss}\n  Base: {parameters: {x: 1}}\n");
    write("a/wrong.yaml", "types:\n  Loss: {prts: {}}\n");
    const auto files_with = [&](const std::string& type) {
        std::vector<std::string> result;
        for (const ImportableFile& file : importable_files_with(type, paths({"a"}))) result.push_back(file.name);
        return result;
    };
    EXPECT_THAT(files_with("Loss"), ElementsAre("it's"));
    EXPECT_THAT(files_with("Twice"), ElementsAre("user"));
    EXPECT_THAT(files_with("Base"), IsEmpty()) << "only there to be extended";
    EXPECT_THAT(files_with("Los"), IsEmpty());
}

TEST_F(ImportableFiles, AreNamedToWhoImportsWhatIsNotThere) {
    for (int k = 0; k < 25; ++k) write("many/t" + std::to_string(100 + k) + ".yaml", kType);
    write("a/motors.yaml", kType);
    EXPECT_THAT(
        files_to_try("motor", paths({"a"})),
        testing::AllOf(testing::StartsWith("BONDGRAPH_PATH leads to: motors; the library of parts has: blocks, "),
                       testing::EndsWith("; did you mean 'motors'?")));
    const std::string of_many = files_to_try("x", paths({"many"}));
    EXPECT_THAT(of_many, HasSubstr("t119, …; "));
    EXPECT_THAT(of_many, Not(HasSubstr("t120")));
    EXPECT_THAT(files_to_try("x", {}), testing::StartsWith("the library of parts has: "));
}

}  // namespace
}  // namespace bondgraph::io

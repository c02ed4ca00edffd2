#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "bondgraph/io/load_model.hpp"
#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class LoadImport : public test::InTemporaryFolder {
   protected:
    model::Model load(const std::string& name) { return load_model(folder_ / name, sources_); }

    /// What is said about a file, with the folder's name taken out.
    std::string mistakes(const std::string& name) {
        try {
            load(name);
        } catch (const ModelError& error) {
            std::string said;
            for (const Diagnostic& d : error.diagnostics()) {
                if (d.position.known())
                    said += sources_.name(d.position.file) + ":" + std::to_string(d.position.line) + ":" +
                            std::to_string(d.position.column) + " ";
                said += d.code + " " + d.message + "\n";
                for (const DiagnosticNote& note : d.notes) said += "  " + note.label + ": " + note.text + "\n";
            }
            return without_folder(said);
        }
        return "none";
    }

    std::vector<std::string> types(const model::Model& model) {
        std::vector<std::string> names;
        for (const auto& type : model.types) names.push_back(type.name.text);
        return names;
    }

    static std::string reason(std::errc error) { return std::make_error_code(error).message(); }

    SourceMap sources_;
};

std::string library(const std::string& type, const std::string& more = "") {
    return "model: lib\ndescription: some types\ntypes: {" + type + ": {equations: [x = 1]}}\n" + more;
}

std::string importing(const std::string& what) { return "model: m\nimport: " + what + "\ncomponents: {}\n"; }

TEST_F(LoadImport, BringsTheTypesOfAFile) {
    write("m.yaml", importing("lib.yaml") + "types: {Own: {equations: [x = 1]}}\n");
    write("lib.yaml", library("Far"));
    const auto model = load("m.yaml");
    EXPECT_THAT(types(model), ElementsAre("Own", "Far"));
    EXPECT_EQ(model.name.text, "m");
    EXPECT_EQ(model.description, "");
    EXPECT_EQ(model.types[1].name.position, (SourcePosition{1, 3, 9}));
    EXPECT_EQ(sources_.name(1), (folder_ / "lib.yaml").string());
}

TEST_F(LoadImport, IsRelativeToTheImportingFile) {
    write("m.yaml", importing("[parts/a.yaml, parts/../b.yaml]"));
    write("parts/a.yaml", library("A", "import: deep/c.yaml\n"));
    write("parts/deep/c.yaml", library("C", "import: ../../d.yaml\n"));
    write("b.yaml", library("B"));
    write("d.yaml", library("D"));
    EXPECT_THAT(types(load("m.yaml")), ElementsAre("A", "C", "D", "B"));
    EXPECT_EQ(sources_.name(4), (folder_ / "b.yaml").string());
}

TEST_F(LoadImport, NeedsNoFileEnding) {
    write("m.yaml", importing("[a, parts/b, c.yaml]"));
    write("a.yaml", library("A"));
    write("parts/b.yaml", library("B", "import: d\n"));
    write("parts/d.yaml", library("D"));
    write("c.yaml", library("C"));
    fs::create_directories(folder_ / "a");  // no file
    EXPECT_THAT(types(load("m.yaml")), ElementsAre("A", "B", "D", "C"));
}

TEST_F(LoadImport, LooksInTheFoldersGivenToo) {
    write("work/m.yaml", importing("[electrical, own, m]"));
    write("work/own.yaml", library("Own"));
    write("first/own.yaml", library("NotThis"));
    write("first/m.yaml", library("NamesakeOfTheModel"));
    write("second/electrical.yaml", library("Pin", "import: base\n"));
    write("second/base.yaml", library("Base"));
    write("first/electrical", library("NoYamlBehindIt"));
    const std::vector<fs::path> search{folder_ / "nowhere", folder_ / "first", folder_ / "second"};
    ReadModel read = read_model(folder_ / "work/m.yaml", sources_, search);
    EXPECT_FALSE(read.diagnostics.has_errors());
    EXPECT_THAT(types(read.model), ElementsAre("NoYamlBehindIt", "Own", "NamesakeOfTheModel"));
    fs::remove(folder_ / "first/electrical");
    ReadModel again = read_model(folder_ / "work/m.yaml", sources_, search);
    EXPECT_THAT(types(again.model), ElementsAre("Pin", "Base", "Own", "NamesakeOfTheModel"));
}

TEST_F(LoadImport, SaysWhereItLooked) {
    write("m.yaml", importing("electric"));
    EXPECT_THAT(mistakes("m.yaml"), testing::StartsWith(fmt::format(
                                        "m.yaml:2:9 BG-M022 can't read 'electric': {}\n"
                                        "  where: there is none of: electric, electric.yaml, library:/electric.yaml\n"
                                        "  try: the library of parts has: ",
                                        reason(std::errc::no_such_file_or_directory))));
    EXPECT_THAT(mistakes("m.yaml"), testing::HasSubstr("did you mean 'electrical'?"));
}

// Beside the model, and in folders asked for, comes before what the program carries along.
TEST_F(LoadImport, FindsTheLibraryOfPartsLast) {
    write("m.yaml", importing("electrical"));
    EXPECT_THAT(types(load("m.yaml")), testing::Contains("Resistor"));
    write("electrical.yaml", library("Mine"));
    EXPECT_THAT(types(load("m.yaml")), ElementsAre("Mine"));
    write("n.yaml", importing("parts/electrical"));
    EXPECT_NE(mistakes("n.yaml"), "none");  // a folder is not of the library
}

TEST_F(LoadImport, ReadsAFileOnceWhateverTheRoute) {
    write("m.yaml", importing("[a.yaml, b.yaml, parts/../c.yaml, link.yaml]"));
    write("a.yaml", library("A", "import: c.yaml\n"));
    write("b.yaml", library("B", "import: [parts/../c.yaml]\n"));
    write("c.yaml", library("C"));
    fs::create_directories(folder_ / "parts");
    fs::create_symlink(folder_ / "c.yaml", folder_ / "link.yaml");
    EXPECT_THAT(types(load("m.yaml")), ElementsAre("A", "C", "B"));
    EXPECT_EQ(sources_.size(), 4U);
}

TEST_F(LoadImport, FollowsALongChain) {
    constexpr int kLength = 2000;
    write("m.yaml", importing("f0.yaml"));
    for (int i = 0; i < kLength; ++i)
        write("f" + std::to_string(i) + ".yaml",
              i + 1 < kLength ? "import: f" + std::to_string(i + 1) + ".yaml\n" : library("Last"));
    EXPECT_THAT(types(load("m.yaml")), ElementsAre("Last"));
}

TEST_F(LoadImport, AnEmptyLibraryIsNoMistake) {
    write("m.yaml", importing("lib.yaml"));
    write("lib.yaml", "# nothing yet\n");
    EXPECT_THAT(types(load("m.yaml")), ElementsAre());
}

TEST_F(LoadImport, ACircleIsNamedInFull) {
    write("m.yaml", importing("a.yaml"));
    write("a.yaml", library("A", "import: b.yaml\n"));
    write("b.yaml", library("B", "import: [a.yaml, ./b.yaml]\n"));
    EXPECT_EQ(mistakes("m.yaml"),
              "b.yaml:4:10 BG-M021 circular import: 'a.yaml' imports 'b.yaml' imports 'a.yaml'\n"
              "  try: move what both files need into a third one that imports neither\n"
              "b.yaml:4:18 BG-M021 circular import: 'b.yaml' imports 'b.yaml'\n"
              "  try: move what both files need into a third one that imports neither\n");
}

TEST_F(LoadImport, AFileThatIsNotThereIsNamedWithTheReason) {
    write("m.yaml", importing("[parts/no.yaml, .]"));
    EXPECT_EQ(mistakes("m.yaml"),
              "m.yaml:2:10 BG-M022 can't read 'parts/no.yaml': " + reason(std::errc::no_such_file_or_directory) +
                  "\nm.yaml:2:25 BG-M022 can't read '': it is a folder, not a file\n");
}

TEST_F(LoadImport, AMissingModelHasNoPlace) {
    EXPECT_EQ(mistakes("x.yaml"),
              "BG-M022 can't read 'x.yaml': " + reason(std::errc::no_such_file_or_directory) + "\n");
    EXPECT_EQ(sources_.size(), 0U);
}

TEST_F(LoadImport, AFolderIsNoModel) {
    fs::create_directories(folder_ / "models");
    EXPECT_EQ(mistakes("models"), "BG-M022 can't read 'models': it is a folder, not a file\n");
}

TEST_F(LoadImport, AHugeFileIsRefusedUnread) {
    write("huge.yaml", "model: m\n");
    fs::resize_file(folder_ / "huge.yaml", 500'000'001);  // sparse: takes no room on the disk
    EXPECT_EQ(mistakes("huge.yaml"), "BG-M022 can't read 'huge.yaml': it has more than 32 MB\n");
}

TEST_F(LoadImport, TheSameTypeInTwoFilesNamesBoth) {
    write("m.yaml", importing("[a.yaml, b.yaml]"));
    write("a.yaml", library("T"));
    write("b.yaml", "\n" + library("T"));
    EXPECT_EQ(mistakes("m.yaml"),
              "b.yaml:4:9 BG-M017 type 'T' is declared twice\n  where: first declared at a.yaml:3\n");
}

TEST_F(LoadImport, ALibraryHoldsTypesOnly) {
    write("m.yaml", importing("lib.yaml"));
    write("lib.yaml", "components: {}\ntipes: {}\nwhen: []\n");
    EXPECT_EQ(mistakes("m.yaml"),
              "lib.yaml:1:1 BG-M036 'components:' has no place in an imported file\n"
              "  because: an import brings in types; the model is the file that imports them\n"
              "lib.yaml:2:1 BG-M036 unknown key 'tipes' in an imported file; did you mean 'types'?\n"
              "lib.yaml:3:1 BG-M036 'when:' has no place in an imported file\n"
              "  because: an import brings in types; the model is the file that imports them\n");
}

TEST_F(LoadImport, MistakesOfAllFilesAreReportedTogether) {
    write("m.yaml", importing("[a.yaml, b.yaml]") + "zzzz: 1\n");
    write("a.yaml", "types: {A: [}\n");
    write("b.yaml", "types: {B: {equatons: [x = 1], equations: [x = 1]}}\n");
    const std::string said = mistakes("m.yaml");
    EXPECT_NE(said.find("m.yaml:4:1 BG-M036 unknown key 'zzzz'"), std::string::npos) << said;
    EXPECT_NE(said.find("a.yaml:1:"), std::string::npos) << said;
    EXPECT_NE(said.find("BG-Y001"), std::string::npos) << said;
    EXPECT_NE(said.find("b.yaml:1:13 BG-M036 unknown key 'equatons'"), std::string::npos) << said;
    EXPECT_EQ(said.find("BG-M034"), std::string::npos) << said;
}

TEST_F(LoadImport, ATextInMemoryImportsFromTheWorkingFolder) {
    write("lib.yaml", library("Far"));
    const auto before = fs::current_path();
    fs::current_path(folder_);
    const auto model = load_model_text(importing("lib.yaml"), "m.yaml", sources_);
    fs::current_path(before);
    EXPECT_THAT(types(model), ElementsAre("Far"));
    EXPECT_EQ(sources_.name(1), "lib.yaml");
}

}  // namespace
}  // namespace bondgraph::io

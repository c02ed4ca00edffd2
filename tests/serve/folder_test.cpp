#include "bondgraph/serve/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/serve/in_folder.hpp"

namespace bondgraph::serve {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

void put_file(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path().empty() ? "." : file.parent_path());
    std::ofstream(file) << text;
}

std::string text_of_file(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class ServedFolder : public InFolder {
   protected:
    void SetUp() override {
        InFolder::SetUp();
        put_file("served/rc.yaml", "model: rc\n");
        put_file("served/deep/er/motor.yml", "model: motor\n");
        put_file("served/notes.txt", "no model");
        put_file("served/.hidden.yaml", "model: hidden\n");
        put_file("served/.git/config.yaml", "secret: 1\n");
        put_file("served/course/hoist.md", "# A hoist\n");
        put_file("served/course/solutions/hoist.yaml", "model: hoist\n");
        put_file("outside.yaml", "model: outside\n");
        put_file("served2/other.yaml", "model: other\n");
    }
};

TEST_F(ServedFolder, ListsModelsAndExercisesThatNobodyHasAnsweredYet) {
    std::vector<std::string> names;
    for (const FolderFile& f : Folder("served").files())
        names.push_back(f.name + (f.solution ? " solution" : "") + (f.exercise ? " exercise" : ""));
    EXPECT_THAT(names, ElementsAre("course/hoist.yaml exercise", "course/solutions/hoist.yaml solution",
                                   "deep/er/motor.yml", "rc.yaml"));
}

TEST_F(ServedFolder, ReadsWhatItListsAndNothingOutside) {
    fs::create_symlink("../outside.yaml", "served/link.yaml");
    fs::create_symlink("../served2", "served/folder");
    fs::create_symlink("rc.yaml", "served/inner.yaml");
    fs::create_symlink("notes.txt", "served/text.yaml");
    const Folder folder("served");
    EXPECT_EQ(folder.read("rc.yaml").value().text, "model: rc\n");
    EXPECT_EQ(folder.read("deep/er/motor.yml").value().text, "model: motor\n");
    EXPECT_EQ(folder.read("course/hoist.md").value().text, "# A hoist\n");
    EXPECT_EQ(folder.read("inner.yaml").value().text, "model: rc\n");
    const std::string absolute = fs::absolute("outside.yaml").string();
    for (const std::string& name :
         {std::string("../outside.yaml"), std::string("deep/../../outside.yaml"), absolute, std::string("link.yaml"),
          std::string("folder/other.yaml"), std::string("../served2/other.yaml"), std::string(".hidden.yaml"),
          std::string(".git/config.yaml"), std::string("notes.txt"), std::string("text.yaml"), std::string("deep"),
          std::string("deep/er/motor.yml/"), std::string(""), std::string("rc.yaml\0.yaml", 13),
          std::string("a\nb.yaml"), std::string(5000, 'a') + ".yaml", std::string("./rc.yaml")}) {
        EXPECT_FALSE(folder.read(name)) << name;
    }
}

TEST_F(ServedFolder, WritesModelsAndWhatIsFoundBesideThemOnly) {
    const Folder folder("served");
    EXPECT_EQ(folder.write("new.yaml", "model: new\n", "").outcome, Written::Outcome::written);
    EXPECT_EQ(text_of_file("served/new.yaml"), "model: new\n");
    const auto before = folder.files().size();
    for (const std::string name : {"course/hoist.strokes", "course/hoist.equations"}) {
        const Written first = folder.write(name, "a = to\n", "");
        EXPECT_EQ(first.outcome, Written::Outcome::written) << name;
        EXPECT_EQ(folder.read(name).value().text, "a = to\n");
        EXPECT_EQ(folder.write(name, "b = to\n", "").outcome, Written::Outcome::changed_meanwhile) << name;
        EXPECT_EQ(folder.write(name, "b = to\n", first.version).outcome, Written::Outcome::written) << name;
        EXPECT_EQ(folder.remove(name, folder.read(name).value().version).outcome, Written::Outcome::refused) << name;
    }
    EXPECT_EQ(folder.files().size(), before);
    for (const char* name : {"../new.yaml", "course/hoist.md", "page.html", ".x.yaml", "/tmp/x.yaml", "a/../../x.yaml",
                             "../x.strokes", "x.strokes/..", ".equations"}) {
        const Written refused = folder.write(name, "x", "");
        EXPECT_EQ(refused.outcome, Written::Outcome::refused) << name;
        EXPECT_FALSE(refused.why.empty());
    }
    EXPECT_EQ(text_of_file("served/course/hoist.md"), "# A hoist\n");
    EXPECT_EQ(Folder("served", true).write("rc.yaml", "other", "").outcome, Written::Outcome::refused);
    EXPECT_EQ(text_of_file("served/rc.yaml"), "model: rc\n");
    EXPECT_EQ(folder.write("big.yaml", std::string(Folder::kMostBytes + 1, 'a'), "").outcome,
              Written::Outcome::refused);
}

TEST_F(ServedFolder, WritesNothingThroughLinksThatLeadOut) {
    fs::create_symlink("../outside.yaml", "served/link.yaml");
    fs::create_symlink("../served2", "served/folder");
    fs::create_symlink("../not_there.yaml", "served/dangling.yaml");
    const Folder folder("served");
    for (const char* name : {"link.yaml", "folder/other.yaml", "folder/new.yaml", "dangling.yaml"})
        EXPECT_EQ(folder.write(name, "x", "").outcome, Written::Outcome::refused) << name;
    EXPECT_EQ(text_of_file("outside.yaml"), "model: outside\n");
    EXPECT_FALSE(fs::exists("served2/new.yaml"));
    EXPECT_FALSE(fs::exists("not_there.yaml"));
}

TEST_F(ServedFolder, DoesNotOverwriteWhatSomebodyElseHasChanged) {
    const Folder folder("served");
    const std::string seen = folder.read("rc.yaml").value().version;
    put_file("served/rc.yaml", "model: theirs\n");
    const Written late = folder.write("rc.yaml", "model: mine\n", seen);
    EXPECT_EQ(late.outcome, Written::Outcome::changed_meanwhile);
    EXPECT_EQ(text_of_file("served/rc.yaml"), "model: theirs\n");
    EXPECT_EQ(folder.write("rc.yaml", "model: mine\n", late.version).outcome, Written::Outcome::written);
    EXPECT_EQ(text_of_file("served/rc.yaml"), "model: mine\n");
    // A file of that name that has come meanwhile.
    EXPECT_EQ(folder.write("deep/er/motor.yml", "model: new\n", "").outcome, Written::Outcome::changed_meanwhile);
    // What is the same already needs no version.
    EXPECT_EQ(folder.write("rc.yaml", "model: mine\n", "").outcome, Written::Outcome::written);
}

TEST_F(ServedFolder, RenamesWhereNothingIsYet) {
    const Folder folder("served");
    const std::string version = folder.read("rc.yaml").value().version;
    const std::string text = text_of_file("served/rc.yaml");
    EXPECT_EQ(folder.rename("rc.yaml", "low_pass.yaml", version).outcome, Written::Outcome::written);
    EXPECT_FALSE(fs::exists("served/rc.yaml"));
    EXPECT_EQ(text_of_file("served/low_pass.yaml"), text);
    EXPECT_EQ(folder.rename("low_pass.yaml", "deep/er/low_pass.yaml", version).outcome, Written::Outcome::written);
    // Not over another one, nor over itself.
    put_file("served/there.yaml", "model: theirs\n");
    for (const char* to : {"there.yaml", "deep/er/low_pass.yaml"}) {
        const Written refused = folder.rename("deep/er/low_pass.yaml", to, version);
        EXPECT_EQ(refused.outcome, Written::Outcome::refused);
        EXPECT_NE(refused.why.find("already"), std::string::npos) << refused.why;
    }
    EXPECT_EQ(text_of_file("served/there.yaml"), "model: theirs\n");
    EXPECT_EQ(text_of_file("served/deep/er/low_pass.yaml"), text);
}

TEST_F(ServedFolder, WhatWasFoundBesideAnAnswerGoesWithIt) {
    const Folder folder("served");
    put_file("served/rc.strokes", "C = to\n");
    put_file("served/rc.equations", "der(C.q) = 0\n");
    put_file("served/mine.equations", "der(C.q) = 1\n");
    const std::string version = folder.read("rc.yaml").value().version;
    EXPECT_EQ(folder.rename("rc.yaml", "mine.yaml", version).outcome, Written::Outcome::written);
    EXPECT_EQ(text_of_file("served/mine.strokes"), "C = to\n");
    EXPECT_FALSE(fs::exists("served/rc.strokes"));
    EXPECT_EQ(text_of_file("served/mine.equations"), "der(C.q) = 1\n");  // somebody's own
    EXPECT_EQ(text_of_file("served/rc.equations"), "der(C.q) = 0\n");
}

TEST_F(ServedFolder, WhatWasFoundBesideAnAnswerIsDeletedWithItAndToldToBePutBack) {
    const Folder folder("served");
    put_file("served/deep/er/motor.strokes", "J = to\n");
    put_file("served/deep/er/motor.equations", "der(J.p) = 0\n");
    put_file("served/deep/er/other.strokes", "J = to\n");
    put_file("served/deep/er/motor.md", "text\n");
    const Written deleted = folder.remove("deep/er/motor.yml", folder.read("deep/er/motor.yml").value().version);
    EXPECT_EQ(deleted.outcome, Written::Outcome::written);
    EXPECT_FALSE(fs::exists("served/deep/er/motor.strokes") || fs::exists("served/deep/er/motor.equations"));
    EXPECT_TRUE(fs::exists("served/deep/er/other.strokes") && fs::exists("served/deep/er/motor.md"));
    ASSERT_EQ(deleted.beside.size(), 2U);
    EXPECT_EQ(deleted.beside[0].first, "deep/er/motor.strokes");
    EXPECT_EQ(deleted.beside[0].second, "J = to\n");
    EXPECT_EQ(deleted.beside[1].first, "deep/er/motor.equations");
    EXPECT_EQ(deleted.beside[1].second, "der(J.p) = 0\n");
}

// Of "rc.yaml" and "rc.yml" either may be what the strokes are of; links lead to what has another name.
TEST_F(ServedFolder, WhatMayBelongToAnotherModelStays) {
    const Folder folder("served");
    put_file("served/rc.yml", "model: rc\n");
    put_file("served/rc.strokes", "C = to\n");
    EXPECT_TRUE(folder.remove("rc.yml", folder.read("rc.yml").value().version).beside.empty());
    EXPECT_TRUE(fs::exists("served/rc.strokes"));
    put_file("served/rc.yml", "model: rc\n");
    EXPECT_EQ(folder.rename("rc.yml", "mine.yml", folder.read("rc.yml").value().version).outcome,
              Written::Outcome::written);
    EXPECT_TRUE(fs::exists("served/rc.strokes"));
    put_file("served/kept.equations", "der(C.q) = 0\n");
    fs::create_symlink("kept.equations", "served/mine.equations");
    EXPECT_TRUE(folder.remove("mine.yml", folder.read("mine.yml").value().version).beside.empty());
    EXPECT_TRUE(fs::is_symlink("served/mine.equations") && fs::exists("served/kept.equations"));
}

TEST_F(ServedFolder, ANameIsMoreThanBlanks) {
    const Folder folder("served");
    const std::string version = folder.read("rc.yaml").value().version;
    for (const char* blank : {"  .yaml", "deep/ .yml", "\t.yaml"}) {
        const Written refused = folder.rename("rc.yaml", blank, version);
        EXPECT_EQ(refused.outcome, Written::Outcome::refused) << blank;
        EXPECT_FALSE(refused.why.empty());
        EXPECT_EQ(folder.write(blank, "model: m\n", "").outcome, Written::Outcome::refused) << blank;
    }
    EXPECT_EQ(folder.rename("rc.yaml", "  .yaml", version).why, "a file needs a name, which is more than blanks");
    // One that is there may be saved, and get a name.
    put_file("served/ .yaml", "model: m\n");
    EXPECT_EQ(folder.write(" .yaml", "model: n\n", folder.read(" .yaml").value().version).outcome,
              Written::Outcome::written);
    EXPECT_EQ(folder.rename(" .yaml", "two words.yaml", folder.read(" .yaml").value().version).outcome,
              Written::Outcome::written);
}

TEST_F(ServedFolder, DeletesAModel) {
    const Folder folder("served");
    const std::string version = folder.read("rc.yaml").value().version;
    EXPECT_EQ(folder.remove("rc.yaml", version).outcome, Written::Outcome::written);
    EXPECT_FALSE(fs::exists("served/rc.yaml"));
    EXPECT_EQ(folder.remove("rc.yaml", version).outcome, Written::Outcome::refused);
}

TEST_F(ServedFolder, MovesNothingAwayThatSomebodyElseHasChanged) {
    const Folder folder("served");
    const std::string seen = folder.read("rc.yaml").value().version;
    put_file("served/rc.yaml", "model: theirs\n");
    EXPECT_EQ(folder.remove("rc.yaml", seen).outcome, Written::Outcome::changed_meanwhile);
    EXPECT_EQ(folder.remove("rc.yaml", "").outcome, Written::Outcome::changed_meanwhile);
    EXPECT_EQ(folder.rename("rc.yaml", "mine.yaml", seen).outcome, Written::Outcome::changed_meanwhile);
    EXPECT_EQ(text_of_file("served/rc.yaml"), "model: theirs\n");
    EXPECT_FALSE(fs::exists("served/mine.yaml"));
}

TEST_F(ServedFolder, MovesNothingOutAndNothingThatIsNoModel) {
    put_file("served/about.md", "text\n");
    put_file("other.yaml", "model: other\n");
    fs::create_symlink("../other.yaml", "served/out.yaml");
    fs::create_symlink("rc.yaml", "served/same.yaml");
    fs::create_directory_symlink("..", "served/up");
    fs::create_directory_symlink("deep", "served/in");
    put_file("served/deep/inner.yaml", "model: inner\n");
    const Folder folder("served");
    const auto version = [&](const char* name) {
        const auto found = folder.read(name);
        return found ? found->version : std::string();
    };
    for (const char* name : {"../other.yaml", "out.yaml", "same.yaml", "up/other.yaml", "in/inner.yaml", "about.md", "",
                             ".", "deep", "none.yaml", "./rc.yaml/../../other.yaml"}) {
        EXPECT_EQ(folder.remove(name, version(name)).outcome, Written::Outcome::refused) << name;
        EXPECT_EQ(folder.rename(name, "new.yaml", version(name)).outcome, Written::Outcome::refused) << name;
    }
    for (const char* to : {"../new.yaml", "up/new.yaml", "out.yaml", "rc.md", ".rc.yaml", "/tmp/new.yaml", "",
                           "nowhere/new.yaml", "rc.yaml/new.yaml"})
        EXPECT_EQ(folder.rename("rc.yaml", to, version("rc.yaml")).outcome, Written::Outcome::refused) << to;
    EXPECT_TRUE(fs::exists("other.yaml") && fs::exists("served/rc.yaml") && fs::exists("served/about.md"));
    EXPECT_TRUE(fs::is_symlink("served/same.yaml") && fs::exists("served/deep/inner.yaml"));
    const Folder read_only("served", true);
    EXPECT_EQ(read_only.remove("rc.yaml", version("rc.yaml")).outcome, Written::Outcome::refused);
    EXPECT_EQ(read_only.rename("rc.yaml", "new.yaml", version("rc.yaml")).outcome, Written::Outcome::refused);
    EXPECT_TRUE(fs::exists("served/rc.yaml"));
}

TEST_F(ServedFolder, TellsChangesByItsStamps) {
    const Folder folder("served");
    const auto stamp = [&] { return folder.files().back().stamp; };
    const std::string before = stamp();
    put_file("served/rc.yaml", "model: longer\n");
    EXPECT_NE(stamp(), before);
}

TEST_F(ServedFolder, RefusesWhatIsNone) {
    EXPECT_THROW(Folder("not_there"), std::runtime_error);
    EXPECT_THROW(Folder("outside.yaml"), std::runtime_error);
}

}  // namespace
}  // namespace bondgraph::serve

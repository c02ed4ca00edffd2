#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace bondgraph::test {

/// A test with a folder of its own, gone afterwards.
class InTemporaryFolder : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "bondgraph-test-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
    }

    /// A text in which files stand without the folder's name.
    [[nodiscard]] std::string without_folder(std::string text) const {
        const std::string name = folder_.string() + "/";
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) text.erase(at, name.size());
        return text;
    }

    std::filesystem::path folder_;
};

}  // namespace bondgraph::test

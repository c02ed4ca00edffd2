#pragma once

#include <filesystem>

#include "tests/support/in_temporary_folder.hpp"

namespace bondgraph::serve {

/// A test that runs in a folder of its own, so that names of files are short.
class InFolder : public test::InTemporaryFolder {
   protected:
    void SetUp() override {
        test::InTemporaryFolder::SetUp();
        before_ = std::filesystem::current_path();
        std::filesystem::current_path(folder_);
    }
    void TearDown() override {
        std::filesystem::current_path(before_);
        test::InTemporaryFolder::TearDown();
    }

   private:
    std::filesystem::path before_;
};

}  // namespace bondgraph::serve

#include "bondgraph/io/results.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "bondgraph/io/hdf5.hpp"
#include "bondgraph/io/mat.hpp"

namespace bondgraph::io {
namespace {

class ResultRoundTrip : public testing::Test {
   protected:
    ResultRoundTrip() {
        std::string name = (std::filesystem::temp_directory_path() / "bondgraph_results_XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~ResultRoundTrip() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] ResultTable table(std::size_t rows) const {
        return {{names_, std::span(time_).first(rows), data_, 3}, meanings_, "it"};
    }

    [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }

    void expect_same(const Results& read, std::size_t rows) const {
        ASSERT_EQ(read.columns.size(), 3U);
        EXPECT_EQ(read.rows, rows);
        for (std::size_t k = 0; k < names_.size(); ++k) {
            const ResultColumn& column = read.columns[k + 1];
            EXPECT_EQ(column.name, names_[k]);
            EXPECT_EQ(column.unit, meanings_[k].unit);
            EXPECT_EQ(column.description, meanings_[k].description);
            for (std::size_t row = 0; row < rows; ++row) EXPECT_EQ(column.at(row), data_[row * 3 + k]);
        }
        for (std::size_t row = 0; row < rows; ++row) EXPECT_EQ(read.columns[0].at(row), time_[row]);
    }

    std::filesystem::path folder_;
    std::vector<std::string> names_{"c.e[1]", "a->b.power"};
    std::vector<ColumnMeaning> meanings_{{"1", "a ratio of [two] things"}, {"N.m", ""}};
    std::vector<double> time_{0.0, 1.0, 1.0, 1.0 / 3.0};
    // The third number of a row is no column of the table.
    std::vector<double> data_{1.0, 2.0, 99.0, -3.5, 1e-20, 99.0, 5e-324, 1.7e308, 99.0, -0.1, 1.0 / 7.0, 99.0};
};

TEST_F(ResultRoundTrip, OfMatKeepsNamesUnitsDescriptionsAndNumbers) {
    for (const std::size_t rows : {4U, 1U, 0U}) {
        expect_same(read_mat(write("r.mat", mat_file(table(rows)))), rows);
    }
}

TEST_F(ResultRoundTrip, OfHdf5KeepsNamesUnitsDescriptionsAndNumbers) {
    for (const std::size_t rows : {4U, 1U, 0U}) {
        expect_same(read_hdf5(write("r.h5", hdf5_file(table(rows)))), rows);
    }
}

TEST_F(ResultRoundTrip, OfMatKeepsLatinLettersAndReplacesOthers) {
    meanings_ = {{"", "Größe"}, {"", "ω of it"}};
    const Results read = read_mat(write("r.mat", mat_file(table(1))));
    EXPECT_EQ(read.columns[1].description, "Größe");
    EXPECT_EQ(read.columns[2].description, "? of it");
}

TEST_F(ResultRoundTrip, OfHdf5KeepsAllLetters) {
    meanings_ = {{"Ω", "Größe"}, {"", "ω of it"}};
    const Results read = read_hdf5(write("r.h5", hdf5_file(table(1))));
    EXPECT_EQ(read.columns[1].unit, "Ω");
    EXPECT_EQ(read.columns[2].description, "ω of it");
}

TEST_F(ResultRoundTrip, OfCsvKeepsNumbersAndQuotedNames) {
    const Results read = read_results(write("r.csv", "time,\"a,\"\"b\"\"\",c\r\n0,1.5,-2e-3\r\n\r\n1,,+4\r\n"));
    ASSERT_EQ(read.columns.size(), 3U);
    EXPECT_EQ(read.columns[1].name, "a,\"b\"");
    ASSERT_EQ(read.rows, 2U);
    EXPECT_EQ(read.columns[2].values, (std::vector<double>{-2e-3, 4.0}));
    EXPECT_TRUE(std::isnan(read.columns[1].at(1)));
}

TEST_F(ResultRoundTrip, OfAFileCutOffIsRefused) {
    const auto mat = write("r.mat", mat_file(table(4)));
    std::filesystem::resize_file(mat, std::filesystem::file_size(mat) - 20);
    EXPECT_THROW(read_mat(mat), UnreadableResults);
    const auto h5 = write("r.h5", hdf5_file(table(4)));
    std::filesystem::resize_file(h5, std::filesystem::file_size(h5) / 2);
    EXPECT_THROW(read_hdf5(h5), UnreadableResults);
}

TEST(ResultFormat, FollowsTheExtensionWhateverItsCase) {
    EXPECT_EQ(result_format("a.csv"), ResultFormat::csv);
    EXPECT_EQ(result_format("a.b/c"), ResultFormat::csv);
    EXPECT_EQ(result_format("a.MAT"), ResultFormat::mat);
    EXPECT_EQ(result_format("a.h5"), ResultFormat::hdf5);
    EXPECT_THROW(result_format("a.xlsx"), std::invalid_argument);
}

}  // namespace
}  // namespace bondgraph::io

#include "bondgraph/io/mat.hpp"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <tuple>

#include "bondgraph/base/utf8.hpp"

namespace bondgraph::io {
namespace {

using MatFile = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

constexpr const char* kMeaning = "Atrajectory";

/// UTF-8 to the one byte per character that MAT version 4 has.
std::string latin1(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = std::max<std::size_t>(utf8_length(text, i), 1);
        const auto first = static_cast<unsigned char>(text[i]);
        if (length == 1) {
            result += first < 0x80 ? text[i] : '?';
        } else if (length == 2 && (first == 0xC2 || first == 0xC3)) {
            const auto second = static_cast<unsigned char>(text[i + 1]);
            result += static_cast<char>(((first & 0x03U) << 6U) | (second & 0x3FU));
        } else {
            result += '?';
        }
        i += length;
    }
    return result;
}

std::string utf8(std::string_view latin) {
    std::string result;
    for (const char c : latin) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            result += c;
        } else {
            result += static_cast<char>(0xC0U | (byte >> 6U));
            result += static_cast<char>(0x80U | (byte & 0x3FU));
        }
    }
    return result;
}

/// Texts as the columns of a matrix, filled up with blanks.
struct TextColumns {
    std::string bytes;
    std::size_t length = 1;  ///< a matrix without rows would lose its columns

    explicit TextColumns(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) length = std::max(length, text.size());
        for (const std::string& text : texts) bytes += text + std::string(length - text.size(), ' ');
    }
};

// The head of a variable says what its numbers are: 1000 × byte order + 10 × kind of number + (1 for texts).
constexpr std::int32_t kLittleEndian = 0;
constexpr std::int32_t kBigEndian = 1000;
constexpr std::int32_t kDoubles = 0;
constexpr std::int32_t kIntegers = 20;
constexpr std::int32_t kText = 51;

/// Appends variables one after the other to the bytes of a file of version 4: five integers (kind, rows, columns,
/// whether complex, length of the name), the name, the numbers column by column.
class Writer {
   public:
    template <class Number>
    void write(std::string_view name, std::int32_t kind, std::size_t rows, std::size_t columns, const Number* data) {
        constexpr std::int32_t kOrder = std::endian::native == std::endian::little ? kLittleEndian : kBigEndian;
        for (const std::size_t size : {rows, columns}) {
            if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw std::runtime_error(fmt::format("its variable '{}' is too large for a MAT file", name));
        }
        const std::array<std::int32_t, 5> head{kOrder + kind, static_cast<std::int32_t>(rows),
                                               static_cast<std::int32_t>(columns), 0,
                                               static_cast<std::int32_t>(name.size() + 1)};
        append(head.data(), head.size());
        bytes_.append(name).push_back('\0');
        append(data, rows * columns);
    }

    void write_texts(std::string_view name, const TextColumns& texts, std::size_t count) {
        write(name, kText, texts.length, count, texts.bytes.data());
    }

    [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

   private:
    template <class Number>
    void append(const Number* data, std::size_t count) {
        bytes_.append(reinterpret_cast<const char*>(data), count * sizeof(Number));
    }

    std::string bytes_;
};

void write_class(Writer& writer) {
    // Four texts of eleven characters as the rows of a matrix: meaning, version, comment, how matrices lie.
    const std::array<std::string, 4> texts{kMeaning, "1.1", "", "binTrans"};
    std::string bytes;
    for (std::size_t k = 0; k < texts[0].size(); ++k) {
        for (const std::string& text : texts) bytes += k < text.size() ? text[k] : ' ';
    }
    writer.write("Aclass", kText, texts.size(), texts[0].size(), bytes.data());
}

std::string described(const ColumnMeaning& meaning) {
    if (meaning.unit.empty()) return meaning.description;
    return meaning.description.empty() ? fmt::format("[{}]", meaning.unit)
                                       : fmt::format("{} [{}]", meaning.description, meaning.unit);
}

// Reading.

[[noreturn]] void refuse_mat(const std::string& why) { throw UnreadableResults(why); }

/// A matrix of the file as it lies there, column by column.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> numbers;

    [[nodiscard]] double at(std::size_t row, std::size_t column) const { return numbers[column * rows + row]; }
    [[nodiscard]] Matrix transposed() const {
        Matrix t{columns, rows, {}};
        t.numbers.reserve(numbers.size());
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) t.numbers.push_back(at(r, c));
        }
        return t;
    }
};

template <class Number>
void append(std::vector<double>& numbers, const matvar_t& variable, std::size_t count) {
    if (variable.nbytes < count * sizeof(Number))
        refuse_mat(fmt::format("its variable '{}' is cut off", variable.name));
    const auto* first = static_cast<const Number*>(variable.data);
    numbers.insert(numbers.end(), first, first + count);
}

Matrix read_matrix(mat_t* file, const std::string& name) {
    const Variable v(Mat_VarRead(file, name.c_str()), &Mat_VarFree);
    if (!v) refuse_mat(fmt::format("it has no variable '{}'; a trajectory of Dymola or OpenModelica has one", name));
    if (v->rank != 2 || v->isComplex != 0) refuse_mat(fmt::format("its variable '{}' is no matrix of numbers", name));
    Matrix m{v->dims[0], v->dims[1], {}};
    const std::size_t count = m.rows * m.columns;
    if (count > 0 && v->data == nullptr) refuse_mat(fmt::format("its variable '{}' is cut off", name));
    m.numbers.reserve(count);
    if (v->data_type == MAT_T_DOUBLE)
        append<double>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_SINGLE)
        append<float>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_INT32)
        append<std::int32_t>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_INT16)
        append<std::int16_t>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_UINT16)
        append<std::uint16_t>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_UINT8 || v->data_type == MAT_T_UTF8)
        append<std::uint8_t>(m.numbers, *v, count);
    else if (v->data_type == MAT_T_INT8)
        append<std::int8_t>(m.numbers, *v, count);
    else
        refuse_mat(fmt::format("its variable '{}' has numbers of a kind that is not read", name));
    return m;
}

/// The columns of a matrix as texts.
std::vector<std::string> texts_of(const Matrix& m) {
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < m.columns; ++c) {
        std::string text;
        for (std::size_t r = 0; r < m.rows; ++r) text += static_cast<char>(static_cast<int>(m.at(r, c)));
        text.erase(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
        texts.push_back(utf8(text));
    }
    return texts;
}

/// "speed of it [rad/s|rpm]" → "speed of it", "rad/s".
std::pair<std::string, std::string> split_unit(const std::string& text) {
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos || !text.ends_with(']')) return {text, ""};
    std::string unit = text.substr(open + 1, text.size() - open - 2);
    unit.erase(std::min(unit.find('|'), unit.size()));
    unit.erase(std::min(unit.find(':'), unit.size()));  // Dymola: "[m:#(type=…)]"
    const std::size_t end = text.find_last_not_of(' ', open == 0 ? 0 : open - 1);
    return {open == 0 || end == std::string::npos ? "" : text.substr(0, end + 1), unit};
}

/// The data matrices by their number, read when first asked for, one variable per row.
class Data {
   public:
    Data(mat_t* file, bool transposed) : file_(file), transposed_(transposed) {}

    const Matrix& operator[](int number) {
        auto& m = matrices_[static_cast<std::size_t>(number) - 1];
        if (!m) {
            m = std::make_unique<Matrix>(read_matrix(file_, fmt::format("data_{}", number)));
            if (!transposed_) *m = m->transposed();
        }
        return *m;
    }

   private:
    mat_t* file_;
    bool transposed_;
    std::array<std::unique_ptr<Matrix>, 2> matrices_;
};

ResultColumn column_of(Data& data, std::string name, const std::string& description, const Matrix& info,
                       std::size_t k) {
    const int number = info.at(0, k) == 0.0 ? 2 : static_cast<int>(info.at(0, k));
    const int place = static_cast<int>(info.at(1, k));
    if (number < 1 || number > 2) refuse_mat(fmt::format("'{}' lies in data_{}, which is not read", name, number));
    const Matrix& values = data[number];
    if (place == 0 || static_cast<std::size_t>(std::abs(place)) > values.rows)
        refuse_mat(fmt::format("'{}' is said to lie in row {} of data_{}, which has {}", name, std::abs(place), number,
                               values.rows));
    if (values.columns == 0 && number == 1) refuse_mat(fmt::format("'{}' has no value in data_1", name));
    ResultColumn column{std::move(name), "", "", {}};
    std::tie(column.description, column.unit) = split_unit(description);
    const std::size_t count = number == 1 ? std::min<std::size_t>(values.columns, 1) : values.columns;
    for (std::size_t c = 0; c < count; ++c) {
        const double value = values.at(static_cast<std::size_t>(std::abs(place)) - 1, c);
        column.values.push_back(place < 0 ? -value : value);
    }
    return column;
}

}  // namespace

std::string mat_file(const ResultTable& table) {
    const TimeSeries& series = table.series;
    const std::size_t count = series.names.size() + 1;
    std::vector<std::string> names{"time"};
    std::vector<std::string> descriptions{"time [s]"};
    std::vector<std::int32_t> info{0, 1, 0, -1};
    for (std::size_t k = 0; k < series.names.size(); ++k) {
        names.push_back(latin1(series.names[k]));
        descriptions.push_back(latin1(described(table.meanings[k])));
        // in data_2, linear between the points, nothing outside
        info.insert(info.end(), {2, static_cast<std::int32_t>(k + 2), 0, -1});
    }
    std::vector<double> data;
    data.reserve(count * series.time.size());
    for (std::size_t row = 0; row < series.time.size(); ++row) {
        data.push_back(series.time[row]);
        for (std::size_t k = 0; k < series.names.size(); ++k) data.push_back(series.at(row, k));
    }
    std::array<double, 2> ends{};
    if (!series.time.empty()) ends = {series.time.front(), series.time.back()};
    Writer writer;
    write_class(writer);
    writer.write_texts("name", TextColumns(names), count);
    writer.write_texts("description", TextColumns(descriptions), count);
    writer.write("dataInfo", kIntegers, 4, count, info.data());
    writer.write("data_1", kDoubles, 1, ends.size(), ends.data());
    writer.write("data_2", kDoubles, count, series.time.size(), data.data());
    return std::move(writer).bytes();
}

Results read_mat(const std::filesystem::path& path) {
    const MatFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), &Mat_Close);
    if (!file) refuse_mat("it is no MAT file");
    const auto about = texts_of(read_matrix(file.get(), "Aclass").transposed());
    if (about.empty() || about[0] != kMeaning) refuse_mat("its variable 'Aclass' does not say 'Atrajectory'");
    const bool transposed = about.size() < 4 || about[3] != "binNormal";
    const auto matrix = [&](const char* name) {
        Matrix m = read_matrix(file.get(), name);
        return transposed ? m : m.transposed();
    };
    const auto names = texts_of(matrix("name"));
    auto descriptions = texts_of(matrix("description"));
    const Matrix info = matrix("dataInfo");
    if (info.rows < 2 || info.columns < names.size()) refuse_mat("its variable 'dataInfo' does not match 'name'");
    descriptions.resize(names.size());
    Results results;
    Data data(file.get(), transposed);
    for (std::size_t k = 0; k < names.size(); ++k)
        results.columns.push_back(column_of(data, names[k], descriptions[k], info, k));
    if (results.columns.empty()) refuse_mat("it holds no variables");
    results.rows = results.columns.front().values.size();
    return results;
}

}  // namespace bondgraph::io

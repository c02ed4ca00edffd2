#include "bondgraph/io/hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <optional>

namespace bondgraph::io {
namespace {

constexpr hsize_t kMostPerByte = 1000;                  // numbers that a byte of a compressed file may stand for
constexpr std::size_t kGrowth = std::size_t{1} << 20U;  // of the file in memory, in bytes

/// An object of the library, closed at the end of its scope.
class Handle {
   public:
    Handle(hid_t id, herr_t (*close)(hid_t), const char* what) : id_(id), close_(close) {
        if (id < 0) throw std::runtime_error(fmt::format("the HDF5 library fails at {}", what));
    }
    ~Handle() { close_(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    [[nodiscard]] hid_t get() const { return id_; }

   private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

void need(herr_t status, const char* what) {
    if (status < 0) throw std::runtime_error(fmt::format("the HDF5 library fails at {}", what));
}

/// What goes wrong is said by us; the library would print its own stack of calls.
void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

void write_text(hid_t object, const char* name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), &H5Tclose, "a type");
    // Of variable length: h5py gives such texts as str, others as bytes.
    need(H5Tset_size(type.get(), H5T_VARIABLE), "a type");
    need(H5Tset_cset(type.get(), H5T_CSET_UTF8), "a type");
    const Handle space(H5Screate(H5S_SCALAR), &H5Sclose, "a space");
    const Handle attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose,
                           "an attribute");
    const char* characters = text.c_str();
    need(H5Awrite(attribute.get(), type.get(), static_cast<const void*>(&characters)), "writing an attribute");
}

hid_t write_column(hid_t file, const std::string& name, const ColumnMeaning& meaning,
                   const std::vector<double>& values) {
    const hsize_t size = values.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), &H5Sclose, "a space");
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "properties");
    need(H5Pset_obj_track_times(properties.get(), 0), "properties");  // the same run gives the same bytes
    const Handle links(H5Pcreate(H5P_LINK_CREATE), &H5Pclose, "properties");
    need(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8), "properties");
    const hid_t dataset =
        H5Dcreate2(file, name.c_str(), H5T_IEEE_F64LE, space.get(), links.get(), properties.get(), H5P_DEFAULT);
    if (dataset < 0) throw std::runtime_error(fmt::format("the HDF5 library takes no dataset '{}'", name));
    if (!values.empty())
        need(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "writing a dataset");
    write_text(dataset, "unit", meaning.unit);
    write_text(dataset, "description", meaning.description);
    return dataset;
}

std::string image_of(hid_t file) {
    need(H5Fflush(file, H5F_SCOPE_GLOBAL), "writing the file");
    const ssize_t size = H5Fget_file_image(file, nullptr, 0);
    if (size < 0) throw std::runtime_error("the HDF5 library gives no file");
    std::string image(static_cast<std::size_t>(size), '\0');
    if (H5Fget_file_image(file, image.data(), image.size()) < 0)
        throw std::runtime_error("the HDF5 library gives no file");
    return image;
}

// Reading.

[[noreturn]] void refuse_hdf5(const std::string& why) { throw UnreadableResults(why); }

std::string read_text(hid_t object, const char* name) {
    if (H5Aexists(object, name) <= 0) return {};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), &H5Aclose, "an attribute");
    const Handle type(H5Aget_type(attribute.get()), &H5Tclose, "a type");
    if (H5Tget_class(type.get()) != H5T_STRING) return {};
    if (H5Tis_variable_str(type.get()) > 0) {
        char* text = nullptr;
        const Handle memory(H5Tcopy(H5T_C_S1), &H5Tclose, "a type");
        need(H5Tset_size(memory.get(), H5T_VARIABLE), "a type");
        need(H5Tset_cset(memory.get(), H5Tget_cset(type.get())), "a type");
        if (H5Aread(attribute.get(), memory.get(), static_cast<void*>(&text)) < 0 || text == nullptr) return {};
        std::string result = text;
        H5free_memory(text);
        return result;
    }
    std::string text(H5Tget_size(type.get()), '\0');
    if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
    return text.substr(0, text.find('\0'));
}

/// The names at the root, in the order of creation where the file keeps it.
std::vector<std::string> names_in(hid_t file) {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    hsize_t from = 0;
    if (H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &from, add, &names) < 0) {
        names.clear();
        from = 0;
        need(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, &from, add, &names), "listing the file");
    }
    return names;
}

/// Nothing where the name is no one-dimensional dataset of numbers.
std::optional<ResultColumn> read_column(hid_t file, const std::string& name) {
    const Handle dataset(H5Oopen(file, name.c_str(), H5P_DEFAULT), &H5Oclose, "an object");
    if (H5Iget_type(dataset.get()) != H5I_DATASET) return std::nullopt;
    const Handle type(H5Dget_type(dataset.get()), &H5Tclose, "a type");
    const Handle space(H5Dget_space(dataset.get()), &H5Sclose, "a space");
    const H5T_class_t kind = H5Tget_class(type.get());
    if ((kind != H5T_FLOAT && kind != H5T_INTEGER) || H5Sget_simple_extent_ndims(space.get()) != 1) return std::nullopt;
    hsize_t size = 0;
    H5Sget_simple_extent_dims(space.get(), &size, nullptr);
    hsize_t bytes = 0;
    H5Fget_filesize(file, &bytes);
    if (size > kMostPerByte * bytes)
        refuse_hdf5(fmt::format("its dataset '{}' is said to be longer than the file", name));
    ResultColumn column{name, read_text(dataset.get(), "unit"), read_text(dataset.get(), "description"), {}};
    column.values.resize(size);
    if (size > 0 && H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.values.data()) < 0)
        refuse_hdf5(fmt::format("its dataset '{}' can't be read", name));
    return column;
}

}  // namespace

std::string hdf5_file(const ResultTable& table) {
    silence();
    const TimeSeries& series = table.series;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "properties");
    need(H5Pset_fapl_core(access.get(), kGrowth, 0), "properties");
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, "properties");
    need(H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "properties");
    need(H5Pset_obj_track_times(creation.get(), 0), "properties");
    const Handle file(H5Fcreate("results", H5F_ACC_TRUNC, creation.get(), access.get()), &H5Fclose, "the file");
    write_text(file.get(), "model", table.model);
    std::vector<double> values(series.time.begin(), series.time.end());
    const Handle time(write_column(file.get(), "time", {"s", "time"}, values), &H5Dclose, "a dataset");
    need(H5DSset_scale(time.get(), "time"), "the time");
    for (std::size_t k = 0; k < series.names.size(); ++k) {
        for (std::size_t row = 0; row < values.size(); ++row) values[row] = series.at(row, k);
        const Handle column(write_column(file.get(), series.names[k], table.meanings[k], values), &H5Dclose,
                            "a dataset");
        need(H5DSattach_scale(column.get(), time.get(), 0), "the time");
    }
    return image_of(file.get());
}

Results read_hdf5(const std::filesystem::path& path) {
    silence();
    if (H5Fis_hdf5(path.c_str()) <= 0) refuse_hdf5("it is no HDF5 file");
    Results results;
    try {
        const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "the file");
        for (const std::string& name : names_in(file.get())) {
            auto column = read_column(file.get(), name);
            if (column) results.columns.push_back(*std::move(column));
        }
    } catch (const UnreadableResults&) {
        throw;
    } catch (const std::runtime_error& e) {
        refuse_hdf5(e.what());
    }
    const auto time = std::find_if(results.columns.begin(), results.columns.end(),
                                   [](const ResultColumn& c) { return c.name == "time"; });
    if (time != results.columns.end()) std::rotate(results.columns.begin(), time, time + 1);
    if (results.columns.empty()) refuse_hdf5("it has no one-dimensional dataset of numbers at its root");
    results.rows = results.columns.front().values.size();
    std::erase_if(results.columns, [&](const ResultColumn& c) { return c.values.size() != results.rows; });
    return results;
}

}  // namespace bondgraph::io

#include "bench/pipeline.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/flatten.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::bench {

Pipeline::Pipeline(const std::filesystem::path& file) : catalogue_(mechanics3d::full_catalogue()) {
    Stopwatch watch;
    model_ = io::load_model(file, sources_);
    seconds_.yaml = watch.lap();
    graph_ = model::flatten(model_, catalogue_, units_);
    seconds_.flatten = watch.lap();
    causal_ = causality::assign_causality(graph_);
    seconds_.causality = watch.lap();
    sorted_ = compile::sort_equations(causal_);
    seconds_.sort = watch.lap();
    compiled_ = compile::compile(sorted_);
    seconds_.compile = watch.lap();
}

TemporaryFile::TemporaryFile(const std::string& name, const std::string& text)
    : path_(std::filesystem::temp_directory_path() / fmt::format("bondgraph-bench-{}-{}", ::getpid(), name)) {
    std::ofstream out(path_, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}", path_.string()));
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

}  // namespace bondgraph::bench

#include "bondgraph/storage/compiled_file.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <bit>
#include <boost/crc.hpp>
#include <filesystem>
#include <fstream>

#include "bondgraph/storage/equation_fields.hpp"

namespace bondgraph::storage {
namespace {

constexpr std::string_view kMagic = "bondgraph compiled model";
constexpr std::string_view kEnding = ".bgc";
// To be raised when what is stored, or what an operation or law means, changes within a version.
constexpr int kFormat = 6;
// Higher levels take longer to write and hardly less room: most of it are numbers of nodes.
constexpr int kLevel = 1;
// Far beyond any model that fits into memory today: what a damaged head may ask for at most.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 36U;

/// What laws and their parameters are called and how numbers lie in memory: a checksum.
std::uint32_t fingerprint(const Maker& maker) {
    boost::crc_32_type sum;
    const auto add = [&](std::string_view text) {
        sum.process_bytes(text.data(), text.size());
        sum.process_byte(0);
    };
    for (const model::ComponentType* type : maker.types) {
        add(type->name);
        for (const model::PortSpec& p : type->ports) add(p.name);
        for (const model::ParameterSpec& p : type->parameters) add(p.name);
        for (const model::StateSpec& s : type->states) add(s.name);
        for (const model::SignalSpec& s : type->inputs) add(s.name);
        for (const model::SignalSpec& s : type->outputs) add(s.name);
        for (const model::DiscreteSpec& d : type->discretes) add(d.name);
    }
    for (const model::ConnectorType* type : maker.connectors) add(type->name);
    add(std::endian::native == std::endian::little ? "little" : "big");
    add(fmt::format("{} {}", sizeof(std::size_t), sizeof(long)));
    return sum.checksum();
}

std::string head_of(const Maker& maker) {
    return fmt::format("{} {} of bondgraph {} ({:08x})\n", kMagic, kFormat, maker.version, fingerprint(maker));
}

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

std::string compressed(std::string_view bytes) {
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    if (context == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    const std::size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) != 0U) throw std::runtime_error(ZSTD_getErrorName(size));
    packed.resize(size);
    return packed;
}

std::vector<char> uncompressed(std::string_view packed) {
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargest)
        throw NotReadable("is damaged");
    std::vector<char> bytes(size);
    const std::size_t done = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(done) != 0U || done != bytes.size()) throw NotReadable("is damaged, or not all of it is there");
    return bytes;
}

template <class Archive>
void files(Archive& archive, SourceMap& sources) {
    std::vector<std::string> names;
    std::vector<std::string> texts;
    for (std::uint32_t file = 0; file < sources.size(); ++file) {
        names.push_back(sources.name(file));
        texts.push_back(sources.text(file));
    }
    const std::size_t known = names.size();
    archive(names, texts);
    if (names.size() != texts.size()) throw Damaged("its files are incomplete");
    for (std::size_t file = known; file < names.size(); ++file)
        sources.add(std::move(names[file]), std::move(texts[file]));
}

/// Every stage after those that it refers to.
template <class Archive>
void all_stages(Archive& archive, const Stages& stages) {
    files(archive, stages.sources);
    archive(stages.settings, stages.model, stages.layout);
    archive.graph = stages.graph.get();
    archive(*stages.graph);
    archive.causal = stages.causal.get();
    archive(*stages.causal, *stages.system, *stages.compiled);
}

}  // namespace

bool is_compiled_file(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return false;  // what is read of a pipe is gone
    std::ifstream stream(file, std::ios::binary);
    std::string begin(kMagic.size(), '\0');
    if (stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic) return true;
    return std::filesystem::path(file).extension() == kEnding;  // perhaps it was one
}

std::string write_compiled(const Stages& stages, const Maker& maker) {
    const Types types{maker.types, maker.connectors};
    const auto hold = stages.compiled->hold();
    Writer archive(types, stages.model);
    all_stages(archive, stages);
    return head_of(maker) + compressed(archive.take());
}

void read_compiled(std::string_view bytes, const Stages& stages, const Maker& maker) {
    const std::string head = head_of(maker);
    if (!bytes.starts_with(kMagic)) throw NotReadable("is no compiled model, or its beginning is damaged");
    if (!bytes.starts_with(head)) {
        const std::string_view line = bytes.substr(0, bytes.substr(0, 200).find('\n'));
        throw NotReadable(fmt::format("was written by another version of the program ('{}'; this one reads '{}')", line,
                                      std::string_view(head).substr(0, head.size() - 1)));
    }
    const std::vector<char> content = uncompressed(bytes.substr(head.size()));
    const Types types{maker.types, maker.connectors};
    stages.graph = std::make_unique<model::BondGraph>();
    stages.causal = std::make_unique<causality::CausalGraph>();
    stages.system = std::make_unique<compile::SortedSystem>();
    stages.compiled = std::make_unique<compile::CompiledModel>();
    try {
        Reader archive(content, types, stages.model);
        all_stages(archive, stages);
        if (archive.bytes_left() > 0) throw Damaged("there is more in it than belongs there");
    } catch (const Damaged& e) {
        throw NotReadable(fmt::format("is damaged: {}", e.what()));
    }
}

}  // namespace bondgraph::storage

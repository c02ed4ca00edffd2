#pragma once

#include <algorithm>
#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "bondgraph/base/id.hpp"
#include "bondgraph/causality/causal_graph.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/model/model.hpp"

// How values become bytes and come back. What containers consist of, cereal knows; what our own types consist of stands
// in the files of fields. Addresses don't become bytes: what they lead to is known on either side by its number.

namespace bondgraph::storage {

/// Bytes that are no stored model, although they seemed to be one.
class Damaged : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

/// What a model refers to and does not consist of: component and connector types, in an order of their own.
struct Types {
    std::vector<const model::ComponentType*> components;
    std::vector<const model::ConnectorType*> connectors;
};

class Writer : public cereal::OutputArchive<Writer> {
   public:
    Writer(const Types& types, const model::Model& model) : OutputArchive(this) {
        number(component_numbers_, types.components);
        number(connector_numbers_, types.connectors);
        for (const auto& own : model.connector_types)
            connector_numbers_.try_emplace(&own.type, static_cast<std::uint32_t>(connector_numbers_.size()));
        for (const auto& own : model.types)
            declaration_numbers_.try_emplace(&own, static_cast<std::uint32_t>(declaration_numbers_.size()));
    }

    void saveBinary(const void* data, std::size_t size) {
        if (size > 0) bytes_.append(static_cast<const char*>(data), size);
    }

    /// Of what the stages refer to: the value has to be the one that is stored here.
    template <class T>
    void refer(const T* to, const T* known) const {
        if (to != known) throw std::logic_error("a stage refers to another one than it is stored with");
    }
    void write(const model::ComponentType* type) { put(component_numbers_, type); }
    void write(const model::ConnectorType* type) { put(connector_numbers_, type); }
    void write(const model::TypeDeclaration* declaration) { put(declaration_numbers_, declaration); }

    [[nodiscard]] std::string take() { return std::move(bytes_); }

    const model::BondGraph* graph = nullptr;
    const causality::CausalGraph* causal = nullptr;

   private:
    template <class T>
    using Numbers = std::unordered_map<const T*, std::uint32_t>;

    template <class T>
    static void number(Numbers<T>& numbers, const std::vector<const T*>& all) {
        for (const T* one : all) numbers.try_emplace(one, static_cast<std::uint32_t>(numbers.size()));
    }
    template <class T>
    void put(const Numbers<T>& numbers, const T* one) {
        std::uint32_t number = kNone;
        if (one != nullptr) {
            const auto found = numbers.find(one);
            if (found == numbers.end()) throw std::logic_error("a type that is stored is in no list of types");
            number = found->second;
        }
        (*this)(number);
    }

    std::string bytes_;
    Numbers<model::ComponentType> component_numbers_;
    Numbers<model::ConnectorType> connector_numbers_;
    Numbers<model::TypeDeclaration> declaration_numbers_;
};

class Reader : public cereal::InputArchive<Reader> {
   public:
    /// `bytes`, `types` and `model`, which is read first, must outlive it.
    Reader(std::span<const char> bytes, const Types& types, model::Model& model)
        : InputArchive(this), rest_(bytes), types_(types), model_(model) {}

    /// Throws Damaged where the bytes end before.
    void loadBinary(void* data, std::size_t size) {
        if (size > rest_.size()) throw Damaged("it ends too early");
        if (size == 0) return;  // of what is empty nobody has an address
        std::memcpy(data, rest_.data(), size);
        rest_ = rest_.subspan(size);
    }
    [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }

    template <class T>
    void refer(const T*& to, const T* known) const {
        to = known;
    }
    void read(const model::ComponentType*& type) { type = get(types_.components); }
    void read(const model::ConnectorType*& type) {
        const std::uint32_t number = next();
        const std::size_t first_own = types_.connectors.size();
        if (number == kNone)
            type = nullptr;
        else if (number < first_own)
            type = types_.connectors[number];
        else
            type = &at(model_.connector_types, number - first_own).type;
    }
    void read(const model::TypeDeclaration*& declaration) {
        const std::uint32_t number = next();
        declaration = number == kNone ? nullptr : &at(model_.types, number);
    }

    model::BondGraph* graph = nullptr;
    const causality::CausalGraph* causal = nullptr;

   private:
    template <class T>
    static T& at(std::vector<T>& all, std::size_t number) {
        if (number >= all.size()) throw Damaged("it names what is not in it");
        return all[number];
    }
    std::uint32_t next() {
        std::uint32_t number = 0;
        (*this)(number);
        return number;
    }
    template <class T>
    const T* get(const std::vector<const T*>& all) {
        const std::uint32_t number = next();
        if (number == kNone) return nullptr;
        if (number >= all.size()) throw Damaged("it names what is not in it");
        return all[number];
    }

    std::span<const char> rest_;
    const Types& types_;
    model::Model& model_;
};

// Numbers, truth values and enumerations as they lie in memory.
template <class T>
requires std::is_arithmetic_v<T>
void save(Writer& archive, const T& x) { archive.saveBinary(&x, sizeof x); }
template <class T>
requires std::is_arithmetic_v<T>
void load(Reader& archive, T& x) { archive.loadBinary(&x, sizeof x); }
template <class T>
void save(Writer& archive, const cereal::BinaryData<T>& x) {
    archive.saveBinary(x.data, x.size);
}
template <class T>
void load(Reader& archive, cereal::BinaryData<T>& x) {
    archive.loadBinary(x.data, x.size);
}
/// How many there are of something; each takes a byte or more, so there can't be more than bytes are left.
template <class T>
void save(Writer& archive, const cereal::SizeTag<T>& x) {
    archive(static_cast<std::uint64_t>(x.size));
}
template <class T>
void load(Reader& archive, cereal::SizeTag<T>& x) {
    std::uint64_t size = 0;
    archive(size);
    if (size > 8 * archive.bytes_left()) throw Damaged("it ends too early");
    x.size = size;
}
// Names are of no use here.
template <class T>
void serialize(Writer& archive, cereal::NameValuePair<T>& x) {
    archive(x.value);
}
template <class T>
void serialize(Reader& archive, cereal::NameValuePair<T>& x) {
    archive(x.value);
}

// In the order of their keys: what is equal becomes equal bytes.
template <class Key, class Value, class Hash, class Equal, class Allocator>
void save(Writer& archive, const std::unordered_map<Key, Value, Hash, Equal, Allocator>& x) {
    std::vector<const std::pair<const Key, Value>*> entries;
    for (const auto& entry : x) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* entry) -> const Key& { return entry->first; });
    archive(cereal::make_size_tag(x.size()));
    for (const auto* entry : entries) archive(cereal::make_map_item(entry->first, entry->second));
}

template <class Tag>
void save(Writer& archive, const Id<Tag>& x) {
    archive(x.value);
}
template <class Tag>
void load(Reader& archive, Id<Tag>& x) {
    archive(x.value);
}

/// What is stored by its number.
template <class T>
struct ByNumber {
    const T*& to;
};
template <class T>
void save(Writer& archive, const ByNumber<T>& x) {
    archive.write(x.to);
}
template <class T>
void load(Reader& archive, ByNumber<T>& x) {
    archive.read(x.to);
}
using TypeNumber = ByNumber<model::ComponentType>;
using ConnectorNumber = ByNumber<model::ConnectorType>;
using DeclarationNumber = ByNumber<model::TypeDeclaration>;

}  // namespace bondgraph::storage

CEREAL_SETUP_ARCHIVE_TRAITS(bondgraph::storage::Reader, bondgraph::storage::Writer)

#include "bondgraph/io/records.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {
namespace {

using model::Body;
using model::ParameterDeclaration;
using model::Text;
using model::TypeDeclaration;

class Records {
   public:
    Records(model::Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

    void run() {
        find_records(model_.body);
        for (TypeDeclaration& type : model_.types) find_records(type.body);
        state_.assign(model_.types.size(), State::waiting);
        for (std::size_t t = 0; t < model_.types.size(); ++t) {
            if (model_.types[t].record) look_for_circles(t);
        }
        check_body(model_.body);
        for (TypeDeclaration& type : model_.types) {
            check_body(type.body);
            for (const ParameterDeclaration& p : type.body.parameters) {
                if (!p.record) continue;
                for (const auto& port : type.ports) check_other(p, port.name, "a port");
                for (const auto& connector : type.connectors) check_other(p, connector.name, "a connector");
            }
        }
    }

   private:
    enum class State : std::uint8_t { waiting, active, done };

    void find_records(Body& body) {
        for (ParameterDeclaration& p : body.parameters) {
            if (!p.record || (p.record_type && model_.types[*p.record_type].record)) continue;
            report_missing(p);
            p.record_type = std::nullopt;
            body.gaps.values = true;
        }
    }

    void report_missing(const ParameterDeclaration& p) {
        const bool prefixed = p.record->text.find('.') != std::string::npos;
        if (!p.record_type && (model_.types_missing || prefixed)) return;
        std::vector<std::string> names;
        std::string hint;
        for (const TypeDeclaration& t : model_.types) {
            // what an imported file has under a prefix of its own is not known here
            if (!t.record || std::ranges::count(t.name.text, '.') > 1) continue;
            names.push_back(t.name.text);
            if (t.name.text.ends_with("." + p.record->text)) hint = fmt::format("; did you mean '{}'?", t.name.text);
        }
        if (hint.empty()) hint = did_you_mean(p.record->text, names);
        std::vector<DiagnosticNote> notes;
        if (p.record_type) notes.push_back({"because", fmt::format("'{}' is a component type", p.record->text)});
        notes.push_back({"try", names.empty() ? "declare it: 'records: {Name: {parameters: {density: 870 kg/m3}}}'"
                                              : fmt::format("one of {}", fmt::join(names, ", "))});
        diagnostics_.error(
            "BG-M081", p.record->position,
            fmt::format("unknown record {}{}", quoted_excerpt(p.record->text), p.record_type ? "" : hint),
            std::move(notes));
    }

    /// Along records in records, an explicit stack of parameters under way.
    void look_for_circles(std::size_t first) {
        struct Frame {
            std::size_t record;
            std::size_t next = 0;
        };
        std::vector<Frame> open{{first}};
        if (state_[first] == State::waiting) state_[first] = State::active;
        while (!open.empty()) {
            Frame& frame = open.back();
            Body& body = model_.types[frame.record].body;
            if (state_[frame.record] == State::done || frame.next == body.parameters.size()) {
                state_[frame.record] = State::done;
                open.pop_back();
                continue;
            }
            ParameterDeclaration& p = body.parameters[frame.next++];
            if (!p.record_type || state_[*p.record_type] == State::done) continue;
            if (state_[*p.record_type] == State::active) {
                diagnostics_.error(
                    "BG-M014", p.record->position,
                    fmt::format("record {} contains itself", quoted_excerpt(model_.types[*p.record_type].name.text)),
                    {{"because", "its parameters would never end"}});
                p.record_type = std::nullopt;
                body.gaps.values = true;
                continue;
            }
            state_[*p.record_type] = State::active;
            open.push_back({*p.record_type});
        }
    }

    void check_body(Body& body) {
        for (ParameterDeclaration& p : body.parameters) {
            if (p.record && p.value) {
                diagnostics_.error("BG-M081", p.name.position,
                                   fmt::format("{} is a record, but has a value in what this extends, or the reverse",
                                               quoted_excerpt(p.name.text)));
                body.gaps.values = true;
            }
            if (!p.record) continue;
            for (const auto& c : body.components) {
                if (c.name.text != p.name.text) continue;
                check_other(p, c.name, "a component");
                p.record_type = std::nullopt;
                body.gaps.values = true;
            }
            for (const auto& b : body.bonds) {
                if (!b.name || b.name->text != p.name.text) continue;
                check_other(p, *b.name, "a bond");
                p.record_type = std::nullopt;
                body.gaps.values = true;
            }
            if (!p.record_type) continue;
            for (const model::Setting& field : p.fields) check_field(field.key, *p.record_type, body);
        }
    }

    void check_other(const ParameterDeclaration& record, const Text& name, std::string_view what) {
        if (record.name.text != name.text) return;
        diagnostics_.error("BG-M017", name.position,
                           fmt::format("{} is the name of a record and of {}", quoted_excerpt(name.text), what),
                           {{"because", fmt::format("what is '{}.…' could not be told", name.text)}});
    }

    void check_field(const Text& key, std::uint32_t type, Body& body) {
        std::string_view rest = key.text;
        const TypeDeclaration* record = &model_.types[type];
        while (true) {
            if (record->body.gaps.values) return;
            const auto dot = rest.find('.');
            const std::string name(rest.substr(0, dot));
            std::vector<std::string> names;
            const ParameterDeclaration* found = nullptr;
            for (const ParameterDeclaration& p : record->body.parameters) {
                names.push_back(p.name.text);
                if (p.name.text == name) found = &p;
            }
            const bool ends = dot == std::string_view::npos;
            if (found != nullptr && ends) return;
            if (found != nullptr && found->record_type) {
                record = &model_.types[*found->record_type];
                rest = rest.substr(dot + 1);
                continue;
            }
            diagnostics_.error("BG-M081", key.position,
                               fmt::format("record {} has no parameter {}{}", quoted_excerpt(record->name.text),
                                           quoted_excerpt(std::string(rest)), did_you_mean(name, names)),
                               {{"try", names.empty() ? std::string("a record with parameters")
                                                      : fmt::format("it has: {}", fmt::join(names, ", "))}});
            body.gaps.values = true;
            return;
        }
    }

    model::Model& model_;
    Diagnostics& diagnostics_;
    std::vector<State> state_;
};

}  // namespace

void check_records(model::Model& model, Diagnostics& diagnostics) { Records(model, diagnostics).run(); }

}  // namespace bondgraph::io

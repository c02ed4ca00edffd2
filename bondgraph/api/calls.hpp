#pragma once

// What every call of the library takes and gives: values by name, results or errors.

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bondgraph::api {

/// A place in a file; lines and columns count from 1, line 0 is nowhere.
struct Place {
    std::string file;
    int line = 0;
    int column = 0;
};

/// One line under a message: "where", "because", "try" or "note", and a text.
struct Note {
    std::string label;
    std::string text;
};

/// What is wrong or worth knowing, as docs/errors.md describes it.
struct Message {
    bool warning = false;
    std::string code;  ///< "BG-M013"; empty for numerical failures and wrong usage
    std::string text;
    Place place;
    std::vector<Note> notes;
    std::string shown;  ///< all of it with the line of the file, as the program prints it
};

/// How far a model has come on its way to a bond graph; each has what those before it have.
enum class FlatteningStage {
    instances,  ///< types, arrays and conditions written out: single components
    connected,  ///< bonds from port to port, junctions for what is connected, signals
    sized,      ///< the number of components of each bond
    evaluated   ///< values of parameters, domains of bonds
};

/// Why something was not done.
struct Error {
    enum class Kind {
        usage,     ///< the call can't be carried out as it was made: no such file, no such parameter or result
        model,     ///< the model is wrong, or a parameter's value is
        run,       ///< the simulation failed on its way
        cancelled  ///< progress or cancel ended it
    };
    Kind kind = Kind::model;
    std::vector<Message> messages;

    /// All messages as the program prints them.
    [[nodiscard]] std::string text() const;
};

/// A value, or the reason why there is none.
template <class T>
class Result {
   public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    [[nodiscard]] bool ok() const { return content_.index() == 0; }
    explicit operator bool() const { return ok(); }
    /// The value; throws std::runtime_error with the error's text where there is none.
    [[nodiscard]] T& value() & {
        require();
        return std::get<0>(content_);
    }
    [[nodiscard]] T&& value() && { return std::move(value()); }
    [[nodiscard]] const T& value() const& {
        require();
        return std::get<0>(content_);
    }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(value()); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    /// The error; throws std::bad_variant_access where there is a value.
    [[nodiscard]] const Error& error() const { return std::get<1>(content_); }

   private:
    void require() const {
        if (!ok()) throw std::runtime_error(error().text());
    }

    std::variant<T, Error> content_;
};

/// What a parameter or start value is set to: a number in SI units, or a text as in a file or after --set ("3 kohm",
/// "2*R", "[1, 2]").
class Value {
   public:
    Value(double si) : content_(si) {}
    Value(int si) : content_(static_cast<double>(si)) {}
    Value(std::string text) : content_(std::move(text)) {}
    Value(const char* text) : content_(std::string(text)) {}

    [[nodiscard]] const double* number() const { return std::get_if<double>(&content_); }
    /// The number with all its digits, or the text.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Value& a, const Value& b) = default;

   private:
    std::variant<double, std::string> content_;
};

/// By name: the model's parameters ("R"), those of components ("motor.R", "C1.C") and start values ("C1.q"), as --set
/// takes them.
using Values = std::map<std::string, Value>;

}  // namespace bondgraph::api

#include "bondgraph/io/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/io/cut_texts.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t kDeepest = 100;
constexpr std::size_t kMostAliasNodes = 1'000'000;

/// Ends parsing after a mistake that has been reported.
struct Stop {};

/// Positions from the parser's marks, whose columns count bytes. Marks mostly advance, so counting goes on from the
/// last one: a file on a single line costs no more than one of many lines.
class ColumnCounter {
   public:
    explicit ColumnCounter(std::string_view text) : text_(text) {}

    std::uint32_t column(std::size_t offset, std::size_t bytes_before_on_line) {
        const std::size_t start = offset - bytes_before_on_line;
        if (start != line_ || offset < offset_) {
            line_ = start;
            offset_ = start;
            characters_ = 0;
        }
        characters_ += utf8_count(text_.substr(offset_, offset - offset_));
        offset_ = offset;
        return static_cast<std::uint32_t>(characters_ + 1);
    }

   private:
    std::string_view text_;
    std::size_t line_ = 0;
    std::size_t offset_ = 0;
    std::size_t characters_ = 0;
};

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
   public:
    TreeBuilder(std::string_view text, std::uint32_t file, Diagnostics& diagnostics)
        : text_(text), file_(file), diagnostics_(diagnostics), columns_(text) {}

    void OnDocumentStart(const YAML::Mark& mark) override;
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(Kind::sequence, mark, anchor, style == YAML::EmitterStyle::Flow);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(Kind::map, mark, anchor, style == YAML::EmitterStyle::Flow);
    }
    void OnMapEnd() override { close(); }

    /// Closes what a broken file left open and hands over the tree.
    YamlNode finish();
    [[nodiscard]] YamlProgress progress() const;
    [[nodiscard]] bool tab_reported() const { return tab_reported_; }

   private:
    struct Frame {
        YamlNode node;
        std::size_t offset = 0;
        bool flow = false;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::size_t nodes_before = 0;
        std::size_t height = 0;         ///< levels below this node
        std::vector<std::size_t> lone;  ///< a map inside { }: its keys without a ':'
    };
    /// Where an anchored node lies: the child index at each level. Paths stay true while the tree grows.
    struct Anchored {
        std::vector<std::size_t> path;
        std::size_t nodes = 1;
        std::size_t height = 0;
        bool complete = false;
    };

    SourcePosition position(const YAML::Mark& mark) {
        const std::size_t offset = offset_of(mark);
        return {file_, static_cast<std::uint32_t>(mark.line + 1),
                columns_.column(offset, std::min(offset, static_cast<std::size_t>(mark.column)))};
    }
    [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
        return std::min(static_cast<std::size_t>(mark.pos), text_.size());
    }
    [[nodiscard]] bool in_flow() const { return !frames_.empty() && frames_.back().flow; }
    [[nodiscard]] bool key_expected() const {
        return !frames_.empty() && frames_.back().node.kind == Kind::map &&
               frames_.back().node.children.size() % 2 == 0;
    }
    [[nodiscard]] std::vector<std::size_t> path_of_next() const;
    [[nodiscard]] const YamlNode& at(const std::vector<std::size_t>& path) const;

    void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, bool flow);
    void close();
    void attach(YamlNode node, std::size_t height);
    void check_indentation(std::size_t offset);
    void check_plain_text(const YamlNode& node);
    void check_key(YamlNode& key);
    void check_duplicates(YamlNode& map);
    void report_missing_colon(const YAML::Mark& mark);
    SourcePosition implicit_null_position(const YAML::Mark& mark);
    void mark_unusable(YamlNode& key) {
        key.kind = Kind::null;
        has_unusable_keys_ = true;
    }

    std::string_view text_;
    std::uint32_t file_;
    Diagnostics& diagnostics_;
    ColumnCounter columns_;
    YamlNode root_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Anchored> anchors_;
    std::size_t documents_ = 0;
    std::size_t nodes_ = 0;
    std::size_t alias_nodes_ = 0;
    std::size_t last_offset_ = 0;
    bool last_is_quoted_ = false;
    bool has_unusable_keys_ = false;
    bool tab_reported_ = false;
    bool broken_off_ = false;
};

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
    if (++documents_ == 1) return;
    const std::size_t offset = offset_of(mark);
    const std::string_view rest = text_.substr(offset);
    if (rest.starts_with("---")) {
        diagnostics_.error("BG-Y004", position(mark), "a second document begins here",
                           {{"because", "a model is one YAML document"}, {"try", "give each model a file of its own"}});
    } else if (rest.size() > 1 && rest[0] == '-' && rest[1] != ' ') {
        diagnostics_.error("BG-Y001", position(mark), "a space is missing after '-'");
    } else {
        diagnostics_.error("BG-Y001", position(mark), "this line belongs to nothing above it",
                           {{"because", "the list or map above ended before this line"},
                            {"try", "give it the form of the lines above ('key: value' or '- item')"}});
    }
    throw Stop{};
}

/// A missing value has no place of its own (the parser gives that of the next token): the key stands for it, or the
/// dash of a list item.
SourcePosition TreeBuilder::implicit_null_position(const YAML::Mark& mark) {
    const Frame& frame = frames_.back();
    if (frame.node.kind == Kind::map && !key_expected()) return frame.node.children.back().position;
    if (frame.node.kind == Kind::map || frame.flow) return position(mark);
    std::size_t offset = offset_of(mark);
    while (offset > 0 && text_.substr(offset - 1, 1).find_first_of(" \t\r\n") == 0) --offset;
    offset -= offset > 0 ? 1 : 0;
    const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(offset),
                                  text_.begin() + static_cast<std::ptrdiff_t>(offset_of(mark)), '\n');
    const std::size_t newline = offset > 0 ? text_.rfind('\n', offset - 1) : std::string_view::npos;
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    return {file_, static_cast<std::uint32_t>(mark.line + 1 - lines), columns_.column(offset, offset - start)};
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
    const std::string_view rest = text_.substr(offset_of(mark));
    const bool written = rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") ||
                         rest.starts_with("NULL") || anchor != YAML::NullAnchor;
    report_missing_colon(mark);
    YamlNode node;
    node.position = written || frames_.empty() ? position(mark) : implicit_null_position(mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {path_of_next(), 1, 0, true};
    attach(std::move(node), 0);
}

/// "R:10" or a lone "R" in a map is a key without a value to YAML: the parser gives the value the place of the key.
void TreeBuilder::report_missing_colon(const YAML::Mark& mark) {
    if (frames_.empty() || frames_.back().node.kind != Kind::map || key_expected()) return;
    const YamlNode& key = frames_.back().node.children.back();
    if (key.kind != Kind::scalar) return;
    if (!key.quoted && colon_without_space(key.scalar)) {
        diagnostics_.append(std::vector{colon_diagnostic(key.scalar, key.position)});
    } else if (frames_.back().flow && !key.quoted) {
        const std::size_t behind = text_.find_first_not_of(" \t\r\n", last_offset_ + key.scalar.size());
        if (behind != std::string_view::npos && text_[behind] != ':')
            frames_.back().lone.push_back(frames_.back().node.children.size() / 2);
    } else if (!frames_.back().flow && offset_of(mark) == last_offset_) {
        diagnostics_.error("BG-Y001", key.position,
                           fmt::format("a ':' is missing after {}", quoted_excerpt(key.scalar)),
                           {{"because", "each line of a map is a key, a ':', a space and a value"}});
    }
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
    const SourcePosition place = position(mark);
    last_offset_ = offset_of(mark);
    last_is_quoted_ = false;
    YamlNode node;
    node.position = place;
    std::size_t height = 0;
    if (const auto found = anchors_.find(anchor); found == anchors_.end() || !found->second.complete) {
        diagnostics_.error("BG-Y006", place, "this alias stands inside the value it repeats");
    } else if (frames_.size() + found->second.height + 1 > kDeepest) {
        diagnostics_.error("BG-Y005", place, fmt::format("nested deeper than {} levels", kDeepest),
                           {{"because", "the value repeated here brings levels of its own"}});
    } else {
        alias_nodes_ += found->second.nodes;
        if (alias_nodes_ > kMostAliasNodes) {
            diagnostics_.error("BG-Y006", place,
                               fmt::format("aliases repeat more than {} values in all", kMostAliasNodes));
            throw Stop{};
        }
        node = at(found->second.path);
        node.position = place;
        height = found->second.height;
        nodes_ += found->second.nodes - 1;
    }
    attach(std::move(node), height);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
    YamlNode node;
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    // an empty plain text only comes with a tag ("key: !name"): there is no value
    node.kind = value.empty() && !node.quoted ? Kind::null : Kind::scalar;
    node.position = position(mark);
    node.scalar = value;
    last_offset_ = offset_of(mark);
    last_is_quoted_ = tag == "!";
    check_indentation(last_offset_);
    if (!node.quoted) check_plain_text(node);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {path_of_next(), 1, 0, true};
    attach(std::move(node), 0);
}

void TreeBuilder::open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, bool flow) {
    Frame frame;
    frame.node.kind = kind;
    frame.node.position = position(mark);
    frame.offset = offset_of(mark);
    frame.flow = flow;
    frame.anchor = anchor;
    frame.nodes_before = nodes_;
    last_offset_ = frame.offset;
    last_is_quoted_ = false;
    check_indentation(frame.offset);
    if (frames_.size() >= kDeepest) {
        diagnostics_.error("BG-Y005", frame.node.position, fmt::format("nested deeper than {} levels", kDeepest));
        throw Stop{};
    }
    if (anchor != YAML::NullAnchor) anchors_[anchor].path = path_of_next();
    frames_.push_back(std::move(frame));
}

void TreeBuilder::close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (rejoin_cut_texts(frame.node, frame.lone, diagnostics_)) has_unusable_keys_ = true;
    if (frame.node.kind == Kind::map) check_duplicates(frame.node);
    if (frame.anchor != YAML::NullAnchor) {
        Anchored& anchored = anchors_[frame.anchor];
        anchored.nodes = nodes_ - frame.nodes_before + 1;
        anchored.height = frame.height;
        anchored.complete = true;
    }
    attach(std::move(frame.node), frame.height);
}

void TreeBuilder::attach(YamlNode node, std::size_t height) {
    ++nodes_;
    if (frames_.empty()) {
        root_ = std::move(node);
        return;
    }
    if (key_expected()) check_key(node);
    Frame& parent = frames_.back();
    parent.height = std::max(parent.height, height + 1);
    parent.node.children.push_back(std::move(node));
}

std::vector<std::size_t> TreeBuilder::path_of_next() const {
    std::vector<std::size_t> path;
    for (const Frame& frame : frames_) path.push_back(frame.node.children.size());
    return path;
}

const YamlNode& TreeBuilder::at(const std::vector<std::size_t>& path) const {
    const YamlNode* node = frames_.empty() ? &root_ : &frames_.front().node;
    bool open = true;  // along the path, open nodes come before finished ones
    for (std::size_t level = 0; level < path.size(); ++level) {
        open = open && path[level] == node->children.size();
        node = open ? &frames_[level + 1].node : &node->children[path[level]];
    }
    return *node;
}

void TreeBuilder::check_indentation(std::size_t offset) {
    if (in_flow() || tab_reported_) return;
    const auto tab = tab_in_indentation(text_, offset);
    if (!tab) return;
    diagnostics_.append(std::vector{tab_diagnostic(text_, file_, *tab)});
    tab_reported_ = true;  // where one line has tabs, most have
}

void TreeBuilder::check_plain_text(const YamlNode& node) {
    if (frames_.empty() && colon_without_space(node.scalar))
        diagnostics_.append(std::vector{colon_diagnostic(node.scalar, node.position)});
    if (!in_flow() || key_expected()) return;
    const auto opened = std::count(node.scalar.begin(), node.scalar.end(), '(');
    const auto closed = std::count(node.scalar.begin(), node.scalar.end(), ')');
    if (opened <= closed) return;
    const std::size_t end = text_.find_first_of(",]}", last_offset_);
    std::vector<DiagnosticNote> notes;
    if (end != std::string::npos && text_[end] == ',') {
        notes = {{"because", "inside [ ] and { } a ',' ends the value, even between parentheses"},
                 {"try", "put the value in quotes"}};
    }
    diagnostics_.error("BG-Y001", node.position, fmt::format("{} lacks a ')'", quoted_excerpt(node.scalar)),
                       std::move(notes));
}

void TreeBuilder::check_key(YamlNode& key) {
    if (key.kind == Kind::scalar && (key.quoted || key.scalar != "<<")) return;
    // where the file broke off, an open list or map counts as a key until a ':' fails to come
    if (broken_off_ && key.kind != Kind::scalar) return mark_unusable(key);
    if (key.kind == Kind::scalar)
        diagnostics_.error("BG-Y007", key.position, "merge keys ('<<') are not supported",
                           {{"try", "write the keys out, or repeat a whole value with an alias ('key: *name')"}});
    else
        diagnostics_.error("BG-Y003", key.position, fmt::format("a key must be a text, not {}", key.kind_text()),
                           {{"try", "put a text with special characters in quotes"}});
    mark_unusable(key);
}

void TreeBuilder::check_duplicates(YamlNode& map) {
    const auto report = [&](YamlNode& key, const YamlNode& first) {
        diagnostics_.error("BG-Y002", key.position,
                           fmt::format("the key {} is given twice", quoted_excerpt(key.scalar)),
                           {{"where", fmt::format("first given at line {}", first.position.line)}});
        mark_unusable(key);
    };
    constexpr std::size_t kFew = 8;
    if (map.size() <= kFew) {
        for (std::size_t i = 1; i < map.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (map.key(i).kind == Kind::scalar && map.key(j).kind == Kind::scalar &&
                    map.key(i).scalar == map.key(j).scalar)
                    report(map.children[2 * i], map.key(j));
        return;
    }
    std::unordered_map<std::string_view, std::size_t> first;
    first.reserve(map.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
        if (map.key(i).kind != Kind::scalar) continue;
        const auto [known, fresh] = first.try_emplace(map.key(i).scalar, i);
        if (!fresh) report(map.children[2 * i], map.key(known->second));
    }
}

/// Drops the pairs with unusable keys. The recursion is bounded: no tree is deeper than kDeepest.
void prune(YamlNode& node) {
    if (node.kind == Kind::map) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < node.size(); ++i) {
            if (node.key(i).kind != Kind::scalar) continue;
            if (kept != i) {
                node.children[2 * kept] = std::move(node.children[2 * i]);
                node.children[2 * kept + 1] = std::move(node.children[2 * i + 1]);
            }
            ++kept;
        }
        node.children.resize(2 * kept);
    }
    for (YamlNode& child : node.children) prune(child);
}

YamlNode TreeBuilder::finish() {
    broken_off_ = !frames_.empty();
    while (!frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.node.kind == Kind::map && frame.node.children.size() % 2 != 0) {
            YamlNode missing;
            missing.position = frame.node.children.back().position;
            frame.node.children.push_back(std::move(missing));
        }
        close();
    }
    if (has_unusable_keys_) prune(root_);
    if (!root_.position.known()) root_.position = {file_, 1, 1};
    return std::move(root_);
}

YamlProgress TreeBuilder::progress() const {
    YamlProgress progress{text_, file_, last_offset_, {}, {}};
    if (last_is_quoted_) progress.last_quoted = last_offset_;
    for (const Frame& frame : frames_)
        if (frame.flow) progress.innermost_bracket = frame.offset;
    return progress;
}

Diagnostic explain(const YAML::ParserException& failure, const TreeBuilder& builder) {
    const YamlProgress progress = builder.progress();
    const std::size_t offset = std::min(static_cast<std::size_t>(std::max(failure.mark.pos, 0)), progress.text.size());
    const std::string_view rest = progress.text.substr(offset);
    if (failure.msg.find(YAML::ErrorMsg::UNKNOWN_ANCHOR) == std::string::npos)
        return explain_yaml_error(progress, failure.msg, offset);
    const std::string_view name = rest.substr(0, rest.find_first_of(" \t\r\n,]}"));
    return {Severity::error,
            "BG-Y006",
            position_at(progress.text, progress.file, offset),
            fmt::format("{} repeats a value that has not been given", quoted_excerpt(name)),
            {{"because", "'*name' at the start of a value repeats the value marked '&name' above it"},
             {"try", "put the value in quotes if the '*' belongs to it"}}};
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view name) const {
    if (kind != Kind::map) return nullptr;
    for (std::size_t i = 0; i < size(); ++i)
        if (key(i).scalar == name) return &value(i);
    return nullptr;
}

std::string YamlNode::kind_text() const {
    switch (kind) {
        case Kind::null:
            return "nothing";
        case Kind::sequence:
            return "a list";
        case Kind::map:
            return "a map";
        case Kind::scalar:
            break;
    }
    if (quoted || scalar.empty()) return "a text";
    double value = 0.0;
    std::string_view digits = scalar;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? "a number" : "a text";
}

YamlNode parse_yaml(const std::string& text, std::uint32_t file, Diagnostics& diagnostics) {
    std::string_view content = text;
    if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
    if (const auto unreadable = unreadable_text(content, file)) {
        diagnostics.append(std::vector{*unreadable});
        YamlNode nothing;
        nothing.position = {file, 1, 1};
        return nothing;
    }
    TreeBuilder builder(content, file, diagnostics);
    // The parser lets a text in quotes end with the file when a line break comes last; a comment there makes it
    // complain.
    std::istringstream stream(std::string(content) + (content.ends_with('\n') ? "#" : "\n#"));
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::ParserException& failure) {
        // what the parser makes of a line indented with a tab only repeats that mistake in other words
        if (!builder.tab_reported()) diagnostics.append(std::vector{explain(failure, builder)});
    } catch (const Stop&) {
        // reported already
    }
    return builder.finish();
}

}  // namespace bondgraph::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/code_words.h"

#include "core/base/python_text.h"

#include <algorithm>

namespace fx {
namespace {
constexpr std::size_t kShown = 60;        ///< bytes of a text in an error
constexpr std::size_t kMostWarnings = 20; ///< of renamed nodes of a graph

std::string shownText(std::string_view text) {
    std::string out;
    appendPythonString(out, text.substr(0, kShown));
    return text.size() > kShown ? out + "…" : out;
}

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Reads a printed value from left to right.
class ValueScanner {
public:
    explicit ValueScanner(std::string_view text) : m_text(text) {}

    bool isValue() {
        if (m_text.empty()) return false;
        if (m_text[0] == '<') return m_text.find_first_of("\n\r") == std::string_view::npos; // never Python
        while (m_at < m_text.size())
            if (!step()) return false;
        return m_open.empty();
    }

    std::vector<std::string> called; ///< names that are neither Python's nor torch's

private:
    bool step() {
        const char c = m_text[m_at];
        if (isNamePart(c)) return word();
        if (c == '\'' || c == '"') return string();
        ++m_at;
        if (isControl(c)) return c == '\n' && !m_open.empty(); // a line may end between brackets
        switch (c) {
        case ' ': return true; // a call may have one before its bracket
        case '(':
            if (m_mayCall && !m_isFreeName) return false;
            if (m_mayCall && !makesPlain(m_word)) called.emplace_back(m_word);
            [[fallthrough]];
        case '[':
        case '{': m_open += c == '(' ? ')' : c == '[' ? ']' : '}'; return operand(false);
        case ')':
        case ']':
        case '}':
            if (m_open.empty() || m_open.back() != c) return false;
            m_open.pop_back();
            return operand(true);
        case ';':
        case '#':
        case '\\':
        case '@':
        case '`': return false;
        case ':':
            if (m_at < m_text.size() && m_text[m_at] == '=') return false; // gives a name to something
            [[fallthrough]];
        case ',':
        case '=': return !m_open.empty() && operand(false);
        case '.': m_afterDot = true, m_mayCall = m_isFreeName = false; return true;
        default: return operand(false);
        }
    }
    bool operand(bool ends) {
        m_mayCall = ends;
        m_isFreeName = m_afterDot = false;
        return true;
    }
    static bool makesPlain(std::string_view name) {
        static constexpr std::string_view kPlain[] = {"bytearray", "device", "frozenset", "range", "set", "slice"};
        return std::find(std::begin(kPlain), std::end(kPlain), name) != std::end(kPlain);
    }
    /// A name may be called if it makes a plain value, or if it is nothing that generated code knows: neither a builtin
    /// nor torch.
    static bool makesValue(std::string_view name) { return makesPlain(name) || !isReservedName(name); }
    bool word() {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isNamePart(m_text[m_at])) ++m_at;
        const std::string_view name = m_text.substr(start, m_at - start);
        const bool hasPrefix = m_at < m_text.size() && (m_text[m_at] == '\'' || m_text[m_at] == '"');
        if (hasPrefix && name != "b" && name != "r" && name != "u") return false; // f'{…}' computes
        if (name == "lambda" || name == "yield" || name == "await" || name == "for") return false;
        m_mayCall = true;
        m_word = name;
        m_isFreeName = !m_afterDot && isPythonIdentifier(name) && makesValue(name);
        m_afterDot = false;
        return true;
    }
    bool string() {
        const char quote = m_text[m_at++];
        for (; m_at < m_text.size() && m_text[m_at] != quote; m_at += m_text[m_at] == '\\' ? 2 : 1)
            if (isControl(m_text[m_at])) return false;
        if (m_at >= m_text.size()) return false;
        ++m_at;
        return operand(true);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string_view m_word; ///< the last name
    std::string m_open;      ///< the brackets that are to come
    bool m_mayCall = false, m_isFreeName = false, m_afterDot = false;
};
} // namespace

void requireIdentifier(std::string_view text) {
    if (!isPythonIdentifier(text))
        throw Error(ErrorKind::Refused, Message("codegen.not_identifier", {{"text", shownText(text)}}));
}

void requireDotted(std::string_view text) {
    for (std::size_t at = 0;;) {
        const std::size_t dot = text.find('.', at);
        const std::string_view atom = text.substr(at, dot == std::string_view::npos ? dot : dot - at);
        if (!isPythonIdentifier(atom) && atom != "<locals>" && atom != "<lambda>")
            throw Error(ErrorKind::Refused, Message("codegen.not_dotted", {{"text", shownText(text)}}));
        if (dot == std::string_view::npos) return;
        at = dot + 1;
    }
}

void requireOneName(const Callable& callable) {
    const std::string& shown = callable.qualifiedName;
    const bool isPlain = callable.fromTorch && shown != "torch.device";
    const std::string object = isPlain ? shown : callable.module + "." + callable.name;
    const bool isBuiltin = callable.module == "builtins" && callable.name == shown;
    const bool isSame = isPlain
                            ? shown.starts_with("torch.")
                            : shown == object || isBuiltin || callable.module == "_operator" || callable.module.empty();
    if (!isSame)
        throw Error(ErrorKind::Refused,
                    Message("codegen.other_object", {{"shown", shownText(shown)}, {"object", shownText(object)}}));
    requireDotted(!isPlain && callable.module.empty() ? callable.name : object);
}

void requireQuotable(std::string_view atom) {
    const bool ends =
        std::any_of(atom.begin(), atom.end(), [](char c) { return isControl(c) || c == '"' || c == '\\'; });
    if (ends) throw Error(ErrorKind::Refused, Message("codegen.not_quotable", {{"text", shownText(atom)}}));
}

std::vector<std::string> requirePrinted(const Argument& argument, std::string_view text) {
    if (argument.isNone() || argument.as<bool>() || argument.as<std::int64_t>() || argument.as<double>() ||
        argument.as<std::string>() || argument.as<Bytes>() || argument.as<Range>() || argument.as<EllipsisValue>() ||
        argument.as<Complex>())
        return {};
    const auto* constant = argument.as<TorchConstant>();
    const auto* device = argument.as<Device>();
    if (constant) requireDotted(constant->name);
    if (device) requireIdentifier(device->type);
    return constant || device ? std::vector<std::string>() : requireValue(text);
}

void requireWithoutCalls(const Argument& argument, std::string_view text) {
    if (!requirePrinted(argument, text).empty())
        throw Error(ErrorKind::Refused, Message("codegen.not_value", {{"text", shownText(text)}}));
}

std::vector<std::string> requireValue(std::string_view text) {
    ValueScanner scanner(text);
    if (!scanner.isValue()) throw Error(ErrorKind::Refused, Message("codegen.not_value", {{"text", shownText(text)}}));
    return std::move(scanner.called);
}

void legaliseNames(Graph& graph, Warnings& warnings) {
    std::vector<NodeId> wrong;
    for (const Node& node : graph.nodes())
        if (!isPythonIdentifier(node.name())) wrong.push_back(node.id());
    for (std::size_t i = 0; i < wrong.size(); ++i) {
        const std::string before = graph.node(wrong[i]).name();
        std::string now = Namespace().create(before);
        if (graph.find(now) != kNoNode) {
            now = graph.rename(wrong[i], before);
        } else {
            if (!graph.names().isUsed(now)) graph.names().create(now);
            graph.setNameUnchecked(wrong[i], now);
        }
        if (i < kMostWarnings)
            warnings.push_back(
                {Message("codegen.renamed", {{"before", shownText(before)}, {"now", now}}), now, {}, {}});
    }
    if (wrong.size() > kMostWarnings)
        warnings.push_back({Message("codegen.renamed_more", {{"count", wrong.size() - kMostWarnings}}), {}, {}, {}});
}

} // namespace fx

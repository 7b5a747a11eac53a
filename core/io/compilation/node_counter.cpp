// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/node_counter.h"

#include "core/base/python_text.h"

#include <algorithm>

namespace fx {
namespace {
/// Commas outside brackets and strings in `text`, up to the bracket that closes what was open before it.
std::size_t commas(std::string_view text) {
    std::size_t count = 0, depth = 0;
    bool quoted = false;
    for (const char c : text) {
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && depth-- == 0) return count;
        count += c == ',' && depth == 0;
    }
    return count;
}

bool isName(std::string_view text) { return std::all_of(text.begin(), text.end(), isNamePart); }
} // namespace

void NodeCounter::line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    const std::size_t indent = text.find_first_not_of(' ');
    if (indent == std::string_view::npos || m_state == State::Done) return;
    const std::string_view words = text.substr(indent);
    switch (m_state) {
    case State::Before:
        if (!words.starts_with("def forward(")) return;
        m_indent = indent;
        return head(words);
    case State::Parameters:
        if (indent <= m_indent) m_state = State::Body; // `):`
        else m_inputs += !words.starts_with("self,");
        return;
    case State::Body:
        if (indent <= m_indent) m_state = State::Done;
        else if (indent == m_indent + 4) statement(words);
        return;
    case State::Done: return;
    }
}

void NodeCounter::head(std::string_view words) {
    const std::string_view parameters = words.substr(words.find('(') + 1);
    const bool isExpanded = parameters.empty();
    m_state = isExpanded ? State::Parameters : State::Body;
    if (!isExpanded) m_inputs = commas(parameters);
}

void NodeCounter::statement(std::string_view words) {
    if (words[0] == '#' || words[0] == ')' || words[0] == ']') return;
    if (words.starts_with("return")) {
        ++m_statements;
        m_state = State::Done;
        return;
    }
    const std::size_t equals = words.find("= ");
    if (equals == std::string_view::npos || words.substr(0, equals).find("; ") != std::string_view::npos) return;
    const std::string_view value = words.substr(equals + 2);
    if (value.starts_with("iter(")) {
        m_inputs = 0;
    } else if (value.starts_with("fx_pytree.tree_flatten_spec(") || value.starts_with("self._in_shuffle_graph(")) {
        m_inputs = static_cast<std::size_t>(
            std::count(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(equals), ','));
    } else if (!value.starts_with("pytree.tree_leaves(") && !isName(value)) { // a name: `l_x_ = L_x_`
        ++m_statements;
    }
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <string_view>

namespace fx {

/// Counts the nodes of the first graph in a text of `print_readable()` line by line, without parsing, which suffices to
/// list a large log. The count may be wrong for texts that torch.fx did not print.
class NodeCounter {
public:
    /// Adds the next line, without its newline; it may end with the `\r` of Windows.
    void line(std::string_view text);
    /// The number of placeholders, statements and the output.
    std::size_t nodes() const { return m_inputs + m_statements; }

private:
    enum class State : std::uint8_t { Before, Parameters, Body, Done };
    void head(std::string_view words);
    void statement(std::string_view words);

    State m_state = State::Before;
    std::size_t m_indent = 0; ///< indentation of the def
    std::size_t m_inputs = 0, m_statements = 0;
};

} // namespace fx

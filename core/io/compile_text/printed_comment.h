// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <string>
#include <string_view>

namespace fx {

/// The comment that `print_readable()` writes before the nodes of a source line:
///
///     # File: net.py:6 in forward, code: y = torch.relu(x)
///     # recompute: MUST_SAVE File: net.py:6 in forward, code: y = torch.relu(x)
///     # No stacktrace found for following nodes
///
/// It applies to all nodes up to the next comment.
class PrintedComment {
public:
    /// Reads the text between two statements.
    void read(std::string_view gap);
    bool isEmpty() const { return m_trace.empty() && m_note.empty(); }
    /// Sets the stack trace as PyTorch stores it in `node.meta`, and stores the text before "File:" under "note".
    void writeTo(NodeMeta& meta) const;

private:
    void readLine(std::string_view line);
    std::string m_trace, m_note;
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/source_tree.h"

namespace fx::py {

SourceTree::SourceTree(std::string_view source) : m_parser(source, Grammar::Full) {
    for (Stmt statement; m_parser.next(statement);) m_statements.push_back(statement);
}

std::size_t SourceTree::bodyEnd(std::size_t head) const {
    std::size_t end = head + 1;
    const bool inLine = end < size() && m_statements[end].continuesLine;
    while (end < size() && (inLine ? m_statements[end].continuesLine : m_statements[end].indent > m_statements[head].indent)) ++end;
    return end;
}

} // namespace fx::py

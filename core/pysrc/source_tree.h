// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

namespace fx::py {

/// The function that a statement defines: a def, `NAME = lambda …`, or `pattern = …` and `replacement = …` with another
/// value. Empty if none.
std::string_view definedFunction(const Stmt& statement);

/// All statements of a Python text in order, with bodies as ranges; for code that runs repeatedly or out of order.
class SourceTree {
public:
    /// Throws Error{File} with line and column. The text must outlive the tree.
    explicit SourceTree(std::string_view source);
    /// For text that somebody is typing: a statement with a syntax error is added to `errors` and is a statement of
    /// kind Invalid; parsing goes on with the next line. At most kMaxErrors are noted; what follows kMaxFailed of them
    /// is left out, since each may cost the unwinding of a deep nesting.
    SourceTree(std::string_view source, std::vector<SourceError>& errors);
    static constexpr std::size_t kMaxErrors = 50, kMaxFailed = 300;
    SourceTree(const SourceTree&) = delete;
    SourceTree& operator=(const SourceTree&) = delete;

    std::string_view source() const { return m_parser.source(); }
    std::size_t size() const { return m_statements.size(); }
    const Stmt& operator[](std::size_t at) const { return m_statements[at]; }
    /// The statement after the body of the head at `head`; the body starts after the head and may be empty.
    std::size_t bodyEnd(std::size_t head) const;

private:
    void recover(const SourceError& error, std::uint32_t from);

    Parser m_parser;
    std::vector<Stmt> m_statements;
};

} // namespace fx::py

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

namespace fx::py {

/// Returns the name of the function that a statement defines: a def, `NAME = lambda …`, or an assignment to `pattern`
/// or `replacement`. Empty for other statements.
std::string_view definedFunction(const Stmt& statement);

/// All statements of a Python text in order, with bodies as ranges, for code that runs repeatedly or out of order.
class SourceTree {
public:
    /// Parses `source`, which must outlive the tree. Throws Error{File} with line and column.
    explicit SourceTree(std::string_view source);
    /// Parses text that is being typed. A statement with a syntax error is added to `errors` and becomes a statement of
    /// kind Invalid; parsing continues with the next line. At most kMaxErrors errors are reported. Parsing stops after
    /// kMaxFailed errors, because each may unwind a deep nesting.
    SourceTree(std::string_view source, std::vector<SourceError>& errors);
    /// The limits of reported errors, and of errors before parsing stops.
    static constexpr std::size_t kMaxErrors = 50, kMaxFailed = 300;
    SourceTree(const SourceTree&) = delete;
    SourceTree& operator=(const SourceTree&) = delete;

    /// The parsed text.
    std::string_view source() const { return m_parser.source(); }
    /// The number of statements.
    std::size_t size() const { return m_statements.size(); }
    const Stmt& operator[](std::size_t at) const { return m_statements[at]; }
    /// Returns the index after the body of the statement at `head`. The body starts at `head` + 1 and may be empty.
    std::size_t bodyEnd(std::size_t head) const;

private:
    void recover(const SourceError& error, std::uint32_t from);

    Parser m_parser;
    std::vector<Stmt> m_statements;
};

} // namespace fx::py

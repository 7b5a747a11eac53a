// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/source_tree.h"

namespace fx::py {

std::string_view definedFunction(const Stmt& statement) {
    if (statement.kind == StmtKind::Def) return statement.text;
    if (statement.kind != StmtKind::Assign || statement.targets[0]->kind != ExprKind::Name) return {};
    const std::string_view name = statement.targets[0]->text;
    return statement.value->kind == ExprKind::Lambda || name == "pattern" || name == "replacement" ? name
                                                                                                   : std::string_view();
}

SourceTree::SourceTree(std::string_view source) : m_parser(source, Grammar::Full) {
    for (Stmt statement; m_parser.next(statement);) m_statements.push_back(statement);
}

namespace {

/// Whether a body follows the statement: `if x: a; b` has two statements in it, `a; b` none.
bool isHead(StmtKind kind) {
    switch (kind) {
    case StmtKind::Def:
    case StmtKind::Unsupported:
    case StmtKind::Invalid:
    case StmtKind::If:
    case StmtKind::Elif:
    case StmtKind::Else:
    case StmtKind::While:
    case StmtKind::For:
    case StmtKind::Class:
    case StmtKind::Try:
    case StmtKind::Except:
    case StmtKind::Finally:
    case StmtKind::With:
    case StmtKind::Match:
    case StmtKind::Case: return true;
    default: return false;
    }
}

} // namespace

SourceTree::SourceTree(std::string_view source, std::vector<SourceError>& errors) : m_parser(source, Grammar::Full) {
    std::size_t failed = 0;
    std::vector<SourceError> indents;
    m_parser.indentErrors = &indents;
    for (bool goesOn = true; goesOn && failed < kMaxFailed;) {
        const std::size_t blank = source.find_first_not_of(" \t\r\n\f;", m_parser.taken());
        Stmt statement;
        statement.offset = static_cast<std::uint32_t>(std::min(blank, source.size()));
        try {
            goesOn = m_parser.next(statement);
            if (goesOn) m_statements.push_back(statement);
        } catch (const SourceError& error) {
            if (++failed <= kMaxErrors) errors.push_back(error);
            recover(error, statement.offset);
        }
        for (const SourceError& error : indents)
            if (++failed <= kMaxErrors) errors.push_back(error);
        indents.clear();
    }
    m_parser.indentErrors = nullptr;
}

/// Leaves the rest of the line out: what follows is parsed as if brackets and quotes that were left open were closed.
void SourceTree::recover(const SourceError& error, std::uint32_t from) {
    const std::string_view source = m_parser.source();
    Stmt statement;
    statement.kind = StmtKind::Invalid;
    statement.offset = from;
    statement.text = lineTextAt(source, std::max<std::size_t>(error.offset, from));
    statement.indent = m_parser.indentAt(from);
    m_statements.push_back(statement);
    const std::size_t end = std::min(source.find('\n', from), source.size());
    m_parser.restartAt(static_cast<std::uint32_t>(std::min(end + 1, source.size())));
}

std::size_t SourceTree::bodyEnd(std::size_t head) const {
    std::size_t end = head + 1;
    const bool inLine = end < size() && m_statements[end].continuesLine;
    if (inLine && !isHead(m_statements[head].kind)) return end;
    while (end < size() &&
           (inLine ? m_statements[end].continuesLine : m_statements[end].indent > m_statements[head].indent))
        ++end;
    return end;
}

} // namespace fx::py

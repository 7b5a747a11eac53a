// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace fx::py {
namespace {
bool isUnsupported(const Token& token) {
    static constexpr Word kWords[] = {"async", "assert",   "break", "class", "continue", "del",  "for",   "global",
                                      "if",    "nonlocal", "raise", "try",   "while",    "with", "yield", "@"};
    return std::any_of(std::begin(kWords), std::end(kWords), [&](Word word) { return token.is(word); });
}
bool isAugmented(const Token& token) {
    return token.kind == TokenKind::Operator && token.text.size() >= 2 && token.text.back() == '=' &&
           std::string_view("+-*/%@&|^<>").find(token.text[0]) != std::string_view::npos && token.text != "<=" &&
           token.text != ">=";
}
/// Returns true for what can be assigned to: names, attributes, items and, if it may be split, sequences of them.
bool isTarget(const Expr& expr, bool maySplit) {
    switch (expr.kind) {
    case ExprKind::Name:
    case ExprKind::Attribute:
    case ExprKind::Subscript: return true;
    case ExprKind::Starred:
    case ExprKind::Tuple:
    case ExprKind::List:
        return maySplit && std::all_of(expr.items.begin(), expr.items.end(),
                                       [](const Expr* item) { return isTarget(*item, true); });
    default: return false;
    }
}
} // namespace

bool Parser::next(Stmt& statement) {
    if (m_grammar == Grammar::Generated) m_arena.clear();
    m_items.clear();
    m_arguments.clear();
    m_depth = 0;
    while (m_lexer.peek().kind == TokenKind::NewLine || m_lexer.peek().is(";"))
        m_lineStart |= m_lexer.take().text == "\n";
    const Token& first = m_lexer.peek();
    if (m_grammar == Grammar::Full && m_lineStart) checkIndent(first.offset, first.kind == TokenKind::End);
    if (first.kind == TokenKind::End) return false;
    if (m_lineStart) m_indent = m_lexer.indentAt(first.offset);
    statement = Stmt{};
    statement.continuesLine = !m_lineStart;
    m_lineStart = false;
    statement.offset = m_statement = first.offset;
    statement.indent = m_indent;
    parseSimple(statement);
    return true;
}

/// As Python's tokenizer: a line goes on in its block, begins the body of the head before it, or ends blocks. Tabs must
/// not make a difference.
void Parser::checkIndent(std::uint32_t offset, bool isEnd) {
    const auto fault = [&](const Message& what) {
        const SourceError error = sourceError(source(), offset, what);
        if (!indentErrors) throw error;
        indentErrors->push_back(error);
    };
    const Body body = std::exchange(m_body, Body::None);
    const Indent now = isEnd ? Indent() : m_lexer.indentOf(offset);
    if (m_levels.empty()) return m_levels.push_back(now);
    const Indent before = m_levels.back();
    if (now.columns > before.columns) {
        if (now.characters <= before.characters && body != Body::Unknown) fault(Message("python.tabs"));
        else if (body == Body::None) fault(Message("python.unexpected_indent"));
        return m_levels.push_back(now);
    }
    if (body == Body::Follows) fault(Message("python.no_block"));
    if (isEnd) return;
    while (m_levels.size() > 1 && m_levels.back().columns > now.columns) m_levels.pop_back();
    if (body == Body::Unknown) return;
    if (m_levels.back().columns != now.columns) fault(Message("python.unindent"));
    else if (m_levels.back().characters != now.characters) fault(Message("python.tabs"));
}

void Parser::parseSimple(Stmt& statement) {
    const Token& first = m_lexer.peek();
    if (first.is("pass")) {
        m_lexer.take();
        statement.kind = StmtKind::Pass;
    } else if (first.is("return")) {
        m_lexer.take();
        statement.kind = StmtKind::Return;
        const Token& after = m_lexer.peek();
        if (after.kind != TokenKind::NewLine && after.kind != TokenKind::End && !after.is(";"))
            statement.value = parseTestList();
    } else if (first.is("import")) {
        return parseImport(statement);
    } else if (first.is("from")) {
        return parseImportFrom(statement);
    } else if (first.is("def")) {
        return parseDef(statement);
    } else if (m_grammar == Grammar::Full && parseCompound(statement)) {
        return;
    } else if (isUnsupported(first) && !(m_grammar == Grammar::Full && first.is("yield"))) {
        return skipCompound(statement);
    } else {
        parseExpressionStatement(statement);
    }
    const Token& end = m_lexer.peek();
    if (end.kind != TokenKind::NewLine && end.kind != TokenKind::End && !end.is(";"))
        fail(Message("python.unexpected_text"));
}

void Parser::parseExpressionStatement(Stmt& statement) {
    const Expr* first = parseTestList();
    const auto need = [&](const Expr& target, bool maySplit) {
        if (m_grammar == Grammar::Full && !isTarget(target, maySplit))
            throw sourceError(source(), target.offset, Message("python.not_a_target"));
    };
    if (accept(":")) {
        need(*first, false);
        statement.kind = StmtKind::AnnAssign;
        statement.targets = m_arena.keep(std::span<const Expr* const>(&first, 1));
        statement.annotation = parseTest();
        if (accept("=")) statement.value = parseTestList();
    } else if (isAugmented(m_lexer.peek())) {
        need(*first, false);
        statement.kind = StmtKind::AugAssign;
        statement.targets = m_arena.keep(std::span<const Expr* const>(&first, 1));
        const std::string_view sign = m_lexer.take().text;
        statement.text = sign.substr(0, sign.size() - 1);
        statement.value = parseTestList();
    } else if (m_lexer.peek().is("=")) {
        const std::size_t from = m_items.size();
        statement.kind = StmtKind::Assign;
        statement.value = first;
        while (accept("=")) {
            need(*statement.value, true);
            m_items.push_back(statement.value);
            statement.value = parseTestList();
        }
        statement.targets = keep(from);
    } else {
        statement.kind = StmtKind::Expression;
        statement.value = first;
    }
}

std::string_view Parser::dottedName() {
    const auto start = m_lexer.peek().offset;
    std::size_t end = start;
    do {
        const Token token = m_lexer.take();
        if (token.kind != TokenKind::Name && !token.is(".") && !token.is("..."))
            fail(Message("python.expected_module_name"));
        end = token.offset + token.text.size();
    } while (m_lexer.peek().is(".") ||
             (source()[end - 1] == '.' && m_lexer.peek().kind == TokenKind::Name && !m_lexer.peek().is("import")));
    return source().substr(start, end - start);
}

void Parser::parseImport(Stmt& statement) {
    m_lexer.take();
    statement.kind = StmtKind::Import;
    std::vector<ImportedName> names;
    do {
        ImportedName name{dottedName(), {}};
        if (accept("as")) name.alias = m_lexer.take().text;
        names.push_back(name);
    } while (accept(","));
    statement.imports = m_arena.keep(std::span<const ImportedName>(names));
}

void Parser::parseImportFrom(Stmt& statement) {
    m_lexer.take();
    statement.kind = StmtKind::ImportFrom;
    statement.text = dottedName();
    expect("import");
    const bool brackets = accept("(");
    std::vector<ImportedName> names;
    do {
        if (brackets && m_lexer.peek().is(")")) break;
        const Token token = m_lexer.take();
        if (token.kind != TokenKind::Name && !token.is("*"))
            throw sourceError(source(), token.offset, Message("python.expected_imported_name"));
        ImportedName name{token.text, {}};
        if (accept("as")) name.alias = m_lexer.take().text;
        names.push_back(name);
    } while (accept(","));
    if (brackets) expect(")");
    statement.imports = m_arena.keep(std::span<const ImportedName>(names));
}

/// Parameters of a def or a lambda, up to `end`.
void Parser::parseParameters(std::vector<Parameter>& parameters, const char* end, bool annotated) {
    std::unordered_set<std::string_view> names;
    bool keywordOnly = false;
    while (m_lexer.peek().text != end) {
        Parameter parameter;
        parameter.kind = keywordOnly ? Parameter::Kind::KeywordOnly : Parameter::Kind::Normal;
        if (accept("**")) {
            parameter.kind = Parameter::Kind::VarKeywords;
        } else if (accept("*")) {
            keywordOnly = true;
            if (accept(",")) continue; // a bare star
            parameter.kind = Parameter::Kind::VarArgs;
        } else if (accept("/")) {
            for (Parameter& before : parameters) before.isPositionalOnly = true;
            accept(",");
            continue;
        }
        const Token name = m_lexer.take();
        if (name.kind != TokenKind::Name || name.isKeyword())
            throw sourceError(source(), name.offset, Message("python.expected_parameter_name"));
        parameter.name = name.text;
        if (!names.insert(name.text).second)
            throw sourceError(source(), name.offset, Message("python.duplicate_parameter", {{"name", name.text}}));
        if (annotated && accept(":")) parameter.annotation = parseTest();
        if (accept("=")) parameter.defaultValue = parseTest();
        const bool afterDefault = parameter.kind == Parameter::Kind::Normal && !parameter.defaultValue &&
                                  !parameters.empty() && parameters.back().defaultValue;
        if (afterDefault) throw sourceError(source(), name.offset, Message("python.default_before_plain"));
        parameters.push_back(parameter);
        if (!accept(",")) break;
    }
}

void Parser::parseDef(Stmt& statement) {
    m_lexer.take();
    statement.kind = StmtKind::Def;
    statement.text = m_lexer.take().text;
    expect("(");
    std::vector<Parameter> parameters;
    parseParameters(parameters, ")", true);
    expect(")");
    if (accept("->")) statement.annotation = parseTest();
    expect(":");
    statement.parameters = m_arena.keep(std::span<const Parameter>(parameters));
    m_lineStart = m_lexer.peek().kind == TokenKind::NewLine || m_lexer.peek().kind == TokenKind::End;
    if (m_lineStart) m_body = Body::Follows;
}

/// The colon of a head; its body follows in the line, or in those after it.
void Parser::endHead() {
    expect(":");
    m_lineStart = m_lexer.peek().kind == TokenKind::NewLine || m_lexer.peek().kind == TokenKind::End;
    if (m_lineStart) m_body = Body::Follows;
}

/// A head of Grammar::Full, or break, continue and assert. False: the statement is none of them.
bool Parser::parseCompound(Stmt& statement) {
    static constexpr struct {
        Word word;
        StmtKind kind;
    } kKinds[] = {{"if", StmtKind::If},           {"elif", StmtKind::Elif},         {"else", StmtKind::Else},
                  {"while", StmtKind::While},     {"for", StmtKind::For},           {"class", StmtKind::Class},
                  {"break", StmtKind::Break},     {"continue", StmtKind::Continue}, {"assert", StmtKind::Assert},
                  {"@", StmtKind::Decorator},     {"try", StmtKind::Try},           {"except", StmtKind::Except},
                  {"finally", StmtKind::Finally}, {"with", StmtKind::With},         {"global", StmtKind::Global},
                  {"nonlocal", StmtKind::Global}, {"raise", StmtKind::Raise},       {"del", StmtKind::Delete},
                  {"match", StmtKind::Match},     {"case", StmtKind::Case}};
    const Token& first = m_lexer.peek();
    if ((first.is("match") || first.is("case")) && !startsMatch(first)) return false;
    const auto found =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& item) { return first.is(item.word); });
    if (found == std::end(kKinds)) return false;
    statement.kind = found->kind;
    statement.text = m_lexer.take().text;
    switch (statement.kind) {
    case StmtKind::Break:
    case StmtKind::Continue: break;
    case StmtKind::Assert:
        statement.value = parseTest();
        if (accept(",")) statement.annotation = parseTest();
        break;
    case StmtKind::Class: parseClass(statement); break;
    case StmtKind::Decorator: statement.value = parseTest(); break;
    case StmtKind::Global: parseNames(statement); break;
    case StmtKind::Raise: {
        const Token& next = m_lexer.peek();
        if (next.kind != TokenKind::NewLine && next.kind != TokenKind::End && !next.is(";"))
            statement.value = parseTest();
        if (accept("from")) statement.annotation = parseTest();
        break;
    }
    case StmtKind::Delete: {
        const Expr* targets = parseTestList();
        if (!isTarget(*targets, true)) throw sourceError(source(), targets->offset, Message("python.not_a_target"));
        statement.targets =
            targets->kind == ExprKind::Tuple ? targets->items : m_arena.keep(std::span<const Expr* const>(&targets, 1));
        break;
    }
    case StmtKind::Match:
        statement.value = parseTestList();
        endHead();
        break;
    case StmtKind::Case: parseCase(statement); break;
    case StmtKind::Except:
        if (m_lexer.peek().is("*")) fail(Message("python.unsupported_except_star"));
        if (!m_lexer.peek().is(":")) statement.value = parseTest();
        if (accept("as")) statement.alias = m_lexer.take().text;
        endHead();
        break;
    case StmtKind::With: parseWith(statement); break;
    case StmtKind::For: {
        const Expr* targets = parseTargets();
        statement.targets = m_arena.keep(std::span<const Expr* const>(&targets, 1));
        expect("in");
        statement.value = parseTestList();
        endHead();
        break;
    }
    case StmtKind::Try:
    case StmtKind::Finally:
    case StmtKind::Else: endHead(); break;
    default: statement.value = parseTest(); endHead();
    }
    return true;
}

namespace {
/// Whether the contexts of a `with` stand in brackets: `with (a as b, c):`. Looks at no more tokens than `budget`.
bool areBracketed(Lexer lexer, std::size_t& budget) {
    int depth = 0;
    bool areSeveral = false;
    do {
        const Token token = lexer.take();
        if (token.kind == TokenKind::End || budget == 0) return false;
        --budget;
        depth += (token.is("(") || token.is("[") || token.is("{")) - (token.is(")") || token.is("]") || token.is("}"));
        areSeveral = areSeveral || (depth == 1 && (token.is("as") || token.is(",")));
    } while (depth > 0);
    return areSeveral && lexer.peek().is(":");
}
} // namespace

void Parser::parseWith(Stmt& statement) {
    const std::uint32_t offset = m_lexer.peek().offset;
    const bool bracketed = m_lexer.peek().is("(") && areBracketed(m_lexer, m_scansLeft);
    if (bracketed) m_lexer.skip();
    const std::size_t from = m_items.size();
    std::vector<const Expr*> names;
    do {
        m_items.push_back(parseTest());
        names.push_back(accept("as") ? parsePostfix() : nullptr);
    } while (accept(",") && !(bracketed && m_lexer.peek().is(")")));
    if (bracketed) expect(")");
    statement.value = make(ExprKind::Tuple, offset, keep(from));
    statement.targets = m_arena.keep(std::span<const Expr* const>(names));
    endHead();
}

void Parser::parseClass(Stmt& statement) {
    const Token name = m_lexer.take();
    if (name.kind != TokenKind::Name) throw sourceError(source(), name.offset, Message("python.expected_class_name"));
    statement.text = name.text;
    std::vector<CallArgument> keywords;
    const std::size_t from = m_items.size();
    if (accept("("))
        while (!accept(")")) {
            if (accept("**")) {
                keywords.push_back({"**", parseTest()});
                if (!accept(",") && !m_lexer.peek().is(")")) fail(Message("python.expected", {{"text", ")"}}));
                continue;
            }
            const Expr* base = accept("*") ? make(ExprKind::Starred, name.offset, {parseTest()}) : parseTest();
            if (accept("=")) keywords.push_back({base->text, parseTest()});
            else m_items.push_back(base);
            if (!accept(",") && !m_lexer.peek().is(")")) fail(Message("python.expected", {{"text", ")"}}));
        }
    statement.targets = keep(from);
    statement.arguments = m_arena.keep(std::span<const CallArgument>(keywords));
    endHead();
}

/// The names of global and nonlocal.
void Parser::parseNames(Stmt& statement) {
    std::vector<ImportedName> names;
    do names.push_back({m_lexer.take().text, {}});
    while (accept(","));
    statement.imports = m_arena.keep(std::span<const ImportedName>(names));
}

namespace {
/// Whether a line has a colon outside of brackets, texts and comments.
bool endsHead(std::string_view line) {
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char each = line[i];
        if (quote) {
            if (each == '\\') ++i;
            else if (each == quote) quote = 0;
        } else if (each == '"' || each == '\'') quote = each;
        else if (each == '#') return false;
        else if (each == ':' && depth == 0) return true;
        else depth += (each == '(' || each == '[' || each == '{') - (each == ')' || each == ']' || each == '}');
    }
    return false;
}
} // namespace

/// `match` and `case` are words only where a head starts: what follows is an expression, and the line ends with a
/// colon.
bool Parser::startsMatch(const Token& token) const {
    const std::string_view line = source().substr(token.offset, source().find('\n', token.offset) - token.offset);
    const std::size_t next = line.find_first_not_of(' ', token.text.size());
    if (next == std::string_view::npos || next == token.text.size() || line.find(':') == std::string_view::npos)
        return false;
    if (line[next] == '+' || line[next] == '*') return endsHead(line); // else an operator
    return std::string_view("=.,):;/%<>|&!").find(line[next]) == std::string_view::npos;
}

void Parser::parseCase(Stmt& statement) {
    constexpr int kAlternatives = 2;
    m_isPattern = true;
    const std::uint32_t offset = m_lexer.peek().offset;
    const std::size_t from = m_items.size();
    m_items.push_back(accept("*") ? make(ExprKind::Starred, offset, {parsePostfix()}) : parseBinary(kAlternatives));
    const bool several = m_lexer.peek().is(",");
    while (accept(",") && !m_lexer.peek().is(":") && !m_lexer.peek().is("if"))
        m_items.push_back(accept("*") ? make(ExprKind::Starred, offset, {parsePostfix()}) : parseBinary(kAlternatives));
    const auto items = keep(from);
    statement.value = several ? make(ExprKind::Tuple, offset, items) : items[0];
    m_isPattern = false;
    if (accept("as")) statement.alias = m_lexer.take().text;
    if (accept("if")) statement.annotation = parseTest();
    endHead();
}

/// Takes the head of a statement that cannot be followed, up to the end of its line.
void Parser::skipCompound(Stmt& statement) {
    statement.kind = StmtKind::Unsupported;
    statement.text = m_lexer.take().text;
    if (accept("def")) statement.alias = m_lexer.peek().text;
    while (m_lexer.peek().kind != TokenKind::NewLine && m_lexer.peek().kind != TokenKind::End) m_lexer.take();
    m_body = Body::Unknown;
}

} // namespace fx::py

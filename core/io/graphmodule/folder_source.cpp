// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/folder_source.h"

#include "core/diag/error.h"
#include "core/pysrc/parser.h"

namespace fx {

namespace {

using py::Expr;
using py::ExprKind;
using Kind = FolderSource::Entry::Kind;

/// `a.b.c` as text; empty for other expressions.
std::string dottedName(const Expr* expr) {
    if (expr && expr->kind == ExprKind::Name) return std::string(expr->text);
    if (!expr || expr->kind != ExprKind::Attribute) return {};
    const std::string base = dottedName(expr->items[0]);
    return base.empty() ? base : base + "." + std::string(expr->text);
}

const std::string* textOf(const Expr* expr) {
    return expr && expr->kind == ExprKind::Constant ? expr->constant->as<std::string>() : nullptr;
}

bool isCallOf(const Expr* expr, std::string_view name) {
    return expr && expr->kind == ExprKind::Call && dottedName(expr->items[0]) == name;
}

/// The only positional arguments of a call, or null beyond them.
const Expr* positional(const Expr* call, std::size_t index) {
    return index < call->arguments.size() && call->arguments[index].name.empty() ? call->arguments[index].value
                                                                                 : nullptr;
}

const Expr* keyword(const Expr* call, std::string_view name) {
    for (const py::CallArgument& argument : call->arguments)
        if (argument.name == name) return argument.value;
    return nullptr;
}

/// Reads one line at a time; `fail` names the line.
class FolderParser {
public:
    FolderParser(const std::string& source, const std::string& path) : m_source(source), m_path(path) {}

    FolderSource parse() {
        readHead();
        while (readEntry()) {}
        readCode();
        return std::move(m_result);
    }

private:
    [[noreturn]] void fail(const Message& what) const {
        throw Error(ErrorKind::File, what)
            .in(m_path)
            .at(TextPlace{m_line})
            .quoting(m_text.substr(0, 200))
            .hinting(Message("folder.resave").text());
    }

    void nextLine() {
        if (m_at >= m_source.size()) fail(Message("folder.truncated"));
        const std::size_t end = std::min(m_source.find('\n', m_at), m_source.size());
        m_text = m_source.substr(m_at, end - m_at);
        m_at = end + 1;
        ++m_line;
    }

    void readHead() {
        for (nextLine(); !m_text.starts_with("class "); nextLine()) {
            const bool known = m_text.empty() || m_text.starts_with("import ") || m_text.starts_with("from ") ||
                               m_text == "NoneType = type(None)";
            if (!known) fail(Message("folder.unexpected_line"));
            if (!m_text.empty() && m_text != "from torch.nn import *") m_result.importBlock += m_text + "\n";
        }
        m_result.className = m_text.substr(6, m_text.find('(') - 6);
        if (!m_text.ends_with("(torch.nn.Module):")) fail(Message("folder.unexpected_class"));
        for (const char* expected : {"    def __init__(self):", "        super().__init__()"}) {
            nextLine();
            if (m_text != expected) fail(Message("folder.unexpected_line"));
        }
    }

    /// One line of `__init__`; false after its last one, load_state_dict.
    bool readEntry() {
        nextLine();
        std::string_view line = m_text;
        if (!line.starts_with("        ")) fail(Message("folder.unexpected_line"));
        line.remove_prefix(8);
        // A pickled child is followed by its repr as a comment, on the same line.
        if (const std::size_t comment = line.find(") # ");
            line.find("torch.load(") != line.npos && comment != line.npos)
            line = line.substr(0, comment + 1);
        py::Parser parser(line);
        py::Stmt statement;
        try {
            if (!parser.next(statement)) fail(Message("folder.unexpected_line"));
        } catch (const Error& error) { fail(error.message()); }
        return readStatement(statement);
    }

    bool readStatement(const py::Stmt& statement) {
        FolderSource::Entry entry;
        entry.line = m_line;
        const Expr* value = statement.value;
        if (statement.kind == py::StmtKind::Assign && statement.targets.size() == 1) { // 1.13: self.name = ...
            const std::string target = dottedName(statement.targets[0]);
            if (!target.starts_with("self.") || target.find('.', 5) != target.npos)
                fail(Message("folder.unexpected_line"));
            entry.name = target.substr(5);
            readValue(entry, value);
        } else if (statement.kind == py::StmtKind::Expression && isCallOf(value, "self.load_state_dict")) {
            return false;
        } else if (statement.kind == py::StmtKind::Expression && isCallOf(value, "setattr") &&
                   textOf(positional(value, 1))) {
            entry.name = *textOf(positional(value, 1));
            readValue(entry, positional(value, 2));
        } else if (statement.kind == py::StmtKind::Expression && isCallOf(value, "self.register_buffer") &&
                   textOf(positional(value, 0))) {
            entry.name = *textOf(positional(value, 0));
            entry.kind = Kind::Buffer;
            readEmpty(entry, positional(value, 1));
        } else {
            fail(Message("folder.unexpected_line"));
        }
        m_result.entries.push_back(std::move(entry));
        return true;
    }

    void readValue(FolderSource::Entry& entry, const Expr* value) {
        if (isCallOf(value, "torch.nn.Parameter")) {
            entry.kind = Kind::Parameter;
            readEmpty(entry, positional(value, 0));
        } else if (isCallOf(value, "torch.load") && textOf(positional(value, 0))) {
            entry.kind = Kind::PickledModule;
            const std::string& file = *textOf(positional(value, 0));
            entry.file = file.substr(file.find_last_of("/\\") + 1); // the folder may have moved
            if (!entry.file.ends_with(".pt")) fail(Message("folder.child_file"));
        } else if (value && value->kind == ExprKind::Call && value->items[0]->kind == ExprKind::Name) {
            entry.kind = Kind::Module;
            entry.className = value->items[0]->text;
            for (const py::CallArgument& argument : value->arguments) {
                if (argument.name.empty()) entry.args.push_back(setting(argument.value));
                else entry.kwargs.emplace_back(std::string(argument.name), setting(argument.value));
            }
        } else {
            fail(Message("folder.unexpected_value"));
        }
    }

    /// torch.empty([sizes], dtype=...)
    void readEmpty(FolderSource::Entry& entry, const Expr* value) {
        if (!isCallOf(value, "torch.empty")) fail(Message("folder.unexpected_value"));
        const Expr* sizes = positional(value, 0);
        if (!sizes || sizes->kind != ExprKind::List) fail(Message("folder.no_sizes"));
        for (const Expr* size : sizes->items) {
            const auto* number = size->kind == ExprKind::Constant ? size->constant->as<std::int64_t>() : nullptr;
            if (!number) fail(Message("folder.bad_size"));
            entry.sizes.push_back(*number);
        }
        entry.dtype = dottedName(keyword(value, "dtype"));
    }

    /// A number, text, tuple or bare word of a module's repr.
    Argument setting(const Expr* expr) {
        if (expr->kind == ExprKind::Constant) return *expr->constant;
        if (expr->kind == ExprKind::Unary && expr->items[0]->kind == ExprKind::Constant && expr->text == "-") {
            const Argument& positive = *expr->items[0]->constant;
            if (const auto* number = positive.as<std::int64_t>()) return -*number;
            if (const auto* number = positive.as<double>()) return -*number;
        }
        if (expr->kind == ExprKind::Tuple) {
            std::vector<Argument> items;
            for (const Expr* item : expr->items) {
                if (item->kind == ExprKind::Tuple) fail(Message("folder.unknown_setting"));
                items.push_back(setting(item));
            }
            return Argument::tuple(std::move(items));
        }
        if (expr->kind == ExprKind::Name) {
            m_result.unquotedText = true;
            return Argument(expr->text);
        }
        fail(Message("folder.unknown_setting"));
    }

    /// The rest is GraphModule.code with four blanks before each line but the first, and a line end.
    void readCode() {
        std::string_view rest = std::string_view(m_source).substr(std::min(m_at, m_source.size()));
        if (rest.ends_with('\n')) rest.remove_suffix(1);
        for (bool first = true; !rest.empty(); first = false) {
            const std::size_t end = rest.find('\n');
            std::string_view line = rest.substr(0, end);
            if (!first && line.starts_with("    ")) line.remove_prefix(4);
            m_result.code += line;
            if (end == rest.npos) break;
            m_result.code += '\n';
            rest.remove_prefix(end + 1);
        }
        if (m_result.code.find("def forward(") == std::string::npos) fail(Message("folder.no_forward"));
    }

    const std::string& m_source;
    const std::string& m_path;
    std::size_t m_at = 0, m_line = 0;
    std::string m_text;
    FolderSource m_result;
};

} // namespace

FolderSource parseFolderSource(const std::string& source, const std::string& path) {
    return FolderParser(source, path).parse();
}

} // namespace fx

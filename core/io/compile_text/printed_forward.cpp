// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_forward.h"

#include "core/io/compile_text/printed_arguments.h"
#include "core/io/compile_text/printed_comment.h"
#include "core/io/compile_text/printed_parameters.h"
#include "core/io/compile_text/printed_statement.h"
#include "core/io/compile_text/value_annotation.h"
#include "core/ops/python_operators.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"

namespace fx {
namespace {
using py::ExprKind;
using py::StmtKind;

class PrintedForward {
public:
    PrintedForward(GraphModule& module, std::string_view text, std::size_t start, std::size_t end)
        : m_module(module), m_whole(text), m_text(text.substr(start, end - start)), m_start(start) {}

    void read() {
        for (std::size_t from = 0; from < m_text.size();) from = readFrom(from);
        flushParameters();
        if (!m_inFunction) fail(0, Message("compile.no_forward"));
        if (m_pending) fail(m_text.size(), Message("compile.unfinished"));
        for (const std::string& text : m_arguments.kept())
            m_module.warnings.push_back({Message("compile.argument_kept", {{"text", text}}), {}, {}, {}});
    }

private:
    /// `x += y` or `x[i] = y`, whose node is named by the `NAME = x` that follows.
    struct Pending {
        std::string function;
        std::string_view target;
        std::vector<Argument> args;
    };

    /// Reads statements up to the end or past a line that is not Python; returns where to go on.
    std::size_t readFrom(std::size_t from) {
        m_base = from;
        m_source = m_text.substr(from);
        py::Parser parser(m_source);
        std::size_t taken = 0;
        for (py::Stmt statement;;) {
            try {
                if (!parser.next(statement)) return m_text.size();
            } catch (const py::SourceError& error) { return pastOpaqueLine(from + error.offset, from + taken, error); }
            if (!statement.continuesLine) m_comment.read(m_source.substr(taken, statement.offset - taken));
            if (!statementOf(statement)) return m_text.size();
            taken = parser.taken();
        }
    }

    /// A call with an argument that is not Python, `f(x, <Object at 0x7f00>)`: read as text.
    std::size_t pastOpaqueLine(std::size_t at, std::size_t taken, const py::SourceError& error) {
        const std::size_t before = at == 0 ? std::string_view::npos : m_text.rfind('\n', at - 1);
        const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
        const std::size_t end = std::min(m_text.find('\n', start), m_text.size());
        const auto call = m_inFunction ? readCallText(m_text.substr(start, end - start)) : std::nullopt;
        if (!call) fail(at, error.message());
        if (taken < start) m_comment.read(m_text.substr(taken, start - taken));
        flushParameters();
        std::vector<Argument> args;
        Kwargs kwargs;
        for (const auto& [key, value] : call->arguments) {
            Argument argument = m_arguments.valueOfText(value);
            if (key.empty()) args.push_back(std::move(argument));
            else kwargs.emplace_back(key, std::move(argument));
        }
        finishNode(m_module.graph.callFunction(m_arguments.callable(call->function), std::move(args), std::move(kwargs),
                                               call->name),
                   call->name, readAnnotation(call->annotation));
        return end + 1;
    }

    /// False after the function.
    bool statementOf(const py::Stmt& statement) {
        m_offset = statement.offset;
        if (!m_inFunction) return head(statement);
        if (statement.indent <= m_indent && !statement.continuesLine) return false;
        if (m_returned) return true;
        switch (statement.kind) {
        case StmtKind::Assign:
        case StmtKind::AnnAssign: assign(statement); return true;
        case StmtKind::AugAssign: augment(statement); return true;
        case StmtKind::Return: returns(statement); return true;
        case StmtKind::Pass: return true;
        case StmtKind::Expression: // a text, or `args_list.clear()` of boxed arguments
            if (statement.value->kind == ExprKind::Constant || callsTo(statement.value, "clear")) return true;
            break;
        default: break;
        }
        fail(Message("compile.unexpected_statement"));
    }

    bool head(const py::Stmt& def) {
        if (def.kind != StmtKind::Def || def.parameters.empty()) fail(Message("compile.no_forward"));
        m_inFunction = true;
        m_indent = def.indent;
        m_parameters.read(def, [this](const py::Expr& expr) { return argument(expr); });
        return true;
    }

    // ── statements ───────────────────────────────────────────────────────────────────────────────────────────────

    void assign(const py::Stmt& statement) {
        const py::Expr& target = *statement.targets[0];
        if (statement.value && statement.value->kind == ExprKind::Constant && statement.continuesLine)
            return; // `;  x = y = None`
        if (!m_pending && m_parameters.take(statement, m_source)) return;
        if (!statement.value) fail(Message("compile.unfinished")); // `y: "f32[2]"` after `x += 1`
        if (target.kind == ExprKind::Subscript && target.items[0]->kind == ExprKind::Name) {
            flushParameters();
            m_pending = Pending{"_operator.setitem",
                                target.items[0]->text,
                                {argument(*target.items[0]), argument(*target.items[1]), argument(*statement.value)}};
            return;
        }
        if (target.kind != ExprKind::Name || statement.targets.size() != 1)
            fail(Message("compile.unexpected_statement"));
        flushParameters();
        const NodeId node =
            m_pending ? takePending(*statement.value, target.text) : record(*statement.value, target.text);
        finishNode(node, target.text, annotationOf(statement.annotation));
    }

    void augment(const py::Stmt& statement) {
        const py::Expr& target = *statement.targets[0];
        const std::string_view function = ops::binaryOperator(statement.text);
        if (target.kind != ExprKind::Name || function.empty()) fail(Message("compile.unexpected_statement"));
        flushParameters();
        std::string name = "_operator.i" + std::string(function);
        if (name.back() == '_') name.pop_back();
        m_pending = Pending{std::move(name), target.text, {argument(target), argument(*statement.value)}};
    }

    NodeId takePending(const py::Expr& value, std::string_view name) {
        if (value.kind != ExprKind::Name || value.text != m_pending->target) fail(Message("compile.unfinished"));
        Pending pending = std::move(*m_pending);
        m_pending.reset();
        return m_module.graph.callFunction(m_arguments.callable(pending.function), std::move(pending.args), {}, name);
    }

    void returns(const py::Stmt& statement) {
        flushParameters();
        m_returned = true;
        if (!statement.value) {
            m_module.graph.output(Argument());
            return;
        }
        const py::Expr* value = statement.value;
        if (!callsTo(value, "tree_unflatten") || value->arguments.empty()) {
            m_module.graph.output(argument(*value));
            return;
        }
        const py::Expr& leaves = *value->arguments[0].value;
        if (const auto form = m_parameters.pytree()) form->unflattens = true;
        if (!callsTo(&leaves, "_out_shuffle_graph")) {
            m_module.graph.output(argument(leaves));
            return;
        }
        std::vector<Argument> items;
        for (std::size_t i = m_parameters.leaves(); i < leaves.arguments.size(); ++i)
            items.push_back(argument(*leaves.arguments[i].value));
        m_module.graph.output(Argument::tuple(std::move(items)));
    }

    // ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────

    Argument argument(const py::Expr& expr) { return m_arguments.value(expr, m_source); }

    /// The node that `name = expr` was printed from.
    NodeId record(const py::Expr& expr, std::string_view name) {
        Graph& graph = m_module.graph;
        if (const auto path = pathOnSelf(expr, m_parameters.self()))
            return graph.createNode(Op::GetAttr, *path, {}, {}, name);
        if (expr.kind == ExprKind::Call) return recordCall(expr, name);
        if (expr.kind == ExprKind::Attribute)
            return graph.callFunction(m_arguments.callable("builtins.getattr"),
                                      {argument(*expr.items[0]), Argument(expr.text)}, {}, name);
        const std::string function = operatorOf(expr);
        if (function.empty()) fail(Message("compile.unexpected_expression"));
        std::vector<Argument> args;
        for (const py::Expr* item : expr.items) args.push_back(argument(*item));
        return graph.callFunction(m_arguments.callable(function), std::move(args), {}, name);
    }

    NodeId recordCall(const py::Expr& expr, std::string_view name) {
        std::vector<Argument> args;
        Kwargs kwargs;
        args.reserve(expr.arguments.size() + 1);
        const py::Expr& called = *expr.items[0];
        const auto path = pathOnSelf(called, m_parameters.self());
        const py::Expr* object = path ? nullptr : methodObject(called);
        if (object) args.push_back(argument(*object));
        for (const py::CallArgument& given : expr.arguments) {
            if (given.name == "*" || given.name == "**") fail(Message("compile.unexpected_expression"));
            Argument value = argument(*given.value);
            if (given.name.empty()) args.push_back(std::move(value));
            else kwargs.emplace_back(given.name, std::move(value));
        }
        Graph& graph = m_module.graph;
        if (path) return graph.createNode(Op::CallModule, *path, std::move(args), std::move(kwargs), name);
        if (object)
            return graph.createNode(Op::CallMethod, methodName(called), std::move(args), std::move(kwargs), name);
        const auto function = dottedName(called);
        if (!function) fail(Message("compile.unexpected_expression"));
        return graph.callFunction(m_arguments.callable(*function), std::move(args), std::move(kwargs), name);
    }

    /// The object of `x.relu` or `getattr(x, "1st")`, or null for a function.
    const py::Expr* methodObject(const py::Expr& called) const {
        if (called.kind == ExprKind::Call) return getattrObject(called);
        if (called.kind != ExprKind::Attribute) return nullptr;
        const py::Expr& object = *called.items[0];
        if (object.kind == ExprKind::Name) return m_arguments.find(object.text) != kNoNode ? &object : nullptr;
        return dottedName(called) ? nullptr : &object;
    }

    void flushParameters() {
        const std::shared_ptr<PytreeForm> form = m_parameters.pytree();
        for (PrintedParameters::Input& input : m_parameters.takeInputs()) {
            Graph& graph = m_module.graph;
            const NodeId node = graph.placeholder(input.target, std::move(input.defaultValue), {}, input.name);
            setMeta(node, input.value, false);
            setName(node, input.name);
            if (form) form->inputs.push_back(input.target);
        }
        if (form) m_module.origin = form;
    }

    void finishNode(NodeId node, std::string_view name, const std::optional<ValueInfo>& value) {
        setMeta(node, value, true);
        setName(node, name);
    }

    /// Names that torch.fx itself would not give (set by hand, reserved words) are kept as well.
    void setName(NodeId node, std::string_view name) {
        Graph& graph = m_module.graph;
        if (graph.node(node).name() != name && graph.find(name) == kNoNode)
            graph.setNameUnchecked(node, std::string(name));
        m_arguments.bind(name, node);
    }

    void setMeta(NodeId node, const std::optional<ValueInfo>& value, bool hasSource) {
        if (!value && (!hasSource || m_comment.isEmpty())) return;
        auto meta = std::make_shared<NodeMeta>();
        if (value) meta->values.push_back(*value);
        if (hasSource) m_comment.writeTo(*meta);
        m_module.graph.setMeta(node, std::move(meta));
    }

    [[noreturn]] void fail(const Message& what) const { fail(m_base + m_offset, what); }
    [[noreturn]] void fail(std::size_t offset, const Message& what) const {
        throw py::sourceError(m_whole, m_start + offset, what);
    }

    GraphModule& m_module;
    std::string_view m_whole, m_text, m_source; ///< the file, the function, and the rest that the parser reads
    std::size_t m_start, m_base = 0, m_offset = 0;
    PrintedArguments m_arguments;
    PrintedComment m_comment;
    PrintedParameters m_parameters;
    std::optional<Pending> m_pending;
    std::uint32_t m_indent = 0;
    bool m_inFunction = false, m_returned = false;
};
} // namespace

void readPrintedForward(GraphModule& module, std::string_view text, std::size_t start, std::size_t end) {
    PrintedForward(module, text, start, end).read();
}

} // namespace fx

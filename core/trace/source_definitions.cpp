// SPDX-License-Identifier: GPL-3.0-or-later
// Functions, classes and decorators of sources as values.
#include "core/trace/function_interpreter.h"

#include <algorithm>
#include <utility>

namespace fx::trace {

Value FunctionInterpreter::functionOf(std::size_t head) {
    const py::Stmt& def = m_tree[head];
    SourceFunction function;
    function.name = def.text;
    function.head = head;
    function.parameters = def.parameters;
    function.defaults = defaultsOf(def.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value FunctionInterpreter::lambdaValue(const py::Expr& lambda) {
    SourceFunction function;
    function.name = "<lambda>";
    function.lambda = &lambda;
    function.parameters = lambda.parameters;
    function.defaults = defaultsOf(lambda.parameters);
    if (m_inFunction) function.closure = std::make_shared<const LocalNames>(m_locals);
    return box(std::move(function));
}

Value FunctionInterpreter::classOf(std::size_t head) {
    const py::Stmt& statement = m_tree[head];
    if (statement.targets.size() > 1) throw CannotFollow(Message("trace.several_bases"));
    SourceClass made;
    made.name = statement.text;
    made.head = head;
    made.base = statement.targets.empty() ? none() : evaluate(*statement.targets[0]);
    std::vector<const py::Expr*> decorators;
    for (std::size_t at = head + 1, end = m_tree.bodyEnd(head); at < end; at = m_tree.bodyEnd(at)) {
        const py::Stmt& member = m_tree[at];
        if (member.kind == py::StmtKind::Decorator) {
            decorators.push_back(member.value);
            continue;
        }
        const auto of = std::exchange(decorators, {});
        const bool isValue = (member.kind == py::StmtKind::Assign || member.kind == py::StmtKind::AnnAssign) &&
                             member.value && member.targets[0]->kind == py::ExprKind::Name;
        try {
            if (member.kind == py::StmtKind::Def)
                made.members.emplace_back(std::string(member.text), definitionOf(at, of));
            if (isValue) made.members.emplace_back(std::string(member.targets[0]->text), evaluate(*member.value));
        } catch (const CannotFollow&) { // a property: using it is an error
        }
    }
    return box(std::move(made));
}

Value FunctionInterpreter::definitionOf(std::size_t head, std::span<const py::Expr* const> decorators) {
    Value made = m_tree[head].kind == py::StmtKind::Class ? classOf(head) : functionOf(head);
    for (std::size_t i = decorators.size(); i-- > 0;) made = decorated(*decorators[i], std::move(made));
    return made;
}

Value FunctionInterpreter::decorated(const py::Expr& decorator, Value function) {
    static constexpr std::string_view kTransparent[] = {"no_grad",   "inference_mode", "enable_grad",
                                                        "lru_cache", "cache",          "compatibility"};
    const bool isCall = decorator.kind == py::ExprKind::Call;
    const Value callee = evaluate(isCall ? *decorator.items[0] : decorator);
    const auto* known = callee.as<FunctionValue>();
    const auto* source = function.as<SourceFunction>();
    const std::string_view name = known ? std::string_view(known->callable->name) : std::string_view();
    if (std::find(std::begin(kTransparent), std::end(kTransparent), name) != std::end(kTransparent)) return function;
    if (source && (name == "staticmethod" || (isCall && name == "wraps"))) {
        SourceFunction changed = *source;
        changed.isStatic |= name == "staticmethod";
        const Value original =
            name == "wraps" && !decorator.arguments.empty() ? evaluate(*decorator.arguments[0].value) : none();
        if (const auto* wrapped = original.as<SourceFunction>())
            changed.wraps = std::make_shared<const SourceFunction>(*wrapped);
        return box(std::move(changed));
    }
    const Value applied = isCall ? evaluate(decorator) : callee;
    if (!applied.as<SourceFunction>())
        throw CannotFollow(
            Message("trace.unsupported_decorator",
                    {{"decorator", m_tree.source().substr(decorator.offset, decorator.end - decorator.offset)}}));
    return callValue(applied, {std::move(function)}, {});
}

Value FunctionInterpreter::attributeOf(const Value& object, std::string_view name) {
    const auto* type = object.as<SourceClass>();
    const Value* member = type ? type->find(name) : nullptr;
    return member ? *member : Evaluator::attributeOf(object, name);
}

std::vector<std::optional<Value>> FunctionInterpreter::defaultsOf(std::span<const py::Parameter> parameters) {
    std::vector<std::optional<Value>> defaults;
    for (const auto& parameter : parameters)
        defaults.push_back(parameter.defaultValue ? std::optional(evaluate(*parameter.defaultValue)) : std::nullopt);
    return defaults;
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
// `def`, and the decorators of functions and classes.
#include "core/python/interpreter.h"

namespace fx::python {
using trace::CannotFollow;

void Interpreter::define(std::size_t head) {
    const auto decorators = std::exchange(m_decorators, {});
    std::vector<Value> applied;
    for (const auto* decorator : decorators) applied.push_back(evaluateIn(*decorator));
    Value made = tree()[head].kind == py::StmtKind::Def ? defineFunction(head) : defineClass(head);
    for (auto each = applied.rbegin(); each != applied.rend(); ++each) made = decorated(*each, made);
    bind(tree()[head].text, made);
}

/// What a decorator makes of a function or class. One that cannot be followed is an error when what it decorates is
/// used, unless it only writes documentation.
Value Interpreter::decorated(const Value& decorator, const Value& made) {
    auto* function = made.as<Function>();
    auto* type = made.as<Class>();
    if (!function && !type) return call(decorator, {made});
    std::optional<Message>& lost = function ? function->lostDecorator : type->lostDecorator;
    const std::string& name = function ? function->qualifiedName : type->name;
    struct Restore {
        Interpreter& in;
        Frame* frame;
        Class* building;
        ~Restore() {
            in.m_frame = frame;
            in.m_building = building;
        }
    } const restore{*this, m_frame, m_building};
    const auto fails = [&](const std::string& why) {
        if (!onlyDocuments(decorator)) lost = Message("trace.decorator_failed", {{"name", name}, {"reason", why}});
    };
    try {
        if (const auto* unknown = decorator.as<Opaque>())
            lost = Message("trace.decorator_unknown", {{"name", name}, {"decorator", unknown->path}});
        else return call(decorator, {made});
    } catch (const Raised& raised) { fails(describe(raised)); } catch (const trace::Stop& stop) {
        if (stop.message().is("trace.too_many_steps")) throw;
        fails(stop.message().text());
    }
    failedIn.clear();
    return made;
}

/// The text that a body begins with, or null.
const std::string* Interpreter::docstring(const py::SourceTree& tree, std::size_t head, std::size_t end) {
    if (head + 1 >= end) return nullptr;
    const py::Stmt& first = tree[head + 1];
    if (first.kind != py::StmtKind::Expression || first.value->kind != py::ExprKind::Constant) return nullptr;
    return first.value->constant->as<std::string>();
}

Value Interpreter::documentation(const Function& function) {
    if (function.lambda || !function.file) return Value::none();
    const std::string* text = docstring(*function.file->tree, function.head, function.file->ends[function.head]);
    return text ? this->text(*text) : Value::none();
}

/// `__qualname__` of what is defined here under this name.
std::string Interpreter::qualified(std::string_view name) const {
    std::string path;
    if (m_frame->scope->isClass && m_building) path = m_building->pathInFile() + ".";
    else if (m_frame->function) path = m_frame->function->qualifiedName + ".<locals>.";
    return path += name;
}

Value Interpreter::defineFunction(std::size_t head) {
    const py::Stmt& statement = tree()[head];
    Function* function = m_heap.make<Function>();
    function->name = statement.text;
    function->owner = m_frame->scope->isClass ? m_building : m_frame->function ? m_frame->function->owner : nullptr;
    function->qualifiedName = qualified(function->name);
    function->file = m_frame->file;
    function->head = head;
    function->parameters = statement.parameters;
    function->defaults = defaultsOf(statement.parameters, *m_frame->scope);
    function->closure = m_frame->scope->keep();
    for (std::size_t at = head + 1, end = bodyEnd(head); at < end && !function->yields;) {
        const py::Stmt& each = tree()[at];
        if (each.kind == py::StmtKind::Def || each.kind == py::StmtKind::Class) {
            at = bodyEnd(at);
            continue;
        }
        function->yields = each.value && each.value->kind == py::ExprKind::Yield;
        ++at;
    }
    return function;
}

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
// `def`, and the decorators of functions and classes.
#include "core/python/imports/lost_names.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

void Functions::define(std::size_t head) {
    const auto decorators = std::exchange(stack().decorators, {});
    std::vector<Value> applied;
    for (const auto* decorator : decorators) applied.push_back(m_in.expressions().evaluateIn(*decorator));
    Value made =
        stack().tree()[head].kind == py::StmtKind::Def ? defineFunction(head) : m_in.classes().defineClass(head);
    const auto& wrapped = stack().frame->file->wrapped;
    const bool isWrapped = stack().frame->scope == stack().frame->file->globals &&
                           std::find(wrapped.begin(), wrapped.end(), stack().tree()[head].text) != wrapped.end();
    if (isWrapped && made.as<Function>()) made.as<Function>()->wrapped = true;
    for (auto each = applied.rbegin(); each != applied.rend(); ++each) made = decorated(*each, made);
    m_in.targets().bind(stack().tree()[head].text, made);
}

/// What a decorator makes of a function or class. One that cannot be followed is an error when what it decorates is
/// used, unless it only writes documentation.
Value Functions::decorated(const Value& decorator, const Value& made) {
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
            in.stack().frame = frame;
            in.stack().building = building;
        }
    } const restore{m_in, stack().frame, stack().building};
    const auto fails = [&](const std::string& why) {
        if (auto* failed = decorator.as<Function>()) LostNames(m_in, m_in.imports(), why).loseBy(*failed);
        if (!onlyDocuments(decorator)) lost = Message("trace.decorator_failed", {{"name", name}, {"reason", why}});
    };
    try {
        if (const auto* unknown = decorator.as<Opaque>())
            lost = Message("trace.decorator_unknown", {{"name", name}, {"decorator", unknown->path}});
        else return call(decorator, {made});
    } catch (const Raised& raised) {
        if (stack().frame && stack().frame->function) throw;
        fails(m_in.exceptions().describe(raised));
    } catch (const trace::Stop& stop) {
        if (stop.message().is("trace.too_many_steps")) throw;
        if (restore.frame && restore.frame->function && !onlyDocuments(decorator)) throw;
        fails(stop.message().text());
    }
    stack().forgetFailure();
    return made;
}

const std::string* Functions::docstring(const py::SourceTree& tree, std::size_t head, std::size_t end) {
    if (head + 1 >= end) return nullptr;
    const py::Stmt& first = tree[head + 1];
    if (first.kind != py::StmtKind::Expression || first.value->kind != py::ExprKind::Constant) return nullptr;
    return first.value->constant->as<std::string>();
}

Value Functions::documentation(const Function& function) {
    if (function.lambda || !function.file) return Value::none();
    const std::string* text = docstring(*function.file->tree, function.head, function.file->ends[function.head]);
    return text ? this->text(*text) : Value::none();
}

std::string Functions::qualified(std::string_view name) const {
    std::string path;
    for (const auto& [elsewhere, scope] : stack().frame->scope->elsewhere)
        if (elsewhere == name && scope == stack().frame->file->globals) return std::string(name);
    if (stack().frame->scope->isClass && stack().building) path = stack().building->pathInFile() + ".";
    else if (stack().frame->function) path = stack().frame->function->qualifiedName + ".<locals>.";
    return path += name;
}

Value Functions::defineFunction(std::size_t head) {
    const py::Stmt& statement = stack().tree()[head];
    Function* function = heap().make<Function>();
    function->name = statement.text;
    function->owner = stack().frame->scope->isClass ? stack().building
                      : stack().frame->function     ? stack().frame->function->owner
                                                    : nullptr;
    function->qualifiedName = qualified(function->name);
    function->file = stack().frame->file;
    function->head = head;
    function->parameters = statement.parameters;
    function->defaults = m_in.calls().defaultsOf(statement.parameters, *stack().frame->scope);
    function->closure = stack().frame->scope->keep();
    for (std::size_t at = head + 1, end = stack().bodyEnd(head); at < end && !function->yields;) {
        const py::Stmt& each = stack().tree()[at];
        if (each.kind == py::StmtKind::Def || each.kind == py::StmtKind::Class) {
            at = stack().bodyEnd(at);
            continue;
        }
        function->yields = each.value && each.value->kind == py::ExprKind::Yield;
        ++at;
    }
    return function;
}

} // namespace fx::python

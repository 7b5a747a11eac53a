// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/imports/lost_names.h"

#include "core/python/imports/nonlocals.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using Kind = py::StmtKind;

namespace {
/// Calls `visit` for an expression and all of its parts.
template<class Visit> void eachPart(const py::Expr* root, Visit visit) {
    std::vector<const py::Expr*> open{root};
    while (!open.empty()) {
        const py::Expr* expr = open.back();
        open.pop_back();
        if (!expr) continue;
        visit(*expr);
        open.insert(open.end(), expr->items.begin(), expr->items.end());
        for (const auto& argument : expr->arguments) open.push_back(argument.value);
    }
}

/// Calls `visit` for all parts of a statement, without its body.
template<class Visit> void eachPart(const py::Stmt& statement, Visit visit) {
    eachPart(statement.value, visit);
    for (const py::Expr* target : statement.targets) eachPart(target, visit);
    for (const auto& argument : statement.arguments) eachPart(argument.value, visit);
}

bool bindsName(const py::Expr& target, std::string_view name) {
    bool found = false;
    eachPart(&target, [&](const py::Expr& part) { found |= part.kind == ExprKind::Name && part.text == name; });
    return found;
}

/// The name at the start of `a.b[c].d`; empty for others.
std::string_view rootOf(const py::Expr* expr) {
    while (expr->kind == ExprKind::Attribute || expr->kind == ExprKind::Subscript) expr = expr->items[0];
    return expr->kind == ExprKind::Name ? expr->text : std::string_view();
}

/// Whether a method of a built-in type leaves its object as it is.
bool isReading(std::string_view method) {
    static constexpr std::string_view kMethods[] = {
        "get",          "keys",        "values",       "items",   "copy",        "index",
        "count",        "__getitem__", "__contains__", "union",   "issubset",    "issuperset",
        "intersection", "difference",  "isdisjoint",   "__len__", "most_common", "elements"};
    return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}
} // namespace

Opaque* LostNames::lost(const std::string& path) {
    Opaque* made = heap().make<Opaque>(path);
    made->lostBy = m_why;
    return made;
}

void LostNames::loseName(SourceFile& file, std::string_view name) {
    file.globals->names.set(name, lost(file.name + "." + std::string(name)));
}

void LostNames::loseTarget(SourceFile& file, const py::Expr& target) {
    const bool isAll = target.text == "__all__" && file.globals->names.find("__all__"); // to which a part is added
    if (target.kind == ExprKind::Name && !isAll) loseName(file, target.text);
    if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List || target.kind == ExprKind::Starred)
        for (const py::Expr* part : target.items) loseTarget(file, *part);
}

/// All names of an object of the program are lost: in other files, too.
void LostNames::loseObject(const Value& object) {
    for (const auto& entry : m_imports.files()) {
        SourceFile& file = *entry.second;
        if (file.path.empty()) continue;
        const auto names = file.globals->names.items();
        trace::charge(names.size() / 8);
        for (const auto& [name, value] : names)
            if (value.kind == Value::Kind::Object && value.object == object.object) loseName(file, name);
    }
}

/// The value of a name of a file; unset if it has none, or none yet.
Value LostNames::named(SourceFile& file, std::string_view name) {
    const Value* value = file.globals->names.find(name);
    if (!value || !value->as<LazyImport>()) return value ? *value : Value();
    const auto* lazy = value->as<LazyImport>();
    if (lazy->isPending) return {};
    try {
        return m_imports.forced(*value);
    } catch (const Raised&) { stack().forgetFailure(); } catch (const trace::Stop&) {
        stack().forgetFailure();
    }
    return {};
}

/// The object that `a`, `module.a` or a part of these belongs to, and that part; unset where they are not known.
LostNames::Found LostNames::found(const Range& range, const py::Expr& expr) {
    std::vector<std::string_view> path; // attributes from the last one
    bool isKnown = true;
    const py::Expr* start = &expr;
    for (; start->kind == ExprKind::Attribute || start->kind == ExprKind::Subscript; start = start->items[0]) {
        if (start->kind == ExprKind::Attribute) path.push_back(start->text);
        else path.clear(), isKnown = false;
    }
    if (start->kind != ExprKind::Name) return {};
    if (range.function && functionBinds(*range.file, *range.function, start->text)) return {};
    const Value* held = nullptr;
    for (Scope* scope = range.closure; scope && scope != range.file->globals && !held; scope = scope->parent)
        held = scope->names.find(start->text);
    Value object = held ? *held : named(*range.file, start->text);
    for (; object.as<SourceFile>() && !path.empty(); path.pop_back())
        object = named(object.get<SourceFile>(), path.back());
    Value part = object;
    for (; part.isSet() && !part.as<Opaque>() && !path.empty(); path.pop_back()) {
        if (path.back() == "__doc__" || path.back() == "__name__") return {object, Value::none()}; // a text
        const auto* instance = part.as<Instance>();
        const auto* type = instance ? instance->type : part.as<Class>();
        const Value* own = instance ? instance->attributes.find(path.back()) : nullptr;
        if (!own && type) own = type->find(path.back());
        part = !own ? Value() : own->as<Wrapper>() ? own->as<Wrapper>()->function : *own;
    }
    return {object, isKnown && !part.as<Property>() ? part : Value()};
}

/// Whether a method of that name may change the object; for an empty name, an assignment changes it.
bool LostNames::mayChange(const Value& object, std::string_view method) {
    if (object.as<List>() || object.as<Dict>() || object.as<Set>()) return !isReading(method);
    if (tensorIn(object)) return method.empty() || (method.ends_with('_') && !method.ends_with("__"));
    if (object.as<Iterator>()) return true;
    if (const auto* function = object.as<Function>()) return method.empty() && !function->file->path.empty();
    if (const auto* instance = object.as<Instance>()) return !instance->type->isException;
    const auto* type = object.as<Class>();
    if (!type || !type->file || type->file->path.empty()) return false;
    const Value* member = method.empty() ? nullptr : type->find(method);
    const Value inner = member && member->as<Wrapper>() ? member->as<Wrapper>()->function : member ? *member : Value();
    const auto* function = inner.as<Function>();
    if (!function || function->lambda || function->parameters.empty()) return method.empty();
    const py::SourceTree& tree = *function->file->tree;
    const std::string_view self = function->parameters.front().name;
    const auto isOwn = [&](const py::Expr& expr) { return rootOf(&expr) == self || rootOf(&expr) == type->name; };
    bool changes = false;
    trace::charge(function->file->ends[function->head] - function->head);
    for (std::size_t at = function->head + 1; at < function->file->ends[function->head]; ++at) {
        for (const py::Expr* target : tree[at].targets)
            changes |= target && target->kind != ExprKind::Name && tree[at].kind != Kind::Class && isOwn(*target);
        eachPart(tree[at], [&](const py::Expr& part) { // `cls.items.append(...)`
            const py::Expr* callee = part.kind == ExprKind::Call ? part.items[0] : nullptr;
            const py::Expr* owner = callee && callee->kind == ExprKind::Attribute ? callee->items[0] : nullptr;
            if (!owner || owner->kind != ExprKind::Attribute || !isOwn(*owner)) return;
            const Value* held = type->find(owner->text);
            changes |= held && !held->as<Class>() && mayChange(*held, callee->text);
        });
    }
    return changes;
}

/// Loses only the attribute where `owner.name = …` sets one of a class or an object of the program. Returns false for
/// other targets.
bool LostNames::loseAttribute(const Range& range, const py::Expr& target) {
    if (target.kind != ExprKind::Attribute) return false;
    const Value owner = found(range, *target.items[0]).part;
    auto* instance = owner.as<Instance>();
    Class* type = instance ? instance->type : owner.as<Class>();
    const Value* member = type ? type->find(target.text) : nullptr;
    if (!type || !type->file || type->file->path.empty() || type->isEnum) return false;
    if (instance ? instance->module || type->find("__setattr__") || (member && !member->as<Function>())
                 : type->metaclass != nullptr)
        return false;
    const std::string name(target.text);
    (instance ? instance->attributes : type->members).set(name, lost(type->name + "." + name));
    return true;
}

/// Loses what the names in an expression stand for.
void LostNames::loseNamed(const Range& range, const py::Expr& expr) {
    eachPart(&expr, [&](const py::Expr& part) {
        if (part.kind != ExprKind::Name) return;
        const Value value = found(range, part).object;
        if (mayChange(value, {}) && !value.as<Class>() && !value.as<Function>()) loseObject(value);
    });
}

/// Loses the object that is changed. Returns true if it is a parameter of the function.
bool LostNames::loseChange(const Range& range, const Change& change) {
    const std::string_view root = rootOf(change.expr);
    if (root.empty()) return false;
    trace::charge(1 + (range.end - range.from) / 8);
    const Found changed = found(range, *change.expr);
    const bool isChanged = changed.part.isSet() ? mayChange(changed.part, change.method)
                                                : mayChange(changed.object, {}) && !isReading(change.method);
    if (isChanged) loseObject(changed.object);
    if (isChanged && changed.part.isSet()) loseObject(changed.part);
    const py::SourceTree& tree = *range.file->tree;
    for (std::size_t at = range.from; at < range.end; ++at) { // `for each in LISTS: each.append(...)`
        const py::Stmt& statement = tree[at];
        const bool binds =
            statement.kind == Kind::For || statement.kind == Kind::Assign || statement.kind == Kind::With;
        if (!binds || !statement.value) continue;
        for (const py::Expr* target : statement.targets)
            if (target && bindsName(*target, root)) loseNamed(range, *statement.value);
    }
    const auto isIt = [&](const py::Parameter& each) { return each.name == root; };
    return range.function && std::ranges::any_of(tree[*range.function].parameters, isIt);
}

/// Loses what a function or class of the program changes that is called, or that decorates.
void LostNames::enter(const Range& range, const py::Expr& callee, const py::Expr* call) {
    const Value value = found(range, callee).part;
    if (const auto* type = value.as<Class>())
        for (const char* name : {"__init__", "__del__"})
            if (const Value* method = type->find(name)) enterFunction(range, method->as<Function>(), call);
    enterFunction(range, value.as<Function>(), call);
}

void LostNames::enterFunction(const Range& range, Function* function, const py::Expr* call) {
    if (!function || function->lambda || function->file->path.empty()) return;
    trace::charge(1 + m_entered.size() / 8);
    if (std::find(m_entered.begin(), m_entered.end(), function) != m_entered.end()) return;
    m_entered.push_back(function);
    const trace::Deeper deeper;
    const std::size_t end = function->file->ends[function->head];
    if (loseChanges({function->file, function->head + 1, end, function->head, function->closure}) && call)
        for (const auto& argument : call->arguments) loseNamed(range, *argument.value);
}

/// Loses all that the statements change. Returns true if they change a parameter of the function.
bool LostNames::loseChanges(const Range& range) {
    const py::SourceTree& tree = *range.file->tree;
    bool changesParameter = false;
    for (std::size_t at = range.from; at < range.end;) {
        const py::Stmt& statement = tree[at];
        trace::charge(1);
        if (statement.kind == Kind::Global && statement.text == "global" && range.function)
            for (const auto& each : statement.imports) loseName(*range.file, each.name);
        std::vector<Change> changes;
        std::vector<const py::Expr*> targets(statement.targets.begin(), statement.targets.end());
        while (statement.kind != Kind::Class && !targets.empty()) {
            const py::Expr* target = targets.back();
            targets.pop_back();
            if (!target || (statement.kind == Kind::Assign && loseAttribute(range, *target))) continue;
            if (target->kind == ExprKind::Attribute || target->kind == ExprKind::Subscript)
                changes.push_back({target->items[0], {}});
            else targets.insert(targets.end(), target->items.begin(), target->items.end()); // of a tuple
        }
        if (statement.kind == Kind::AugAssign) changes.push_back({statement.targets[0], {}});
        eachPart(statement, [&](const py::Expr& part) {
            if (part.kind != ExprKind::Call) return;
            const py::Expr& callee = *part.items[0];
            if (callee.kind == ExprKind::Attribute) changes.push_back({callee.items[0], callee.text});
            enter(range, callee, &part);
        });
        if (statement.kind == Kind::Decorator) enter(range, *statement.value, nullptr);
        for (const Change& change : changes) changesParameter |= loseChange(range, change);
        at = statement.kind == Kind::Def && !range.function ? range.file->ends[at] : at + 1; // does not run
    }
    return changesParameter;
}

void LostNames::lose(SourceFile& file, std::size_t head, std::size_t end, std::size_t failed) {
    const py::SourceTree& tree = *file.tree;
    std::size_t from = std::max(head, failed);
    for (std::size_t at = head; at < from; ++at)
        if ((tree[at].kind == Kind::For || tree[at].kind == Kind::While) && file.ends[at] > from) from = at;
    std::size_t first = from;
    while (first > 0 && tree[first - 1].kind == Kind::Decorator) --first;
    loseChanges({&file, first, end, std::nullopt, nullptr});
    for (std::size_t at = from; at < end;) {
        const py::Stmt& statement = tree[at];
        const bool isScope = statement.kind == Kind::Def || statement.kind == Kind::Class;
        if (isScope) loseName(file, statement.text);
        else
            for (const py::Expr* target : statement.targets)
                if (target) loseTarget(file, *target); // null: `with` without `as`
        if (at != head)
            for (const auto& each : statement.imports)
                if (each.name != "*")
                    loseName(file, each.alias.empty() ? each.name.substr(0, each.name.find('.')) : each.alias);
        at = isScope ? file.ends[at] : at + 1;
    }
}

} // namespace fx::python

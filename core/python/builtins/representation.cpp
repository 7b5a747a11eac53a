// SPDX-License-Identifier: GPL-3.0-or-later
// str() and repr() of all values.
#include "core/base/python_text.h"
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <cctype>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// repr() of a function; operators of torch.ops have another str().
std::string reprOf(const Callable& function) {
    const std::string& name = function.repr; // of an operator: its str()
    if (function.kind == Callable::Kind::OpPacket) return "<OpOverloadPacket(op='" + name + "')>";
    if (function.kind != Callable::Kind::OpOverload) return name;
    const auto dot = name.rfind('.');
    return "<OpOverload(op='" + name.substr(0, dot) + "', overload='" + name.substr(dot + 1) + "')>";
}
} // namespace

/// What `__str__`, `__repr__` and `__format__` returned.
std::string Representation::textOfResult(const Value& made, std::string_view method) {
    if (const auto* text = plain(made).as<Str>()) return text->text;
    if (made.as<Traced>()) return str(made);
    requireKnown(made);
    raise("TypeError", std::string(method) + " returned non-string (type " + typeName(made) + ")");
}

std::string Representation::typeName(const Value& value) {
    const Value type = typeOf(value);
    const auto* own = type.as<Class>();
    return own ? nameInMessages(*own) : str(attribute(type, "__name__"));
}

std::string Representation::str(const Value& given) {
    if (const auto* text = given.as<Str>()) return text->text;
    const Value value = given; // `__str__` may replace it
    const trace::Deeper deeper(" while getting the str of an object");
    if (const auto* instance = value.as<Instance>()) {
        if (const Value own = specialMethod(value, "__str__"); own.isSet())
            return textOfResult(call(own, {}), "__str__");
        if (instance->type->isException) {
            const Value* args = instance->attributes.find("args");
            const Value held = args ? *args : Value();
            const auto* items = held.as<Tuple>();
            if (!items || items->items.empty()) return "";
            const bool isKey = instance->type->derivesFrom(builtinClass("KeyError"));
            return items->items.size() == 1 && !isKey ? str(items->items[0]) : repr(isKey ? items->items[0] : held);
        }
        if (instance->type->isEnum) return instance->type->name + "." + str(*instance->attributes.find("name"));
        if (instance->payload.isSet() && !instance->type->isNamedTuple && !instance->type->find("__repr__"))
            return str(instance->payload);
    }
    if (const auto* traced = value.as<Traced>()) {
        if (const auto* function = traced->value.as<trace::FunctionValue>()) return function->callable->repr;
        const auto* argument = traced->value.as<Argument>();
        if (const auto* device = argument ? argument->as<Device>() : nullptr)
            return device->type + (device->index < 0 ? "" : ":" + std::to_string(device->index));
    }
    return repr(value);
}

// ── repr ─────────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {
/// While the repr() of a container is made: what holds itself is `[...]` inside of it.
class Showing {
public:
    explicit Showing(bool& flag) : m_flag(flag) { m_flag = true; }
    ~Showing() { m_flag = false; }
    Showing(const Showing&) = delete;
    Showing& operator=(const Showing&) = delete;

private:
    bool& m_flag;
};
void append(std::string& out, std::string_view text) {
    trace::chargeBytes(text.size());
    out += text;
}
void appendQuoted(std::string& out, const std::string& text) {
    trace::chargeBytes(text.size() + 2);
    appendPythonString(out, text);
}
} // namespace

std::string Representation::repr(const Value& value) {
    std::string out;
    appendRepr(out, value);
    return out;
}

/// Of lists, dicts and such the parts are appended one by one: a value that is met often costs its text each time, and
/// no copies of it.
void Representation::appendRepr(std::string& out, const Value& value) {
    trace::charge(1);
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: out += "None"; return;
    case Value::Kind::Bool: out += value.boolean ? "True" : "False"; return;
    case Value::Kind::Int: out += std::to_string(value.integer); return;
    case Value::Kind::Float: appendPythonFloat(out, value.real); return;
    case Value::Kind::Object: break;
    }
    if (const auto* text = value.as<Str>()) return appendQuoted(out, text->text);
    const trace::Deeper deeper(" while getting the repr of an object");
    appendObjectRepr(out, Value(value)); // `__repr__` of a part may change what held it
}

namespace {
/// The items of a sequence, which their own `__repr__` may change.
void appendItems(Interpreter& in, std::string& out, const Values& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        append(out, i ? ", " : "");
        in.representation().appendRepr(out, items[i]);
    }
}
} // namespace

void Representation::appendDictRepr(std::string& out, const Dict& dict) {
    if (dict.factory.isSet()) {
        out += "defaultdict(";
        appendRepr(out, dict.factory);
        out += ", ";
    }
    if (dict.isShown) {
        out += dict.isOrdered ? "..." : "{...}";
    } else {
        const Showing showing(dict.isShown);
        out += !dict.isOrdered ? "{" : dict.size() ? "OrderedDict([" : "OrderedDict(";
        bool isFirst = true;
        dict.forEach([&](const Value& key, const Value& each) {
            append(out, std::exchange(isFirst, false) ? "" : ", ");
            if (dict.isOrdered) out += "(";
            appendRepr(out, key);
            out += dict.isOrdered ? ", " : ": ";
            appendRepr(out, each);
            if (dict.isOrdered) out += ")";
        });
        out += !dict.isOrdered ? "}" : isFirst ? ")" : "])";
    }
    if (dict.factory.isSet()) out += ")";
}

void Representation::appendObjectRepr(std::string& out, const Value& value) {
    if (auto* tuple = value.as<Tuple>()) {
        if (tuple->isShown) return append(out, "(...)");
        const Showing showing(tuple->isShown);
        out += tuple->isSize ? "torch.Size([" : "(";
        appendItems(m_in, out, tuple->items);
        out += tuple->isSize ? "])" : tuple->items.size() == 1 ? ",)" : ")";
    } else if (auto* list = value.as<List>()) {
        if (list->isShown) return append(out, "[...]");
        const Showing showing(list->isShown);
        out += "[";
        appendItems(m_in, out, list->items);
        out += "]";
    } else if (const auto* dict = value.as<Dict>()) {
        appendDictRepr(out, *dict);
    } else if (const auto* set = value.as<Set>()) {
        if (set->items.isShown) return append(out, set->isFrozen ? "frozenset(...)" : "set(...)");
        const Showing showing(set->items.isShown);
        const bool isEmpty = set->items.size() == 0;
        out += set->isFrozen ? "frozenset(" : isEmpty ? "set()" : "";
        bool isFirst = true;
        for (const Value& key : set->keys()) {
            append(out, std::exchange(isFirst, false) ? "{" : ", ");
            appendRepr(out, key);
        }
        if (!isFirst) out += "}";
        if (set->isFrozen) out += ")";
    } else if (const auto* view = value.as<DictView>()) {
        if (view->isShown) return append(out, "...");
        const Showing showing(view->isShown);
        out += Types::viewName(*view) + "([";
        appendItems(m_in, out, m_in.builtinMethods().viewed(*view));
        out += "])";
    } else if (const auto* range = value.as<RangeObject>()) {
        append(out, "range(" + std::to_string(range->start) + ", " + std::to_string(range->stop) +
                        (range->step == 1 ? "" : ", " + std::to_string(range->step)) + ")");
    } else if (value.as<Instance>()) {
        appendInstanceRepr(out, value);
    } else if (const auto* type = value.as<Class>()) {
        if (const Value own = specialMethod(value, "__repr__"); own.isSet())
            return append(out, textOfResult(call(own, {}), "__repr__"));
        const std::string module = str(attribute(value, "__module__"));
        const std::string space = module == "builtins" ? "" : module + ".";
        if (type->isEnum && type->file) return append(out, "<enum '" + type->name + "'>");
        append(out, "<class '" + (type->torchPath.empty() ? space + type->pathInFile() : type->torchPath) + "'>");
    } else if (const auto* function = value.as<Function>()) {
        append(out, "<function " + function->qualifiedName + " at 0x0>");
    } else if (const auto* traced = value.as<Traced>()) {
        appendTracedRepr(out, *traced);
    } else if (const auto* opaque = value.as<Opaque>()) {
        throw CannotFollow(unknownImport(*opaque));
    } else if (const auto* slice = value.as<SliceObject>()) {
        out += "slice(";
        appendItems(m_in, out, {slice->start, slice->stop, slice->step});
        out += ")";
    } else if (const auto* native = value.as<Native>(); native && native->self.isSet()) {
        append(out, "<built-in method " + native->name + " of " + typeName(native->self) + " object at 0x0>");
    } else if (native && native->shape) {
        append(out, "<built-in function " + native->name + ">");
    } else {
        throw CannotFollow(Message("trace.not_computed", {{"function", "repr"}}));
    }
}

void Representation::appendInstanceRepr(std::string& out, const Value& value) {
    auto* instance = value.as<Instance>();
    const Class& type = *instance->type;
    if (const Value own = specialMethod(value, "__repr__"); own.isSet())
        return append(out, textOfResult(call(own, {}), "__repr__"));
    if (type.isEnum) {
        out += "<" + type.name + "." + str(*instance->attributes.find("name")) + ": ";
        appendRepr(out, *instance->attributes.find("value"));
        out += ">";
    } else if (type.isException) {
        const Value* found = instance->attributes.find("args");
        const Value args = found ? *found : Value(tuple({}));
        const auto* items = args.as<Tuple>();
        const bool isOne = items && items->items.size() == 1;
        out += type.name + (isOne ? "(" : "");
        appendRepr(out, isOne ? items->items[0] : args);
        if (isOne) out += ")";
    } else if (type.isDataclass || type.isNamedTuple) {
        if (instance->isShown && !type.isNamedTuple) return append(out, "...");
        const Showing showing(instance->isShown);
        out += type.name + "(";
        bool isFirst = true;
        for (const std::string& field : std::vector(type.fields))
            if (const Value* each = instance->attributes.find(field)) {
                append(out, (std::exchange(isFirst, false) ? "" : ", ") + field + "=");
                appendRepr(out, *each);
            }
        out += ")";
    } else if (instance->payload.isSet()) {
        appendRepr(out, instance->payload);
    } else {
        append(out, instance->module ? type.name + "()" : "<" + type.name + " object>");
    }
}

void Representation::appendTracedRepr(std::string& out, const Traced& traced) {
    if (const auto* proxy = traced.value.as<trace::Proxy>()) { // a program may keep those of another trace
        const bool isKnown = tracer().isOfGraph(proxy->node);
        return append(out, "Proxy(" + (isKnown ? tracer().graph().node(proxy->node).name() : std::string("?")) + ")");
    }
    if (traced.value.isProxy())
        return append(out, "Proxy(" + tracer().graph().node(tracer().toArgument(traced.value).node()).name() + ")");
    const auto* known = traced.value.as<trace::FunctionValue>();
    append(out, known ? reprOf(*known->callable) : trace::textOf(traced.value));
}

// ── methods of str ───────────────────────────────────────────────────────────────────────────────────────────────

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/execution/call_stack.h"
#include "core/python/values/object.h"
#include "core/trace/tracer.h"

#include <functional>

namespace fx::python {
class Interpreter;

/// Python's operations on values, like CPython's object protocol (`PyObject_GetAttr`): what the parts of an interpreter
/// ask of each other. Each operation belongs to one part: `object_protocol_parts.h` lists them. Parts derive from this
/// class, and reach what only some of them need through `m_in`: `m_in.imports().runText(...)`.
class ObjectProtocol {
public:
    /// Keeps a reference to `in`.
    explicit ObjectProtocol(Interpreter& in) : m_in(in) {}
    ObjectProtocol(const ObjectProtocol&) = delete;
    ObjectProtocol& operator=(const ObjectProtocol&) = delete;

    /// Owns all objects of the program.
    Heap& heap() const;
    /// Where the program is.
    CallStack& stack() const;
    /// The current tracer. Requires `recordWith`.
    trace::Tracer& tracer() const;
    /// True during a symbolic trace.
    bool traces() const;
    /// Raises a built-in exception: throws `Raised`.
    [[noreturn]] void raise(std::string_view type, const std::string& message);

    // ── Objects ──
    /// Calls a value: functions, classes, instances with `__call__`, and callables of torch, which are recorded.
    Value call(const Value& callee, Values args, Keywords kwargs = {});
    /// `getattr`; raises AttributeError if there is no such attribute.
    Value attribute(const Value& object, std::string_view name);
    /// Like `attribute`, but returns unset if there is no such attribute.
    Value findAttribute(const Value& object, std::string_view name);
    /// Like `findAttribute`, but also returns unset if a property raises AttributeError.
    Value softAttribute(const Value& object, std::string_view name);
    /// `setattr`.
    void setAttribute(const Value& object, std::string_view name, const Value& value);
    /// Binds a member of `type` to `self`: methods, properties and other descriptors.
    Value bound(const Value& member, const Value& self, Class* type);
    /// Returns a bound special method, which Python looks up in the type; unset if it has none.
    Value specialMethod(const Value& object, std::string_view name);
    /// Creates an object: calls `__new__` and `__init__`.
    Value instantiate(Class* type, Values args, Keywords kwargs);
    /// `type(value)`.
    Value typeOf(const Value& value);
    /// `isinstance(value, type)`.
    bool isInstance(const Value& value, const Value& type);
    /// `issubclass(type, of)`.
    bool isSubclass(Class* type, const Value& of);

    // ── Operators ──
    /// Applies a unary operator: "neg", "invert".
    Value unary(std::string_view op, const Value& operand);
    /// Applies a binary operator by its name in Python's module `operator`: "add", "and_".
    Value binary(std::string_view op, const Value& left, const Value& right);
    /// Compares as the operator `sign` does: "<", "is not", "in".
    Value compare(std::string_view sign, const Value& left, const Value& right);
    /// `left == right` as a bool.
    bool equal(const Value& left, const Value& right);
    /// `hash(value)`, equal to CPython's for numbers and tuples of numbers.
    std::int64_t hash(const Value& value);
    /// `item in container`.
    bool contains(const Value& container, const Value& item);
    /// `value is wanted or value == wanted`, by which containers find their items.
    bool isItem(const Value& value, const Value& wanted);
    /// `bool(value)`; `hooks` or the tracer decide about proxies.
    bool truth(const Value& value);
    /// `len(value)`.
    Value length(const Value& value);

    // ── Items and iteration ──
    /// `object[key]`.
    Value item(const Value& object, const Value& key);
    /// `object[key] = value`.
    void setItem(const Value& object, const Value& key, const Value& value);
    /// `del object[key]`.
    void deleteItem(const Value& object, const Value& key);
    /// `iter(iterable)`.
    Iterator* iterate(const Value& iterable);
    /// Creates an iterator; `next` returns unset at the end. `type` is Python's name of its type, a literal.
    Iterator* iterator(std::function<Value()> next, std::string_view type = "generator");
    /// `next(iterator)`; raises StopIteration with the generator's result at the end.
    Value next(Iterator& iterator);
    /// `list(iterable)`.
    Values list(const Value& iterable);
    /// Calls `visit` for each item as soon as it is drawn, as everything does that Python builds item by item.
    void forEachItem(const Value& iterable, const std::function<void(const Value& item)>& visit);
    /// `list.extend(iterable)`.
    void extend(List& list, const Value& iterable);

    // ── Texts ──
    /// `str(value)`.
    std::string str(const Value& value);
    /// `repr(value)`.
    std::string repr(const Value& value);
    /// `format(value, spec)`.
    std::string format(const Value& value, std::string_view spec);
    /// The name of a value's type as messages of Python have it: "list", "collections.deque".
    std::string typeName(const Value& value);

    // ── Names ──
    /// Returns a built-in name, or null.
    const Value* builtin(std::string_view name) const;
    /// Returns a built-in class by name, or null.
    Class* builtinClass(std::string_view name);
    /// Returns the globals of a file. Runs the file on the first call.
    Scope& run(SourceFile& file);
    /// Returns a module by its absolute name without running it. If it is not found, returns an `Opaque` if
    /// `mustExist`, else unset.
    Value importModule(const std::string& name, bool mustExist);
    /// Returns a module that Lancet provides; null for other modules.
    SourceFile* ownFile(const std::string& name);
    /// Resolves a `LazyImport`; returns other values unchanged.
    Value forced(Value value);
    Value resolve(const std::string& dotted); ///< looks up a dotted name of torch, math or operator

    // ── To the tracer and back ──
    /// Converts a value for the tracer, as an argument of a recorded call.
    trace::Value toTrace(const Value& value);
    /// Converts an operand. A recorded call keeps members of enums; a computed one (`records` false) takes their
    /// values.
    trace::Value toOperand(const Value& value, bool records);
    /// Converts a value of the tracer to a Python value.
    Value fromTrace(const trace::Value& value);
    /// Wraps a value of the tracer.
    Value traced(trace::Value value) { return heap().make<Traced>(std::move(value)); }

    // ── Making objects ──
    /// Creates a str.
    Value text(std::string value) { return heap().make<Str>(std::move(value)); }
    /// Creates a function that Lancet implements.
    Value native(std::string name, Native::Body body) { return heap().make<Native>(std::move(name), std::move(body)); }
    /// Creates a tuple.
    Tuple* tuple(Values items);
    /// Creates a list.
    List* listOf(Values items);

protected:
    Interpreter& m_in;
};

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the interpreter that does each operation of ObjectProtocol. Included by python_interpreter.h.
#pragma once
#include "core/python/python_interpreter.h"

namespace fx::python {

inline Heap& ObjectProtocol::heap() const { return m_in.m_heap; }
inline CallStack& ObjectProtocol::stack() const { return m_in.m_stack; }
inline trace::Tracer& ObjectProtocol::tracer() const { return *m_in.m_tracer; }
inline bool ObjectProtocol::traces() const { return m_in.m_traces; }
inline void ObjectProtocol::raise(std::string_view type, const std::string& message) {
    m_in.exceptions().raise(type, message);
}
inline const Value* ObjectProtocol::builtin(std::string_view name) const { return m_in.builtins().names().find(name); }
inline trace::Value ObjectProtocol::toTrace(const Value& value) { return m_in.bridge().toTrace(value); }
inline Value ObjectProtocol::call(const Value& callee, Values args, Keywords kwargs) {
    return m_in.calls().call(callee, std::move(args), std::move(kwargs));
}
inline Value ObjectProtocol::attribute(const Value& object, std::string_view name) {
    return m_in.attributes().attribute(object, name);
}
inline Value ObjectProtocol::findAttribute(const Value& object, std::string_view name) {
    return m_in.attributes().findAttribute(object, name);
}
inline Value ObjectProtocol::softAttribute(const Value& object, std::string_view name) {
    return m_in.attributes().softAttribute(object, name);
}
inline void ObjectProtocol::setAttribute(const Value& object, std::string_view name, const Value& value) {
    m_in.attributeChanges().setAttribute(object, name, value);
}
inline Value ObjectProtocol::bound(const Value& member, const Value& self, Class* type) {
    return m_in.attributes().bound(member, self, type);
}
inline Value ObjectProtocol::specialMethod(const Value& object, std::string_view name) {
    return m_in.instances().specialMethod(object, name);
}
inline Value ObjectProtocol::instantiate(Class* type, Values args, Keywords kwargs) {
    return m_in.instances().instantiate(type, std::move(args), std::move(kwargs));
}
inline Value ObjectProtocol::typeOf(const Value& value) { return m_in.types().typeOf(value); }
inline bool ObjectProtocol::isInstance(const Value& value, const Value& type) {
    return m_in.types().isInstance(value, type);
}
inline bool ObjectProtocol::isSubclass(Class* type, const Value& of) { return m_in.types().isSubclass(type, of); }
inline Value ObjectProtocol::unary(std::string_view op, const Value& operand) {
    return m_in.operators().unary(op, operand);
}
inline Value ObjectProtocol::binary(std::string_view op, const Value& left, const Value& right) {
    return m_in.operators().binary(op, left, right);
}
inline Value ObjectProtocol::compare(std::string_view sign, const Value& left, const Value& right) {
    return m_in.operators().compare(sign, left, right);
}
inline bool ObjectProtocol::equal(const Value& left, const Value& right) { return m_in.operators().equal(left, right); }
inline std::int64_t ObjectProtocol::hash(const Value& value) { return m_in.operators().hash(value); }
inline bool ObjectProtocol::contains(const Value& container, const Value& item) {
    return m_in.operators().contains(container, item);
}
inline bool ObjectProtocol::isItem(const Value& value, const Value& wanted) {
    return m_in.operators().isItem(value, wanted);
}
inline bool ObjectProtocol::truth(const Value& value) { return m_in.operators().truth(value); }
inline Value ObjectProtocol::length(const Value& value) { return m_in.operators().length(value); }
inline Value ObjectProtocol::item(const Value& object, const Value& key) { return m_in.items().item(object, key); }
inline void ObjectProtocol::setItem(const Value& object, const Value& key, const Value& value) {
    m_in.items().setItem(object, key, value);
}
inline void ObjectProtocol::deleteItem(const Value& object, const Value& key) { m_in.items().deleteItem(object, key); }
inline Iterator* ObjectProtocol::iterate(const Value& iterable) { return m_in.iteration().iterate(iterable); }
inline Iterator* ObjectProtocol::iterator(std::function<Value()> next, std::string_view type) {
    return m_in.iteration().iterator(std::move(next), type);
}
inline Value ObjectProtocol::next(Iterator& iterator) { return m_in.iteration().next(iterator); }
inline Values ObjectProtocol::list(const Value& iterable) { return m_in.iteration().list(iterable); }
inline void ObjectProtocol::forEachItem(const Value& iterable, const std::function<void(const Value& item)>& visit) {
    m_in.iteration().forEachItem(iterable, visit);
}
inline void ObjectProtocol::extend(List& list, const Value& iterable) { m_in.iteration().extend(list, iterable); }
inline std::string ObjectProtocol::str(const Value& value) { return m_in.representation().str(value); }
inline std::string ObjectProtocol::repr(const Value& value) { return m_in.representation().repr(value); }
inline std::string ObjectProtocol::format(const Value& value, std::string_view spec) {
    return m_in.representation().format(value, spec);
}
inline std::string ObjectProtocol::typeName(const Value& value) { return m_in.representation().typeName(value); }
inline Class* ObjectProtocol::builtinClass(std::string_view name) { return m_in.builtins().builtinClass(name); }
inline Scope& ObjectProtocol::run(SourceFile& file) { return m_in.imports().run(file); }
inline Value ObjectProtocol::importModule(const std::string& name, bool mustExist) {
    return m_in.imports().importModule(name, mustExist);
}
inline SourceFile* ObjectProtocol::ownFile(const std::string& name) { return m_in.imports().ownFile(name); }
inline Value ObjectProtocol::forced(Value value) { return m_in.imports().forced(std::move(value)); }
inline Value ObjectProtocol::resolve(const std::string& dotted) { return m_in.bridge().resolve(dotted); }
inline trace::Value ObjectProtocol::toOperand(const Value& value, bool records) {
    return m_in.bridge().toOperand(value, records);
}
inline Value ObjectProtocol::fromTrace(const trace::Value& value) { return m_in.bridge().fromTrace(value); }
inline Tuple* ObjectProtocol::tuple(Values items) { return m_in.iteration().tuple(std::move(items)); }
inline List* ObjectProtocol::listOf(Values items) { return m_in.iteration().listOf(std::move(items)); }

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/class_making.h"

#include <stdexcept>

namespace fx::python {

Class* makeClass(Interpreter& in, const char* name, std::vector<Class*> bases) {
    Class* type = in.heap().make<Class>();
    type->name = name;
    if (bases.empty()) bases = {in.builtinClass("object")};
    std::erase(bases, nullptr);
    type->bases = bases;
    type->order = {type};
    for (Class* base : bases) type->order.insert(type->order.end(), base->order.begin(), base->order.end());
    return type;
}

void addProperty(Interpreter& in, Class* type, const char* name, std::function<Value(const Value&)> get,
                 std::function<void(const Value&, const Value&)> set) {
    Property* both = in.heap().make<Property>();
    both->getter = in.native(
        name, [get = std::move(get)](Interpreter&, Values& args, Keywords&) -> Value { return get(args.at(0)); });
    if (set)
        both->setter = in.native(name, [set = std::move(set)](Interpreter&, Values& args, Keywords&) -> Value {
            set(args.at(0), args.at(1));
            return Value::none();
        });
    type->members.set(name, both);
}

void addMethod(Interpreter& in, Class* type, const char* name, NativeBody body) {
    const auto checked = [&in, name, body = std::move(body)](Interpreter&, Values& args, Keywords& kwargs) -> Value {
        try {
            return body(args, kwargs);
        } catch (const std::out_of_range&) {
            in.raise("TypeError", std::string(name) + "() is missing a required positional argument");
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Refused) throw;
            in.raise("RuntimeError", error.what());
        }
    };
    type->members.set(name, in.native(name, checked));
}

Value makeRecord(Interpreter& in, const char* className, const Keywords& attributes) {
    Instance* made = in.heap().make<Instance>();
    made->type = makeClass(in, className);
    for (const auto& [name, value] : attributes) made->attributes.set(name, value);
    return made;
}

Value argumentAt(const Values& args, const Keywords& kwargs, std::size_t at, std::string_view name) {
    if (at < args.size()) return args[at];
    for (const auto& [key, value] : kwargs)
        if (key == name) return value;
    return {};
}

} // namespace fx::python

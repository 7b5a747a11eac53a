// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions about objects.
#include "core/ops/python_functions.h"
#include "core/python/python_interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <set>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

void Builtins::addObjects() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    add("getattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const std::string name = in.str(args.at(1));
        if (args.size() < 3) return in.attribute(args[0], name);
        if (!TypeArguments::isAlias(args[0])) requireKnown(args[0]);
        const Value found = in.softAttribute(args[0], name);
        if (args[0].as<SourceFile>()) requireKnown(found); // Python may not have it
        const auto* traced = found.as<Traced>();
        const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
        const bool isGuessed = args[0].as<Space>() && name.starts_with('_') && function && function->callable->opaque;
        if (isGuessed) throw CannotFollow(Message("trace.not_computed", {{"function", function->path}}));
        return found.isSet() ? found : args[2];
    });
    add("hasattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const auto* traced = args.at(0).as<Traced>();
        const std::string name = in.str(args.at(1));
        if (const auto* tensor = traced ? tensorIn(args[0]) : nullptr)
            return {ops::findFunction("torch.Tensor." + name).has_value() || name == "data" || name == "shape" ||
                    in.attributeChanges().markOf(tensor->object(), name).isSet()};
        const Value found = in.softAttribute(args[0], name);
        if (args[0].as<SourceFile>()) requireKnown(found); // Python may not have it
        const auto* value = found.as<Traced>();
        const auto* function = value ? value->value.as<trace::FunctionValue>() : nullptr;
        const auto* space = args[0].as<Space>();
        const bool isAnswered = space && !name.starts_with('_') && Attributes::namesAreKnown(*space);
        if (space && !isAnswered && function && !function->known && !ops::findFunction(function->path)) return {false};
        return {found.isSet()};
    });
    add("setattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.setAttribute(args.at(0), in.str(args.at(1)), args.at(2));
        return Value::none();
    });
    add("delattr", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.attributeChanges().removeAttribute(args.at(0), in.str(args.at(1)));
        return Value::none();
    });
    add("isinstance",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return {in.isInstance(args.at(0), args.at(1))}; });
    add("issubclass", [](Interpreter& in, Values& args, Keywords&) -> Value {
        in.types().requireNoBases(args.at(0), "issubclass");
        if (isProxy(args[0]) || (!args[0].as<Class>() && !args[0].as<Traced>()))
            in.raise("TypeError", "issubclass() arg 1 must be a class");
        return {in.isSubclass(args[0].as<Class>(), args.at(1))};
    });
    add("callable", [](Interpreter&, Values& args, Keywords&) -> Value {
        const Value& v = args.at(0);
        const auto* instance = v.as<Instance>();
        const auto* traced = v.as<Traced>();
        if (TypeArguments::isAlias(v)) return {v.get<Opaque>().origin.isSet()};
        return {v.as<Function>() || v.as<Native>() || v.as<Method>() || v.as<Class>() || v.as<Wrapper>() ||
                (instance && (instance->module || instance->type->find("__call__"))) ||
                (traced && (traced->value.as<trace::FunctionValue>() || traced->value.isProxy()))};
    });
    add("id", [](Interpreter&, Values& args, Keywords&) -> Value {
        if (const auto* tensor = tensorIn(args.at(0)))
            return {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&tensor->object()))};
        const Value& value = args.at(0);
        if (value.kind != Value::Kind::Object) return {value.isInt() ? value.asInt() : std::int64_t{1}};
        return {static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value.object))};
    });
    add("__repr_once__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (object, otherwise, function)
        bool& isShown = args.at(0).get<Instance>().isShown;
        if (isShown) return args.at(1);
        struct Showing {
            bool& flag;
            ~Showing() { flag = false; }
        } const showing{isShown = true};
        return in.call(args.at(2), {});
    });
    add("hash", [](Interpreter& in, Values& args, Keywords&) -> Value { return {in.hash(args.at(0))}; });
    add("repr", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.text(in.repr(args.at(0))); });
    add("format", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.text(in.format(args.at(0), args.size() > 1 ? in.str(args[1]) : ""));
    });
    add("print", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Value* file = keyword(kwargs, "file");
        const bool isOfProgram = file && file->as<Instance>();
        if (!isOfProgram && !in.printed) return Value::none();
        const auto option = [&](const char* name, const char* otherwise) {
            const Value* given = keyword(kwargs, name);
            return given && given->as<Str>() ? given->as<Str>()->text : std::string(otherwise);
        };
        const std::string between = option("sep", " ");
        if (isOfProgram) {
            const Value write = in.attribute(*file, "write");
            for (std::size_t i = 0; i < args.size(); ++i) {
                if (i) in.call(write, {in.text(between)});
                in.call(write, {in.text(in.str(args[i]))});
            }
            in.call(write, {in.text(option("end", "\n"))});
            if (const Value* flush = keyword(kwargs, "flush"); flush && in.truth(*flush))
                in.call(in.attribute(*file, "flush"), {});
            return Value::none();
        }
        const std::size_t before = in.builtins().m_unfinished.size();
        for (std::size_t i = 0; i < args.size(); ++i)
            in.builtins().m_unfinished += (i > 0 ? between : "") + in.str(args[i]);
        in.builtins().m_unfinished += option("end", "\n");
        trace::chargeBytes(in.builtins().m_unfinished.size() - before);
        if (in.builtins().m_unfinished.ends_with('\n')) in.builtins().finishLine();
        return Value::none();
    });
    add("vars", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.empty()) return in.call(*in.builtin("locals"), {});
        const Value found = in.softAttribute(args[0], "__dict__");
        if (!found.isSet()) in.raise("TypeError", "vars() argument must have __dict__ attribute");
        return found;
    });
    add("dir", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (!args.empty() && args[0].as<Space>()) return args[0]; // `"silu" in dir(F)`
        const Value asked = args.empty() ? Value() : args[0];
        const bool isKnown =
            args.empty() || asked.as<SourceFile>() ||
            (asked.as<Instance>() && !asked.get<Instance>().payload.isSet() && !asked.get<Instance>().type->isEnum) ||
            (asked.as<Class>() && !asked.get<Class>().isEnum &&
             (asked.get<Class>().file || asked.get<Class>().isModule));
        if (!isKnown) return in.heap().make<Opaque>("builtins.dir()");
        std::set<std::string> names;
        const auto addNames = [&](const Names& from) {
            for (const auto& [name, value] : from.items()) names.insert(name);
        };
        if (args.empty()) addNames(in.stack().frame->scope->names);
        const auto* instance = args.empty() ? nullptr : args[0].as<Instance>();
        if (instance) addNames(instance->attributes);
        const auto* type = instance ? instance->type : args.empty() ? nullptr : args[0].as<Class>();
        if (type)
            for (const Class* each : type->order) addNames(each->members);
        if (auto* file = args.empty() ? nullptr : args[0].as<SourceFile>()) addNames(in.run(*file).names);
        if (instance && instance->module)
            for (const auto& child : instance->module->children) names.insert(child.name);
        Values out;
        for (const std::string& name : names) out.push_back(in.text(name));
        return in.listOf(std::move(out));
    });
    add("locals", [](Interpreter& in, Values&, Keywords&) -> Value {
        Scope& scope = *in.stack().frame->scope;
        if (&scope == in.stack().frame->file->globals) return in.attribute(in.stack().frame->file, "__dict__");
        Dict* dict = in.heap().make<Dict>();
        for (const auto& [key, value] : scope.names.items()) dict->set(in.text(key), value);
        return dict;
    });
    add("globals",
        [](Interpreter& in, Values&, Keywords&) -> Value { return in.attribute(in.stack().frame->file, "__dict__"); });
    Class* notImplemented = heap().make<Class>();
    notImplemented->name = "NotImplementedType";
    notImplemented->bases = {m_object};
    m_in.classes().orderBases(*notImplemented);
    notImplemented->members.set("__repr__", native("__repr__", [](Interpreter& in, Values&, Keywords&) -> Value {
                                    return in.text("NotImplemented");
                                }));
    m_builtins.set("NotImplemented", m_in.instances().bare(*notImplemented));
    m_builtins.set("Ellipsis", traced({Argument(EllipsisValue{})}));
    m_builtins.set("__debug__", Value(true));
    m_builtins.set("__name__", text("builtins"));
}

} // namespace fx::python

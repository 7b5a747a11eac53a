// SPDX-License-Identifier: GPL-3.0-or-later
// What the Python that Lancet brings calls of Lancet: `__name__` in own modules.
#include "core/ops/catalogue.h"
#include "core/ops/nn_modules.h"
#include "core/pysrc/parser.h"
#include "core/python/python_interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace fx::python {

void Library::addHelpers() {
    const auto add = [&](const char* name, Native::Body body) {
        m_in.builtins().names().set(name, native(name, std::move(body)));
    };
    add("__opaque__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.heap().make<Opaque>(in.str(args.at(0))); });
    add("__space__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.heap().make<Space>(in.str(args.at(0))); });
    add("__table__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.fromTrace(trace::resolveName(in.str(args.at(0))));
    });
    add("__linspace__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        // float32 as PyTorch computes it: from both ends towards the middle
        const std::int64_t steps = args.at(2).asInt();
        if (!args[0].isNumber() || !args[1].isNumber() || steps < 0 || steps > 1 << 20)
            in.raise("TypeError", "linspace() expects numbers");
        const auto start = static_cast<float>(args[0].asReal()), end = static_cast<float>(args[1].asReal());
        const float width = steps > 1 ? (end - start) / static_cast<float>(steps - 1) : 0;
        std::vector<std::byte> bytes(static_cast<std::size_t>(steps) * sizeof(float));
        for (std::int64_t i = 0; i < steps; ++i) {
            const float value =
                i < steps / 2 ? start + width * static_cast<float>(i) : end - width * static_cast<float>(steps - i - 1);
            std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(float), &value, sizeof value);
        }
        auto tensor = std::make_shared<TensorRef>();
        tensor->sizes = {steps};
        tensor->strides = {1};
        tensor->storage = Storage::inMemory(std::move(bytes));
        return in.traced({trace::TensorValue{tensor}});
    });
    add("__bind__", [](Interpreter& in, Values& args, Keywords&) -> Value { // types.MethodType
        auto* method = in.heap().make<Method>();
        method->function = args.at(0), method->self = args.at(1);
        return method;
    });
    add("__import_module__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const std::string name = in.str(args.at(0));
        const Value found = in.importModule(name, false);
        if (!found.isSet()) in.raise("ModuleNotFoundError", "No module named '" + name + "'");
        return found;
    });
    add("__source__", [](Interpreter& in, Values& args, Keywords&) -> Value { // of a function, class or module
        const auto* function = args.at(0).as<Function>();
        const auto* type = args[0].as<Class>();
        const auto* module = args[0].as<SourceFile>();
        if (module) return in.text(module->text);
        const SourceFile* file = function ? function->file : type ? type->file : nullptr;
        if (!file || file->path.empty() || (function && function->lambda)) return Value::none();
        const std::size_t head = function ? function->head : type->head, end = file->ends[head];
        const py::SourceTree& tree = *file->tree;
        const std::size_t from = tree[head].offset, to = end < tree.size() ? tree[end].offset : file->text.size();
        return in.text(file->text.substr(from, to - from));
    });
    add("__space_of__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.importModule(in.str(args.at(0)), true); });
    add("__module_exists__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const std::string name = in.str(args.at(0));
        return {Sources::isStandard(name) || in.importModule(name, false).isSet()};
    });
    add("__distribution__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const auto version = in.imports().sources().versionOf(in.str(args.at(0)));
        return version ? in.text(*version) : Value::none();
    });
    m_in.builtins().names().set("__builtin_round__", *m_in.builtins().names().find("round"));
    add("__computes__", [](Interpreter& in, Values&, Keywords&) -> Value { return {in.machine != nullptr}; });
    add("__refuse_dtype__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        throw trace::CannotFollow(Message("trace.other_default_dtype", {{"call", in.str(args.at(0))}}));
    });
    add("__refuse_write__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        throw trace::CannotFollow(Message("trace.writes_view_at_load", {{"function", in.str(args.at(0))}}));
    });
    add("__refuse_computed__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", in.str(args.at(0))}}));
    });
    add("__draws_weights__", [](Interpreter& in, Values&, Keywords&) -> Value { return {in.random().drawsValues()}; });
    add("__seconds__", [](Interpreter&, Values&, Keywords&) -> Value {
        return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
    });
    add("__schema__", [](Interpreter& in, Values& args, Keywords&) -> Value { // of "torch.ops.aten.add.Tensor"
        const auto op = ops::findOperator(in.str(args.at(0)));
        if (!op) return Value::none();
        const auto rows = [&](const ops::ArgumentRange& range) {
            List* out = in.listOf({});
            for (const ops::Argument& each : range)
                out->items.push_back(in.tuple({in.text(std::string(each.name())), in.text(std::string(each.type())),
                                               Value(each.isKeywordOnly()), Value(each.hasDefault()),
                                               in.text(std::string(each.defaultValue()))}));
            return out;
        };
        return in.tuple({in.text(std::string(op->name())), in.text(std::string(op->overload())), rows(op->arguments()),
                         rows(op->returns()), in.text(op->schema())});
    });
    add("__is_proxy__", [](Interpreter&, Values& args, Keywords&) -> Value { return {isProxy(args.at(0))}; });
    add("__annotated__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Values names;
        for (const std::string& field : args.at(0).get<Class>().fields) names.push_back(in.text(field));
        return in.listOf(std::move(names));
    });
    add("__annotate__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        for (const Value& each : in.list(args.at(1)))
            args.at(0).get<Class>().annotated.emplace_back(in.str(each), "object");
        return Value::none();
    });
    add("__annotation__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (class, field)
        const Class& type = args.at(0).get<Class>();
        const std::string name = in.str(args.at(1));
        trace::charge(1 + type.annotated.size() / 8);
        for (const auto& [field, kind] : type.annotated) {
            if (field != name) continue;
            return type.file->hasTextAnnotations ? in.text(kind) : in.library().evaluatedText(kind, *type.file);
        }
        return Value::none();
    });
    add("__record__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (class, field names, frozen)
        Class* type = args.at(0).as<Class>();
        type->fields.clear();
        for (const Value& each : in.list(args.at(1))) type->fields.push_back(in.str(each));
        type->isDataclass = true;
        type->isFrozenRecord = in.truth(args.at(2));
        type->compared.reset();
        if (!args.at(3).isNone()) {
            auto& compared = type->compared.emplace();
            for (const Value& each : in.list(args[3])) compared.push_back(in.str(each));
        }
        return args[0];
    });
    add("__raw_set__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        args.at(0).get<Instance>().attributes.set(in.str(args.at(1)), args.at(2));
        return Value::none();
    });
    add("__namedtuple__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Class* type = in.heap().make<Class>();
        type->name = in.str(args.at(0));
        type->file = in.stack().frame->caller ? in.stack().frame->caller->file : in.stack().frame->file;
        type->isNamedTuple = true;
        for (const Value& each : in.list(args.at(1))) type->fields.push_back(in.str(each));
        type->bases = {in.builtinClass("__NamedTuple__")};
        in.classes().orderBases(*type);
        const Values defaults = in.list(args.at(2));
        for (std::size_t i = 0; i < defaults.size(); ++i)
            type->members.set(type->fields[type->fields.size() - defaults.size() + i], defaults[i]);
        in.instances().nameFields(*type);
        type->members.set("__slots__", in.tuple({}));
        return type;
    });
    add("__abstract__", [](Interpreter&, Values& args, Keywords&) -> Value { // abc.abstractmethod
        if (auto* function = args.at(0).as<Function>()) function->attributes.set("__isabstractmethod__", Value(true));
        return args[0];
    });
    add("__auto__", [](Interpreter& in, Values&, Keywords&) -> Value { // enum.auto in the body of a class
        const Class* type = in.stack().building;
        const Frame* body = in.stack().frame;
        const bool isNamed = !type || !body->scope->isClass || type->find("_generate_next_value_") ||
                             body->scope->names.find("_generate_next_value_") ||
                             type->derivesFrom(in.builtinClass("str"));
        if (isNamed) return in.instances().bare(*in.builtinClass("auto"));
        const bool isFlag = type->find("_is_flag_") != nullptr;
        Values before;
        std::int64_t highest = 0;
        for (const auto& [name, value] : body->scope->names.items()) {
            const bool isMember =
                !name.starts_with("_") && !value.as<Function>() && !value.as<Wrapper>() && !value.as<Property>();
            if (isMember) before.push_back(value);
            if (isMember && value.isInt()) highest = std::max(highest, value.asInt());
        }
        if (!isFlag) return in.enums().nextValue(before, 1);
        std::int64_t bit = 1;
        while (bit <= highest && bit < (std::int64_t{1} << 61)) bit *= 2;
        return {bit};
    });
    add("__flag__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (class, bits, name, stays)
        return in.enums().joinedFlag(*args.at(0).as<Class>(), args.at(1), args.at(2), in.truth(args.at(3)));
    });
    add("__wraps__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (function, the one that it wraps)
        auto* function = args.at(0).as<Function>();
        auto* shown = args.at(1).as<Function>();
        if (function && shown) {
            function->name = shown->name;
            function->qualifiedName = shown->qualifiedName;
            function->shown = shown;
            for (const auto& [key, value] : shown->attributes.items())
                if (key != "__wrapped__" && key != "__dict__") function->attributes.set(key, value);
            function->attributes.set("__doc__", in.attribute(shown, "__doc__"));
        }
        return args[0];
    });
    add("__registered_op__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (name, function, args, kwargs)
        Values given = itemsOf(args.at(2)) ? *itemsOf(args[2]) : Values();
        Keywords named;
        if (const auto* words = args.at(3).as<Dict>())
            words->forEach([&](const Value& key, const Value& each) { named.emplace_back(in.str(key), each); });
        if (!in.traces() || !Calls::holdsAnyProxy(given, named)) return in.call(args.at(1), given, named);
        std::string name = in.str(args.at(0));
        if (const std::size_t colons = name.find("::"); colons != name.npos) name.replace(colons, 2, ".");
        return in.call(in.resolve("torch.ops." + name + ".default"), given, named);
    });
    add("__wrap__", [](Interpreter& in, Values& args, Keywords&) -> Value { // torch.fx.wrap
        const Value& what = args.at(0);
        if (auto* function = what.as<Function>()) function->wrapped = true;
        const Value named = what.as<Native>() || what.as<Traced>() ? in.softAttribute(what, "__name__") : what;
        if (const auto* name = named.as<Str>()) {
            SourceFile* file = in.stack().frame->caller ? in.stack().frame->caller->file : in.stack().frame->file;
            Value* found = file->globals->names.find(name->text);
            const Value value = found ? in.forced(*found) : Value();
            if (!found) file->wrapped.push_back(name->text);
            if (auto* function = value.as<Function>()) function->wrapped = true;
            else if (const auto* traced = value.as<Traced>(); traced && traced->value.as<trace::FunctionValue>()) {
                trace::FunctionValue wrapped = *traced->value.as<trace::FunctionValue>();
                wrapped.wrapped = true;
                file->globals->names.set(name->text, in.traced(trace::box(std::move(wrapped))));
            } else if (in.builtins().names().find(name->text)) { // `wrap('len')`
                file->globals->names.set(
                    name->text,
                    in.native(name->text,
                              [name = name->text](Interpreter& inner, Values& given, Keywords& kwargs) -> Value {
                                  if (!inner.traces() || !Calls::holdsAnyProxy(given, kwargs))
                                      return inner.call(*inner.builtins().names().find(name), given, kwargs);
                                  trace::Values traceArgs;
                                  trace::KeywordValues traceKwargs;
                                  for (const Value& each : given) traceArgs.push_back(inner.toTrace(each));
                                  for (const auto& [key, each] : kwargs)
                                      traceKwargs.emplace_back(key, inner.toTrace(each));
                                  return inner.fromTrace(inner.tracer().recordFunction(
                                      resolveCallable("builtins." + name), traceArgs, traceKwargs, true));
                              }));
            }
        }
        return what;
    });
    add("__parameters__", [](Interpreter& in, Values& args, Keywords&) -> Value { // (name, kind, default or unset)
        Value what = args.at(0);
        if (const auto* type = what.as<Class>())
            for (Class* each : type->order) {
                if (ops::findModule(each->torchPath)) return in.library().tableParameters(*each, true);
                Value* init = each->members.find("__init__");
                if (!init) init = each->members.find("__new__");
                if (!init) continue;
                what = *init;
                break;
            }
        const bool isBound = what.as<Method>() != nullptr || args[0].as<Class>();
        if (const auto* method = what.as<Method>()) what = method->function;
        if (const auto* native = what.as<Native>(); native && native->constructs)
            return in.library().tableParameters(*native->constructs, isBound);
        if (const auto* native = what.as<Native>(); native && native->name == "__init__") // of object
            return in.listOf({in.tuple({in.text("self"), Value(std::int64_t{0})}),
                              in.tuple({in.text("args"), Value(std::int64_t{2})}),
                              in.tuple({in.text("kwargs"), Value(std::int64_t{4})})});
        auto* function = what.as<Function>();
        while (function && function->shown) function = function->shown;
        if (!function && !(args[0].as<Class>() && args[0].get<Class>().file))
            throw trace::CannotFollow(Message("trace.not_computed", {{"function", "inspect.signature"}}));
        List* out = in.listOf({});
        for (std::size_t i = isBound ? 1 : 0; function && i < function->parameters.size(); ++i) {
            const auto& parameter = function->parameters[i];
            static constexpr std::int64_t kKinds[] = {1, 2, 3, 4}; // as inspect numbers them
            const std::int64_t kind = kKinds[static_cast<std::size_t>(parameter.kind)];
            Values row{in.text(std::string(parameter.name)), Value(parameter.isPositionalOnly ? 0 : kind)};
            if (function->defaults[i].isSet()) row.push_back(function->defaults[i]);
            out->items.push_back(in.tuple(std::move(row)));
        }
        return out;
    });
    add("__abstract_names__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Values names;
        for (const std::string& name : args.at(0).get<Class>().abstract) names.push_back(in.text(name));
        return in.tuple(std::move(names));
    });
    add("__union__", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.typeArguments().unionOf(args.at(0), args.at(1));
    });
    add("__origin__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.typeArguments().originOf(args.at(0)); });
    add("__arguments__",
        [](Interpreter& in, Values& args, Keywords&) -> Value { return in.typeArguments().argumentsOf(args.at(0)); });
    add("__is_protocol__", [](Interpreter&, Values& args, Keywords&) -> Value {
        const auto* type = args.at(0).as<Class>();
        return {type && type->isProtocol};
    });
    add("__yields__", [](Interpreter&, Values& args, Keywords&) -> Value {
        const auto* function = args.at(0).as<Function>();
        return {function && function->yields};
    });
    add("__register__", [](Interpreter&, Values& args, Keywords&) -> Value { // (abstract class, class)
        args.at(0).get<Class>().registered.push_back(&args.at(1).get<Class>());
        return args[1];
    });
    add("__context__", [](Interpreter&, Values& args, Keywords&) -> Value {
        if (auto* function = args.at(0).as<Function>()) function->isContext = true;
        return args[0];
    });
}

Value Library::evaluatedText(const std::string& text, SourceFile& file) {
    try {
        py::Parser parser(text, py::Grammar::Full);
        return m_in.expressions().evaluate(*parser.expression(), run(file));
    } catch (const Raised&) {
    } catch (const Error&) {
    } catch (const trace::Stop&) {}
    stack().forgetFailure();
    return heap().make<Opaque>(text);
}

/// A default of a parameter, which a table has as Python text.
Value Library::tableDefault(std::string_view text) {
    return text.starts_with("torch.") ? resolve(std::string(text))
                                      : evaluatedText(std::string(text), *ownFile("inspect"));
}

List* Library::tableParameters(const Class& type, bool isBound) {
    List* out = listOf({});
    if (!isBound) out->items.push_back(tuple({text("self"), Value(std::int64_t{1})}));
    for (const ops::Parameter& parameter : ops::findModule(type.torchPath)->signature()) {
        Values row{text(std::string(parameter.name)), Value(static_cast<std::int64_t>(parameter.kind))};
        if (!parameter.defaultValue.empty()) row.push_back(tableDefault(parameter.defaultValue));
        out->items.push_back(tuple(std::move(row)));
    }
    return out;
}

} // namespace fx::python

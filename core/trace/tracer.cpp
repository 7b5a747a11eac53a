// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/tracer.h"

#include "core/base/joined_path.h"
#include "core/pysrc/expression_names.h"
#include "core/trace/allowance.h"
#include "core/trace/callables.h"
#include "core/trace/constants/constant_tensors.h"

#include <algorithm>
#include <array>

namespace fx::trace {
namespace {
/// More values than this in one node's arguments cannot be meant; code like `a = (a, a)` doubles with each line.
constexpr std::size_t kMaxValuesPerNode = 1'000'000;
constexpr std::size_t kNodeBytes = 400; ///< about what a node takes in a graph, with its name

/// What torch.fx's Proxy has itself: Python finds these before `x.name` is taken for an attribute of the traced value.
constexpr std::array<std::string_view, 62> kOwnAttributes = {"__abs__",
                                                             "__add__",
                                                             "__and__",
                                                             "__bool__",
                                                             "__call__",
                                                             "__class__",
                                                             "__deepcopy__",
                                                             "__delattr__",
                                                             "__dict__",
                                                             "__dir__",
                                                             "__div__",
                                                             "__eq__",
                                                             "__floordiv__",
                                                             "__format__",
                                                             "__ge__",
                                                             "__getattr__",
                                                             "__getattribute__",
                                                             "__getitem__",
                                                             "__getstate__",
                                                             "__gt__",
                                                             "__hash__",
                                                             "__init__",
                                                             "__init_subclass__",
                                                             "__invert__",
                                                             "__iter__",
                                                             "__le__",
                                                             "__len__",
                                                             "__lshift__",
                                                             "__lt__",
                                                             "__matmul__",
                                                             "__mod__",
                                                             "__mul__",
                                                             "__ne__",
                                                             "__neg__",
                                                             "__new__",
                                                             "__or__",
                                                             "__pos__",
                                                             "__pow__",
                                                             "__radd__",
                                                             "__rand__",
                                                             "__rdiv__",
                                                             "__reduce__",
                                                             "__reduce_ex__",
                                                             "__repr__",
                                                             "__rfloordiv__",
                                                             "__rlshift__",
                                                             "__rmatmul__",
                                                             "__rmod__",
                                                             "__rmul__",
                                                             "__ror__",
                                                             "__rpow__",
                                                             "__rrshift__",
                                                             "__rshift__",
                                                             "__rsub__",
                                                             "__rtruediv__",
                                                             "__rxor__",
                                                             "__setattr__",
                                                             "__setstate__",
                                                             "__str__",
                                                             "__sub__",
                                                             "__truediv__",
                                                             "__xor__"};
} // namespace

// ── from values to arguments ─────────────────────────────────────────────────────────────────────────────────────

Argument Tracer::toArgument(const Value& value) {
    m_budget = kMaxValuesPerNode;
    return convert(value, 0);
}

Argument Tracer::convert(const Value& value, int depth) {
    if (depth > kMaxArgumentDepth || m_budget-- == 0) throw CannotFollow(Message("trace.argument_too_large"));
    if (const auto* proxy = value.as<Proxy>()) return nodeOf(proxy->node);
    if (const auto* argument = value.as<Argument>()) return checkedArgument(*argument);
    if (const auto* lazy = value.asLazy()) return materialise(**lazy);
    if (const auto* sequence = value.as<ValueSequence>()) {
        chargeBytes(sequence->items.size() * sizeof(Argument)); // each node has a copy
        std::vector<Argument> items;
        items.reserve(sequence->items.size());
        for (const auto& item : sequence->items) items.push_back(convert(item, depth + 1));
        return sequence->list ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (const auto* dict = value.as<ValueDict>()) {
        chargeBytes(dict->items.size() * 2 * sizeof(Argument));
        std::vector<std::pair<Argument, Argument>> items;
        for (const auto& [key, item] : dict->items) {
            if (holdsProxy(key))
                throw PythonError("RuntimeError: Keys for dictionaries used as an argument cannot contain a Node");
            Argument keyArgument = convert(key, depth + 1);
            items.emplace_back(std::move(keyArgument), convert(item, depth + 1));
        }
        return Argument::dict(std::move(items));
    }
    if (const auto* slice = value.as<ValueSlice>()) {
        Argument start = convert(slice->start, depth + 1), stop = convert(slice->stop, depth + 1);
        return Argument::slice(std::move(start), std::move(stop), convert(slice->step, depth + 1));
    }
    if (const auto* tensor = value.as<TensorValue>()) return tensorArgument(objectOf(*tensor));
    if (const auto* module = value.as<ModuleValue>()) {
        const auto* path = m_modules.modulePath(module->module);
        if (!path && m_onlyComputes)
            throw CannotFollow(Message("trace.not_run", {{"type", module->module->className}}));
        if (!path) throw PythonError("NameError: module is not installed as a submodule");
        return recordRead(*path);
    }
    if (const auto* made = value.as<Construction>()) return constructionArgument(*made, depth);
    if (const auto* function = value.as<FunctionValue>()) return functionArgument(*function->callable);
    if (const auto* member = value.as<BoundMethod>(); member && m_mode == Mode::AsWritten)
        return recordFunction(resolveCallable("builtins.getattr"), {member->self, {Argument(member->name)}}, {})
            .as<Proxy>()
            ->node;
    if (value.as<BoundMethod>()) throw CannotFollow(Message("trace.unknown_argument", {{"value", textOf(value)}}));
    throw PythonError("NotImplementedError: argument of type: " + textOf(value));
}

/// A program may keep what another trace made, whose nodes are those of another graph.
NodeId Tracer::nodeOf(NodeId node) const {
    if (!isOfGraph(node)) throw PythonError("AssertionError: the proxy is of another trace");
    return node;
}

namespace {
/// About how long the text of a constant is, where it has no bound.
std::size_t textBytes(const Argument& constant) {
    if (const auto* text = constant.as<std::string>()) return text->size();
    if (const auto* bytes = constant.as<Bytes>()) return bytes->data.size();
    if (const auto* number = constant.as<BigInt>()) return number->digits.size();
    return 0;
}
} // namespace

/// torch.fx takes numbers, text, torch's constants and devices, but neither bytes nor quantisation schemes.
const Argument& Tracer::checkedArgument(const Argument& argument) const {
    const auto* constant = argument.as<TorchConstant>();
    const bool foreign = argument.as<Bytes>() || (constant && constant->kind == TorchConstant::Kind::QScheme);
    if (foreign && m_mode == Mode::AsPython)
        throw PythonError(std::string("NotImplementedError: argument of type: ") +
                          (constant ? "<class 'torch.qscheme'>" : "<class 'bytes'>"));
    chargeBytes(textBytes(argument)); // nodes share it, but the text of the graph repeats it
    return argument;
}

/// Of all callables only operators may be arguments.
Argument Tracer::functionArgument(const Callable& callable) const {
    const bool isOperator =
        callable.kind == Callable::Kind::OpOverload || callable.kind == Callable::Kind::HigherOrderOp;
    if (!isOperator && m_mode == Mode::AsPython)
        throw PythonError("NotImplementedError: argument of type: " + callable.repr);
    return CallableValue{std::make_shared<const Callable>(callable)};
}

Argument Tracer::tensorArgument(const TensorPtr& tensor) {
    for (const auto* path : {m_modules.parameterPath(tensor.get()), m_modules.bufferPath(tensor.get()),
                             m_modules.attributePath(tensor.get())})
        if (path) return recordRead(*path);
    if (m_onlyComputes) throw CannotFollow(Message("trace.not_run", {{"type", "tensor"}}));
    if (tensor->isParameter && m_mode == Mode::AsPython)
        throw PythonError("NameError: parameter is not a member of this module");
    const bool isExpression = tensor->storage && tensor->storage->isExpression();
    if (isExpression && tensor->storage->expressionSource().find("<tensor>") != std::string::npos) // see textOf
        throw CannotFollow(Message("trace.nameless_operand", {{"source", tensor->storage->expressionSource()}}));
    return recordRead(m_modules.addConstant(tensor));
}

Argument Tracer::recordRead(const std::string& path) {
    // Such a tracer notes the value of each get_attr, and asks the root for all of its path at once.
    if (m_class.readsValues && m_mode == Mode::AsPython && path.find('.') != std::string::npos)
        throw PythonError("AttributeError: '_CodeOnlyModule' object has no attribute '" + path + "'");
    return created({Op::GetAttr, path, nullptr, {}, {}, nullptr}, takeWish());
}

Argument Tracer::constructionArgument(const Construction& made, int depth) {
    std::vector<Argument> args;
    for (const auto& arg : made.args) args.push_back(convert(arg, depth + 1));
    Kwargs kwargs;
    for (const auto& [key, arg] : made.kwargs) kwargs.emplace_back(key, convert(arg, depth + 1));
    return created({Op::CallFunction, {}, made.type, std::move(args), std::move(kwargs), nullptr}, takeWish());
}

/// The one place where nodes are made.
NodeId Tracer::created(NewNode node, std::string_view wish) {
    chargeBytes(kNodeBytes + node.args.size() * sizeof(Argument));
    if (m_creator) return m_creator(std::move(node));
    if (node.callable)
        return m_graph.callFunction(std::move(node.callable), std::move(node.args), std::move(node.kwargs), wish,
                                    std::move(node.type));
    return m_graph.createNode(node.op, std::move(node.target), std::move(node.args), std::move(node.kwargs), wish,
                              std::move(node.type));
}

std::vector<Argument> Tracer::toArguments(const Values& values) {
    std::vector<Argument> out;
    out.reserve(values.size());
    for (const auto& value : values) out.push_back(toArgument(value));
    return out;
}

Kwargs Tracer::toKwargs(const KeywordValues& kwargs) {
    Kwargs out;
    out.reserve(kwargs.size());
    for (const auto& [key, value] : kwargs) out.emplace_back(key, toArgument(value));
    return out;
}

// ── recording ────────────────────────────────────────────────────────────────────────────────────────────────────

std::optional<std::string> Tracer::missingPath(const LazyAttribute& attribute) const {
    std::vector<const std::string*> names{&attribute.name};
    const Value* root = &attribute.root;
    for (; root->asLazy(); root = &(*root->asLazy())->root) names.push_back(&(*root->asLazy())->name);
    charge(names.size() / 8);
    const auto* module = root->as<ModuleValue>();
    if (!module) return std::nullopt;
    std::string path;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        if (!path.empty()) path += ".";
        path += **name;
    }
    const auto* prefix = m_modules.modulePath(module->module);
    return prefix && !prefix->empty() ? *prefix + "." + path : path;
}

/// Attributes that a proxy has itself are no values.
void Tracer::requireRecordable(const LazyAttribute& attribute) const {
    if (m_mode == Mode::AsPython &&
        std::find(kOwnAttributes.begin(), kOwnAttributes.end(), attribute.name) != kOwnAttributes.end())
        throw PythonError("NotImplementedError: argument of type: <class 'method'> (" + attribute.name +
                          " is the proxy's own)");
}

/// Of `x.a.b` first `x.a`, unless it was recorded before.
NodeId Tracer::materialise(LazyAttribute& attribute) {
    if (attribute.node != kNoNode) return nodeOf(attribute.node);
    if (const auto path = missingPath(attribute)) return attribute.node = recordAttribute(*path).as<Proxy>()->node;
    if (!m_getattr) m_getattr = resolveCallable("builtins.getattr");
    const std::string wish = takeWish();
    std::vector<LazyAttribute*> open{&attribute};
    while (const auto* root = open.back()->root.asLazy()) {
        if ((*root)->node != kNoNode) break;
        open.push_back(root->get());
    }
    charge(open.size());
    for (const LazyAttribute* each : open) requireRecordable(*each);
    for (auto each = open.rbegin(); each != open.rend(); ++each) {
        std::vector<Argument> args{toArgument((*each)->root), Argument((*each)->name)};
        const bool isAsked = *each == &attribute;
        (*each)->node =
            created({Op::CallFunction, {}, m_getattr, std::move(args), {}, nullptr}, isAsked ? wish : std::string());
    }
    return attribute.node;
}

Value Tracer::recordFunction(const CallablePtr& callable, const Values& args, const KeywordValues& kwargs,
                             bool wrapped) {
    const std::string wish = takeWish();
    auto arguments = toArguments(args);
    const NodeId node =
        created({Op::CallFunction, {}, callable, std::move(arguments), toKwargs(kwargs), nullptr}, wish);
    if (wrapped) {
        static const auto kWrapped = [] {
            auto meta = std::make_shared<NodeMeta>();
            meta->wrapped = true;
            return MetaPtr(meta);
        }();
        m_graph.setMeta(node, kWrapped);
    }
    return {Proxy{node}};
}

Value Tracer::recordMethod(const std::string& name, const Values& args, const KeywordValues& kwargs) {
    const std::string wish = takeWish();
    auto arguments = toArguments(args);
    return {Proxy{created({Op::CallMethod, name, nullptr, std::move(arguments), toKwargs(kwargs), nullptr}, wish)}};
}

Value Tracer::recordModule(const std::string& path, const Values& args, const KeywordValues& kwargs) {
    const std::string wish = takeWish();
    auto arguments = toArguments(args);
    return {Proxy{created({Op::CallModule, path, nullptr, std::move(arguments), toKwargs(kwargs), nullptr}, wish)}};
}

Value Tracer::recordAttribute(const std::string& path) {
    return {Proxy{created({Op::GetAttr, path, nullptr, {}, {}, nullptr}, takeWish())}};
}

Value Tracer::placeholder(const std::string& name, const std::optional<Value>& defaultValue, TypePtr type) {
    std::vector<Argument> args;
    if (defaultValue) args.push_back(toArgument(*defaultValue));
    return {Proxy{created({Op::Placeholder, name, nullptr, std::move(args), {}, std::move(type)}, {})}};
}

void Tracer::output(const Value& value, TypePtr type) {
    wishName({});
    created({Op::Output, "output", nullptr, {toArgument(value)}, {}, std::move(type)}, {});
}

const CallablePtr& Tracer::operatorCallable(std::string_view name) {
    const auto known = m_operators.find(name);
    if (known != m_operators.end()) return known->second;
    CallablePtr callable = resolveCallable("_operator." + std::string(name));
    // The table's text outlives the tracer, unlike `name`.
    return m_operators.emplace(ops::findFunction("_operator." + std::string(name))->name(), callable).first->second;
}

// ── attributes ───────────────────────────────────────────────────────────────────────────────────────────────────

/// By the first name of a buffer, which is the one that loading keeps.
std::shared_ptr<const std::string> Tracer::readOf(const TensorRef& tensor, const ModuleValue& holder,
                                                  std::string_view name) const {
    if (const auto* path = m_modules.bufferPath(&tensor))
        return std::make_shared<const std::string>(py::readText(*path));
    const auto* path = m_modules.modulePath(holder.module);
    if (!path) return nullptr;
    return std::make_shared<const std::string>(py::readText(joinedPath(*path, name)));
}

Value Tracer::moduleMember(const ModuleValue& object, std::string_view name) {
    const auto value = m_modules.member(*object.module, name);
    if (!value && (m_mode == Mode::AsWritten || m_lenient)) {
        auto missing = std::make_shared<LazyAttribute>();
        missing->root = {object};
        missing->name = name;
        return {missing};
    }
    if (!value) {
        const auto* path = m_modules.modulePath(object.module);
        throw PythonError("AttributeError: '" + object.module->className + "' object has no attribute '" +
                          std::string(name) + "'" + (path && !path->empty() ? " (module " + *path + ")" : ""));
    }
    const auto* tensor = value->as<TensorValue>();
    if (!tensor) return *value;
    if (m_mode == Mode::AsWritten) {
        const auto* holder = m_modules.modulePath(object.module);
        return recordAttribute(joinedPath(*holder, name));
    }
    const auto* path = m_class.readsValues ? nullptr : m_modules.parameterPath(tensor->tensor.get());
    if (!path && m_lenient) path = m_modules.bufferPath(tensor->tensor.get());
    if (!path) return {TensorValue{tensor->tensor, tensor->shapeKnown, readOf(*tensor->tensor, object, name)}};
    const auto known = m_parameterNodes.find(*path);
    if (known != m_parameterNodes.end() && !m_readsAgain) return {Proxy{known->second}};
    const Value proxy = recordAttribute(*path);
    m_parameterNodes.insert_or_assign(*path, proxy.as<Proxy>()->node);
    return proxy;
}

Value Tracer::namespaceMember(const std::string& path, std::string_view name) {
    return resolveName(path + "." + std::string(name));
}

Value Tracer::attribute(const Value& object, std::string_view name) {
    if (object.isProxy()) {
        // Attributes that the proxy has itself; Python would get hold of torch.fx's own objects.
        if (m_mode == Mode::AsPython && (name == "node" || name == "tracer"))
            throw CannotFollow(Message("trace.not_computed", {{"function", "Proxy." + std::string(name)}}));
        auto lazy = std::make_shared<LazyAttribute>();
        lazy->root = object;
        lazy->name = name;
        return {lazy};
    }
    if (const auto* module = object.as<ModuleValue>()) return moduleMember(*module, name);
    if (const auto* space = object.as<NamespaceValue>()) return namespaceMember(space->path, name);
    if (const auto* function = object.as<FunctionValue>()) {
        if (!function->callable->opaque || function->path.starts_with("torch."))
            return resolveName(function->path + "." + std::string(name));
        // A member of an unknown class: in generated code that is an enum.
        return {Argument(EnumMember{function->callable,
                                    std::string(name),
                                    "<" + function->callable->name + "." + std::string(name) + ">",
                                    {}})};
    }
    if (const auto* tensor = object.as<TensorValue>()) {
        if (auto property = propertyOfConstant(*tensor, name)) return *property;
        if (m_mode == Mode::AsPython)
            if (auto view = transposeOfConstant(*tensor, name))
                return computed({"T", nullptr, {object}, {}, ConstantCall::Kind::Attribute, name},
                                [&] { return *view; });
    }
    if (m_mode == Mode::AsPython)
        if (auto value = attributeOfConstant(object, name)) return *value;
    return box(BoundMethod{object, std::string(name)});
}

Values Tracer::unpack(const Value& value, std::size_t count) {
    Values out;
    if (value.isProxy()) {
        for (std::size_t i = 0; i < count; ++i)
            out.push_back(subscript(value, {Argument(static_cast<std::int64_t>(i))}));
        return out;
    }
    const auto* sequence = value.as<ValueSequence>();
    if (!sequence) throw CannotFollow(Message("trace.unsupported_unpacking", {{"value", textOf(value)}}));
    if (sequence->items.size() != count)
        throw PythonError("ValueError: expected " + std::to_string(count) + " values to unpack, got " +
                          std::to_string(sequence->items.size()));
    return sequence->items;
}

} // namespace fx::trace

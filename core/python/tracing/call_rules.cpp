// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/call_rules.h"

#include "core/base/one_of.h"
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"
#include "core/pysrc/source_error.h"
#include "core/python/python_interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

namespace {
/// Functions of Python whose results depend on their arguments only, or that only pass on what is in a container.
constexpr std::string_view kPure[] = {
    "abs",    "all",     "any",     "ascii",     "bin",        "bytes",      "callable", "chr",   "divmod",
    "format", "getattr", "hasattr", "hex",       "isinstance", "issubclass", "iter",     "len",   "max",
    "min",    "next",    "oct",     "ord",       "pow",        "print",      "repr",     "round", "setattr",
    "sorted", "sum",     "delattr", "__wraps__", "__init__",   "__new__"};
/// Those of `kPure` and classes that take traced values: as items, or to look into them in the same way.
constexpr std::string_view kTakeTraced[] = {"all",   "any", "getattr", "iter",   "max", "min",    "next",
                                            "round", "abs", "setattr", "sorted", "sum", "divmod", "pow"};
/// Those that look at all that is in a container: its text, or a hash.
constexpr std::string_view kTexts[] = {"repr", "format", "print", "ascii", "str", "set", "frozenset"};
constexpr std::string_view kClasses[] = {"int",      "float",     "bool",    "str",       "list", "tuple", "dict",
                                         "set",      "frozenset", "range",   "enumerate", "zip",  "map",   "filter",
                                         "reversed", "slice",     "complex", "object",    "type"};
constexpr std::string_view kClassesOfTraced[] = {"list", "tuple",  "dict",     "enumerate", "zip",
                                                 "map",  "filter", "reversed", "slice"};
/// Methods that leave their object as it is.
constexpr std::string_view kReading[] = {
    "get",      "keys",        "values",  "items",        "index",        "count",
    "copy",     "__getitem__", "__len__", "__contains__", "__iter__",     "isdisjoint",
    "issubset", "issuperset",  "union",   "difference",   "intersection", "symmetric_difference",
    "__add__",  "__mul__"};
/// Functions of Lancet's texts of Python's and PyTorch's modules. Others may keep state, ask the machine, or do more in
/// Python than in these texts.
constexpr std::string_view kOfLayers[] = {
    "forward",    "__call__",         "children",      "named_children",   "modules",       "named_modules",
    "parameters", "named_parameters", "buffers",       "named_buffers",    "get_submodule", "get_parameter",
    "get_buffer", "__iter__",         "__len__",       "__getitem__",      "__contains__",  "keys",
    "items",      "values",           "_conv_forward", "_check_input_dim", "_hooked_call",  "_output_padding"};
constexpr std::pair<std::string_view, std::string_view> kOwnFunctions[] = {{"functools", "reduce"},
                                                                           {"functools", "__call__"},
                                                                           {"itertools", "chain"},
                                                                           {"itertools", "product"},
                                                                           {"itertools", "repeat"},
                                                                           {"itertools", "zip_longest"},
                                                                           {"itertools", "accumulate"},
                                                                           {"itertools", "islice"},
                                                                           {"itertools", "starmap"},
                                                                           {"itertools", "__call__"},
                                                                           {"typing", "cast"},
                                                                           {"torch", "linspace"},
                                                                           {"torch.jit", "is_scripting"},
                                                                           {"torch.jit", "is_tracing"},
                                                                           {"torch.jit", "annotate"},
                                                                           {"torch.compiler", "is_compiling"},
                                                                           {"torch.compiler", "is_dynamo_compiling"},
                                                                           {"torch._dynamo", "is_compiling"},
                                                                           {"warnings", "warn"},
                                                                           {"torch.library", "__call__"}};
constexpr std::string_view kContexts[] = {"no_grad", "enable_grad", "inference_mode", "set_grad_enabled"};
/// Attributes that a tensor has, and that a graph does not follow.
constexpr std::string_view kOfAutograd[] = {"requires_grad", "grad",  "grad_fn",  "is_leaf",
                                            "_version",      "_base", "names",    "retains_grad",
                                            "output_nr",     "_grad", "_grad_fn", "_backward_hooks"};
constexpr std::string_view kInside[] = {"__dict__",           "__code__",       "__globals__", "__closure__",
                                        "__defaults__",       "__kwdefaults__", "__setattr__", "__delattr__",
                                        "_buffers",           "_parameters",    "_modules",    "_forward_hooks",
                                        "_forward_pre_hooks", "__hash__",       "__sizeof__"};
/// Functions of torch that tell what their arguments say, without tensors.
constexpr std::string_view kPlainTorch[] = {"torch.finfo", "torch.iinfo", "torch.device", "torch.Size",
                                            "torch._assert"};

bool isText(const SourceFile* file) { return file && file->path.empty() && !file->isGenerated; }

/// Stops at what is not listed.
[[noreturn]] void refuseUnproven(std::string_view name) {
    throw CannotFollow(Message("call.not_proven", {{"name", name}}));
}

/// Whether a module is a layer of PyTorch, also by a base, that may read the attribute by itself.
bool isSetting(const Instance& module, std::string_view attribute) {
    const bool isLayer = std::any_of(module.type->order.begin(), module.type->order.end(), [](const Class* each) {
        return each->isModule && each->name != "Module" && (!each->file || isText(each->file));
    });
    return isLayer && (module.attributes.find(attribute) || module.module->attribute(attribute));
}

bool changesBehind(const Value& value) {
    const auto* dict = value.as<Dict>();
    return dict && dict->changed;
}
} // namespace

CallRules::CallRules(Interpreter& in, OtherCalls& others) : m_in(in), m_seen(in.heap().size()), m_others(others) {}

CallRules::Pause::Pause(Interpreter& in)
    : m_in(in), m_rules(std::exchange(in.callRules, nullptr)), m_records(m_rules && in.tracer().recordsConstants) {
    if (m_rules) m_rules->noteNew(), in.tracer().recordsConstants = false;
}

CallRules::Pause::~Pause() {
    if (!m_rules) return;
    m_rules->m_seen = m_in.heap().size();
    m_in.callRules = m_rules;
    m_in.tracer().recordsConstants = m_records;
}

bool CallRules::isOfCode() const {
    const Frame* frame = m_in.stack().frame;
    return frame && frame->function && frame->file && !frame->file->path.empty();
}

void CallRules::noteNew() {
    for (const Object* each : m_in.heap().since(m_seen)) m_new.insert(each);
    m_seen = m_in.heap().size();
}

bool CallRules::isNew(const Value& value) {
    if (value.kind != Value::Kind::Object) return true;
    const auto* instance = value.as<Instance>();
    if ((instance && instance->module) || changesBehind(value)) return false;
    noteNew();
    return m_new.contains(value.object);
}

void CallRules::requireStatement(const py::Stmt& statement) const {
    using Kind = py::StmtKind;
    if (!isOfCode()) return;
    switch (statement.kind) {
    case Kind::If:
    case Kind::Elif:
    case Kind::Else:
    case Kind::For:
    case Kind::While:
    case Kind::Pass:
    case Kind::Return:
    case Kind::Break:
    case Kind::Continue:
    case Kind::Expression:
    case Kind::Assign:
    case Kind::AnnAssign:
    case Kind::AugAssign:
    case Kind::Assert:
    case Kind::Decorator:
    case Kind::Def:
    case Kind::Import:
    case Kind::ImportFrom:
    case Kind::Raise:
    case Kind::Delete:
    case Kind::With: return;
    default: break;
    }
    const std::string_view word = statement.kind == Kind::Try      ? "try"
                                  : statement.kind == Kind::Match  ? "match"
                                  : statement.kind == Kind::Class  ? "class"
                                  : statement.kind == Kind::Global ? statement.text
                                                                   : std::string_view("this");
    throw CannotFollow(Message("call.statement", {{"statement", word}}));
}

Value CallRules::called(const Value& callee, const Values& args, const Keywords& kwargs) {
    if (!isOfCode()) return {};
    const bool hasTraced = Calls::holdsAnyProxy(args, kwargs);
    if (const auto* function = callee.as<Function>()) {
        requireFunction(*function, args);
        if (isText(function->file) && function->file->name == "torch" && function->name == "is_tensor")
            return answered("is_tensor", args);
    } else if (const auto* native = callee.as<Native>()) {
        if (!native->self.isSet() && hasTraced && !args.empty() && isProxy(args[0])) {
            const Value answer = answered(native->name, args);
            if (answer.isSet()) return answer;
        }
        if ((native->name == "getattr" || native->name == "hasattr") && args.size() > 1 && args[1].as<Str>())
            requireReadable(args[0], args[1].as<Str>()->text);
        requireNative(*native, args, hasTraced);
    } else if (const auto* type = callee.as<Class>()) {
        requireClass(*type, args, hasTraced);
    } else if (const auto* traced = callee.as<Traced>()) {
        requireTorch(*traced, args, kwargs);
    } else if (const auto* instance = callee.as<Instance>(); instance && instance->module) {
        return {};
    } else if (callee.as<Opaque>() || callee.as<Wrapper>()) {
        refuseUnproven(callee.as<Opaque>() ? callee.as<Opaque>()->path : "a descriptor");
    }
    return {};
}

void CallRules::requireFunction(const Function& function, const Values& args) {
    if (function.yields) throw CannotFollow(Message("call.statement", {{"statement", "yield"}}));
    if (!isText(function.file)) return;
    const std::string& file = function.file->name;
    if (file == "collections") {
        if (!args.empty() && args[0].as<Instance>() && !fx::isOneOf(function.name, kReading)) requireOwn(args[0]);
        return;
    }
    static constexpr std::string_view kOfContexts[] = {"__enter__", "__exit__", "__init__", "__new__"};
    if (fx::isOneOf(function.name, kOfContexts) && !file.starts_with("torch.")) return; // of a class that is listed
    const bool isLayer = file.starts_with("torch.nn.modules") && fx::isOneOf(function.name, kOfLayers);
    const bool isListed = std::any_of(std::begin(kOwnFunctions), std::end(kOwnFunctions), [&](const auto& each) {
        return each.first == file && each.second == function.name;
    });
    const bool isOfValue = file == "_builtin_methods" || (file == "torch" && function.name == "is_tensor");
    if (!isLayer && !isListed && !isOfValue) refuseUnproven(file + "." + function.name);
}

void CallRules::requireNative(const Native& native, const Values& args, bool hasTraced) {
    if (native.self.isSet()) {
        const Value object = plain(native.self);
        if (object.as<Str>() && hasTraced) throw CannotFollow(Message("call.asks_type", {{"function", native.name}}));
        const bool mayChange = object.as<List>() || object.as<Dict>() || object.as<Set>() || object.as<Iterator>() ||
                               object.as<Instance>();
        if (mayChange && !fx::isOneOf(native.name, kReading)) requireOwn(object);
        return;
    }
    if (native.name.starts_with("is_fx_")) return;
    const bool isClass = fx::isOneOf(native.name, kClasses) || native.name == "OrderedDict"; // which it constructs
    if (!isClass && !fx::isOneOf(native.name, kPure)) refuseUnproven(native.name);
    if (native.name == "getattr" && args.size() > 2 && isProxy(args[0]))
        throw CannotFollow(Message("call.asks_type", {{"function", native.name}}));
    const bool isOfTraced =
        fx::isOneOf(native.name, kTexts) ? hasTraced : std::any_of(args.begin(), args.end(), isProxy);
    if (isOfTraced && !fx::isOneOf(native.name, kTakeTraced) && !fx::isOneOf(native.name, kClassesOfTraced))
        throw CannotFollow(Message("call.asks_type", {{"function", native.name}}));
    if (native.name == "next" && !args.empty()) requireOwn(args[0]);
}

void CallRules::requireClass(const Class& type, const Values& args, bool hasTraced) const {
    if (type.isModule) throw CannotFollow(Message("call.creates_module", {{"type", type.name}}));
    const bool isOfProgram = type.file && !type.file->path.empty();
    if (isOfProgram && !type.unknownBase) return;
    if (type.isException) return;
    static constexpr std::string_view kOfCollections[] = {"OrderedDict", "defaultdict", "deque", "Counter"};
    const std::string file = type.file ? type.file->name : "";
    const bool isListed = (!type.file && (fx::isOneOf(type.name, kClasses) || type.name == "OrderedDict")) ||
                          (file == "collections" && fx::isOneOf(type.name, kOfCollections)) ||
                          (file == "functools" && type.name == "partial") ||
                          (file == "contextlib" && type.name == "nullcontext") ||
                          (file == "torch" && fx::isOneOf(type.name, kContexts));
    if (!isListed) refuseUnproven(file.empty() ? type.name : file + "." + type.name);
    const bool isOfTraced = fx::isOneOf(type.name, kTexts) ? hasTraced : std::any_of(args.begin(), args.end(), isProxy);
    if (isOfTraced && !type.file && !fx::isOneOf(type.name, kClassesOfTraced))
        throw CannotFollow(Message("call.asks_type", {{"function", type.name}}));
}

/// Functions of torch on traced values are recorded; those of constants are, if they give tensors.
void CallRules::requireTorch(const Traced& callee, const Values& args, const Keywords& kwargs) const {
    if (const auto* lazy = callee.value.asLazy(); lazy && (*lazy)->name.starts_with("__"))
        throw CannotFollow(Message("call.attribute", {{"name", (*lazy)->name}}));
    const auto* function = callee.value.as<trace::FunctionValue>();
    if (!function || Calls::holdsAnyProxy(args, kwargs)) return;
    static constexpr std::string_view kPlainModules[] = {"math.", "cmath.", "operator.", "_operator.", "builtins."};
    const bool isOfNumbers = std::any_of(std::begin(kPlainModules), std::end(kPlainModules),
                                         [&](std::string_view each) { return function->path.starts_with(each); });
    if (isOfNumbers || fx::isOneOf(function->path, kPlainTorch)) return;
    if (!function->path.starts_with("torch.")) refuseUnproven(function->path);
    if (keyword(const_cast<Keywords&>(kwargs), "generator")) refuseUnproven(function->path);
}

void CallRules::requireReadable(const Value& object, std::string_view name) {
    if (!isOfCode()) return;
    if (fx::isOneOf(name, kInside)) throw CannotFollow(Message("call.attribute", {{"name", name}}));
    if (isProxy(object)) {
        if (name.starts_with("__") || fx::isOneOf(name, kOfAutograd))
            throw CannotFollow(Message("call.attribute", {{"name", name}}));
        return;
    }
    if (const auto* file = object.as<SourceFile>(); file && isText(file)) {
        static constexpr std::string_view kKnown[] = {"functools",   "itertools",   "operator", "typing",
                                                      "contextlib",  "collections", "warnings", "math",
                                                      "dataclasses", "enum"};
        if (!file->name.starts_with("torch") && !fx::isOneOf(file->name, kKnown))
            refuseUnproven(file->name + "." + std::string(name));
    }
    const auto* instance = object.as<Instance>();
    if (!instance || isNew(object)) return;
    const Value* member = instance->type->find(name);
    if (const auto* wrapper = member ? member->as<Wrapper>() : nullptr;
        wrapper && wrapper->kind == Wrapper::Kind::Cached)
        throw CannotFollow(Message("call.changes_object", {{"what", name}}));
    if (m_kept.contains(std::string(name))) return;
    if (m_others.kept.contains(std::string(name))) throw CannotFollow(Message("call.changes_object", {{"what", name}}));
    m_others.read.insert(std::string(name));
}

void CallRules::requireItem(const Value& object) {
    const auto* dict = plain(object).as<Dict>();
    if (dict && dict->factory.isSet() && isOfCode()) requireOwn(object); // reading may add an item
}

void CallRules::requireOwn(const Value& object, std::string_view attribute) {
    if (isProxy(object)) {
        if (attribute.empty()) return; // an item, which is recorded
        throw CannotFollow(Message("call.attribute", {{"name", attribute}}));
    }
    if (isNew(object)) return;
    const auto* module = object.as<Instance>();
    const bool isKept = m_others.keptIn.contains({module, std::string(attribute)});
    const bool mayKeep = isOfCode() && module && module->module && !attribute.empty() && attribute != "training" &&
                         !fx::isOneOf(attribute, kInside) && (isKept || !isSetting(*module, attribute)) &&
                         !module->type->find(attribute) && !module->type->find("__setattr__") &&
                         !module->module->parameter(attribute) && !module->module->buffer(attribute) &&
                         module->module->childIndex(attribute) == module->module->children.size() &&
                         !attribute.starts_with("__");
    const std::string what = attribute.empty() ? m_in.typeName(object) : std::string(attribute);
    if (!mayKeep || m_others.read.contains(what)) throw CannotFollow(Message("call.changes_object", {{"what", what}}));
    m_kept.insert(what);
    m_others.kept.insert(what);
    m_others.keptIn.emplace(module, what);
    m_keepers.push_back(m_in.stack().frame->function);
}

namespace {
/// Whether a text stands at `place` as a whole word that is only set there, as `self.name = ` does.
bool onlySets(std::string_view text, std::size_t place, std::size_t size) {
    if (place < 5 || text.substr(place - 5, 5) != "self.") return false;
    const std::size_t next = text.find_first_not_of(' ', place + size);
    return next != text.npos && text[next] == '=' && (next + 1 >= text.size() || text[next + 1] != '=');
}
} // namespace

/// Each place of the program that names such an attribute must lie in the function that sets it, or set it.
void CallRules::requireKeptUnread() const {
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (const std::string& name : m_kept)
        for (const auto& [module, file] : m_in.imports().files()) {
            if (file->path.empty()) continue;
            const std::string_view text = file->text;
            trace::charge(text.size() / 64);
            for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + name.size())) {
                const bool isWhole = (at == 0 || !isPart(text[at - 1])) &&
                                     (at + name.size() == text.size() || !isPart(text[at + name.size()]));
                const bool isInside =
                    std::any_of(m_keepers.begin(), m_keepers.end(), [&, of = file](const Function* each) {
                        if (each->file != of || each->lambda) return false;
                        const std::size_t end = of->ends[each->head];
                        return at >= (*of->tree)[each->head].offset &&
                               (end >= of->tree->size() || at < (*of->tree)[end].offset);
                    });
                const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t\r\n\\", at - 1);
                const bool isRead = before != text.npos && (text[before] == '.' || text[before] == '\'' ||
                                                            text[before] == '"'); // as an attribute, or for getattr
                if (isWhole && isRead && !isInside && !onlySets(text, at, name.size()))
                    throw CannotFollow(Message("call.changes_object", {{"what", name}}));
            }
        }
}

void CallRules::requireContext(const Value& context) const {
    if (!isOfCode()) return;
    const auto* instance = context.as<Instance>();
    const SourceFile* file = instance ? instance->type->file : nullptr;
    const bool isListed = file && isText(file) &&
                          ((file->name == "torch" && fx::isOneOf(instance->type->name, kContexts)) ||
                           (file->name == "contextlib" && instance->type->name == "nullcontext"));
    if (!isListed) throw CannotFollow(Message("call.context", {{"name", m_in.typeName(context)}}));
}

void CallRules::requirePlain(const Value& value, std::string_view function) const {
    if (isOfCode() && holdsProxy(value)) throw CannotFollow(Message("call.asks_type", {{"function", function}}));
}

/// Records a check of what the trace takes for granted.
void CallRules::assume(const Value& value, std::string_view function, const std::string& text) {
    trace::Tracer& tracer = m_in.tracer();
    const Argument node = tracer.toArgument(m_in.toTrace(value));
    const auto* id = node.as<NodeId>();
    if (!id) throw CannotFollow(Message("call.identity"));
    const Node& asked = tracer.graph().node(*id);
    if (asked.op() == Op::GetAttr && function == "_operator.is_not") return; // a tensor of the model
    const std::string name = asked.name();
    if (!m_assumed.insert(name + " " + std::string(function)).second) return;
    trace::Values args{trace::Value{trace::Proxy{*id}}};
    if (function == "_operator.is_not") args.push_back(trace::none());
    const trace::Value holds = tracer.recordFunction(resolveCallable(function), args, {});
    tracer.recordFunction(resolveCallable("torch._assert"), {holds, {Argument("'" + name + "' " + text)}}, {});
}

void CallRules::assertAtEachCall(const Value& value) const {
    const Place& here = m_in.stack().here;
    const std::string line = std::to_string(py::lineOf(here.file->text, here.offset));
    m_in.tracer().recordFunction(resolveCallable("torch._assert"),
                                 {m_in.toTrace(value), {Argument("assert in line " + line + " of the source")}}, {});
}

/// Results that always have as many parts are left out, which TorchScript cannot count.
void CallRules::assumeLength(const Value& value, std::size_t count) const {
    static constexpr std::string_view kFixed[] = {"max",      "min",     "sort",     "topk",     "median",   "mode",
                                                  "kthvalue", "aminmax", "var_mean", "std_mean", "nanmedian"};
    trace::Tracer& tracer = m_in.tracer();
    const trace::Value traced = m_in.toTrace(value);
    const NodeId* id = nullptr;
    const Argument argument = tracer.toArgument(traced);
    if (id = argument.as<NodeId>(); !id || !isOfCode()) return;
    const Node& node = tracer.graph().node(*id);
    const bool isOwn = node.op() == Op::CallFunction && node.callable()->opaque;
    if (node.op() == Op::CallModule || isOwn || fx::isOneOf(canonicalName(node), kFixed)) return;
    const std::string text = "'" + node.name() + "' has " + std::to_string(count) + " parts in the trace of the call";
    const trace::Value proxy{trace::Proxy{*id}};
    const trace::Value length = tracer.recordFunction(resolveCallable("builtins.len"), {proxy}, {});
    const trace::Value holds = tracer.binary("eq", length, {Argument(static_cast<std::int64_t>(count))});
    tracer.recordFunction(resolveCallable("torch._assert"), {holds, {Argument(text)}}, {});
}

std::optional<bool> CallRules::identical(const Value& left, const Value& right) {
    if (!isOfCode() || (!isProxy(left) && !isProxy(right))) return std::nullopt;
    if (left.sameAs(right)) return true;
    const Value &traced = isProxy(left) ? left : right, &other = isProxy(left) ? right : left;
    if (!other.isNone()) throw CannotFollow(Message("call.identity"));
    assume(traced, "_operator.is_not", "is not None in the trace of the call");
    return false;
}

Value CallRules::answered(std::string_view question, const Values& args) {
    if (args.empty() || !isProxy(args[0])) return {};
    if (question == "isinstance" && args.size() == 2) return isInstance(args[0], args[1]);
    if (question != "is_tensor") return {};
    assume(args[0], "torch.is_tensor", "is a tensor in the trace of the call");
    return {true};
}

/// Whether a tensor is of a type; only types whose answer is certain are asked for.
Value CallRules::isInstance(const Value& value, const Value& type) {
    bool isTensor = false;
    const auto take = [&](const Value& each) {
        const auto* asked = each.as<Class>();
        static constexpr std::string_view kOthers[] = {"list", "tuple", "dict", "set",       "str",
                                                       "int",  "float", "bool", "frozenset", "complex"};
        const bool isOther = asked && !asked->file && fx::isOneOf(asked->name, kOthers);
        const bool isPlainTensor = asked && asked == m_in.builtinClass("Tensor");
        if (!isOther && !isPlainTensor) throw CannotFollow(Message("call.asks_type", {{"function", "isinstance"}}));
        isTensor |= isPlainTensor;
    };
    if (const Values* several = itemsOf(type)) std::for_each(several->begin(), several->end(), take);
    else take(type);
    assume(value, "torch.is_tensor", "is a tensor in the trace of the call");
    return {isTensor};
}

void CallRules::requireNoHooks(const Instance& module) {
    for (const char* table : {"_forward_pre_hooks", "_forward_hooks"}) {
        const Value* found = module.attributes.find(table);
        const auto* hooks = found ? found->as<Dict>() : nullptr;
        if (hooks && hooks->size() > 0) throw CannotFollow(Message("call.hook", {{"type", module.type->name}}));
    }
}

void CallRules::requireOwnTensors(const GraphModule& traced, std::string_view path) {
    const Graph& graph = traced.graph;
    const CallSemantics semantics(*traced.root);
    const std::vector<NodeId> owners = semantics.memoryOf(graph);
    const auto isConstant = [&](NodeId id) {
        const Node& owner = graph.node(owners.at(index(id)));
        return owner.op() == Op::GetAttr && (path.empty() || !owner.target().starts_with(std::string(path) + "."));
    };
    const auto refuse = [] { throw CannotFollow(Message("call.writes_constant")); };
    semantics.forEachWrite(graph, [&](const Node&, NodeId owner) {
        if (isConstant(owner)) refuse();
    });
    for (const Node& node : graph.nodes()) {
        const bool isOwn = node.op() == Op::CallFunction && node.callable()->opaque;
        if (isOwn || node.op() == Op::Output)
            for (const NodeId input : node.inputs())
                if (isConstant(input)) refuse();
    }
}

} // namespace fx::python

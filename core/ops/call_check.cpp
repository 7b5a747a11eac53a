// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/call_check.h"

#include "core/base/joined_path.h"
#include "core/ops/call_form.h"
#include "core/ops/catalogue.h"
#include "core/ops/near_names.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"

#include <algorithm>

namespace fx::ops {
namespace {

constexpr std::string_view kOps = "torch.ops.";

/// Namespaces of which the tables have every function: what they lack does not exist.
constexpr std::string_view kWhole[] = {"torch",     "torch.nn",      "torch.nn.functional", "torch.linalg",
                                       "torch.fft", "torch.special", "torch.Tensor",        "math",
                                       "operator",  "_operator"};

std::string_view namespaceOf(std::string_view dotted) {
    return dotted.substr(0, std::min(dotted.rfind('.'), dotted.size()));
}

bool isWhole(std::string_view space) {
    return std::find(std::begin(kWhole), std::end(kWhole), space) != std::end(kWhole);
}

/// "add" of `torch.ops.aten.add.Tensor`.
std::string_view operatorName(std::string_view dotted) {
    const std::string_view rest = dotted.substr(std::min(dotted.find('.', kOps.size()), dotted.size() - 1) + 1);
    return rest.substr(0, rest.find('.'));
}

bool isMissingOperator(std::string_view dotted) {
    if (!dotted.starts_with("torch.ops.aten.")) return false; // others may be registered by packages
    const bool isOverload = std::count(dotted.begin(), dotted.end(), '.') > 3;
    return isOverload ? !findOperator(dotted) : overloads(dotted).empty();
}

/// "aten" of `torch.ops.aten.add.Tensor`.
std::string_view operatorSpace(std::string_view dotted) {
    const std::string_view rest = dotted.substr(kOps.size());
    return rest.substr(0, rest.find('.'));
}

std::string nearestOperator(std::string_view dotted) {
    const std::string space = std::string(kOps) + std::string(operatorSpace(dotted)) + ".";
    const std::string base = space + std::string(operatorName(dotted));
    std::string best;
    if (const auto known = overloads(base); !known.empty()) { // the overload is wrong
        NearestName nearest(lastAtom(dotted));
        for (const Operator& each : known)
            if (nearest.offer(each.overload().empty() ? "default" : each.overload()))
                best = std::string(kOps) + each.qualifiedName();
        return best.empty() ? std::string(kOps) + known.front().qualifiedName() : best;
    }
    NearestName nearest(operatorName(dotted));
    for (std::size_t i = 0; i < operatorCount(); ++i)
        if (const Operator each = operatorAt(i);
            each.nameSpace() == operatorSpace(dotted) && nearest.offer(each.baseName()))
            best = space + std::string(each.baseName());
    return best;
}

std::string nearestClass(std::string_view dotted) {
    NearestName nearest(lastAtom(dotted));
    std::string best;
    for (const bool inside : {false, true}) // torch.nn.ReLU6 before torch.nn.quantized.ReLU6
        for (std::uint32_t i = 0; i < moduleCount(); ++i) {
            const NnModule each = moduleAt(i);
            const std::string_view path = each.publicPath();
            if (path.starts_with("torch.nn.") && (namespaceOf(path) != "torch.nn") == inside &&
                nearest.offer(each.name()))
                best = path;
        }
    return best;
}

/// Offers the names of a namespace; `best` becomes the nearest.
void offerNames(NearestName& nearest, const std::string& space, bool hidden, std::string& best) {
    for (std::uint32_t i = 0; i < functionCount(); ++i) {
        const std::string_view name = functionAt(i).name();
        if (name.empty() || (name.front() == '_' && !hidden)) continue;
        NearestName tried = nearest; // looked up only if it is near
        if (!tried.offer(name)) continue;
        const std::string path = space + "." + std::string(name);
        if (!findFunction(path)) continue;
        nearest = tried;
        best = path;
    }
}

// ── methods ──────────────────────────────────────────────────────────────────────────────────────────────────────

/// Methods of Python's own types, which values of a graph may be, too.
bool isBuiltinMethod(std::string_view name) {
    static constexpr std::string_view kNames[] = {"append",       "as_integer_ratio",
                                                  "bit_count",    "bit_length",
                                                  "capitalize",   "casefold",
                                                  "center",       "clear",
                                                  "copy",         "count",
                                                  "decode",       "difference",
                                                  "discard",      "encode",
                                                  "endswith",     "expandtabs",
                                                  "extend",       "find",
                                                  "format",       "format_map",
                                                  "get",          "hex",
                                                  "index",        "indices",
                                                  "insert",       "intersection",
                                                  "is_integer",   "isalnum",
                                                  "isalpha",      "isascii",
                                                  "isdecimal",    "isdigit",
                                                  "isdisjoint",   "isidentifier",
                                                  "islower",      "isnumeric",
                                                  "isprintable",  "isspace",
                                                  "issubset",     "issuperset",
                                                  "istitle",      "isupper",
                                                  "items",        "join",
                                                  "keys",         "ljust",
                                                  "lower",        "lstrip",
                                                  "partition",    "pop",
                                                  "popitem",      "remove",
                                                  "removeprefix", "removesuffix",
                                                  "replace",      "reverse",
                                                  "rfind",        "rindex",
                                                  "rjust",        "rpartition",
                                                  "rsplit",       "rstrip",
                                                  "setdefault",   "splitlines",
                                                  "startswith",   "strip",
                                                  "swapcase",     "symmetric_difference",
                                                  "title",        "to_bytes",
                                                  "translate",    "union",
                                                  "update",       "upper",
                                                  "values",       "zfill"};
    return std::binary_search(std::begin(kNames), std::end(kNames), name);
}

bool isTensorMethod(std::string_view name) { return findFunction("torch.Tensor." + std::string(name)).has_value(); }

/// A class of torch.nn whose results are tensors, or tuples of them; containers and Identity return anything.
bool returnsTensors(std::string_view type) {
    const auto known = findModule(type);
    return known && known->path().starts_with("torch.nn.modules.") && known->name() != "Identity" &&
           !known->path().starts_with("torch.nn.modules.container.");
}

/// The class of `bn(x)` where bn is an input of a pattern with the type nn.BatchNorm2d; empty for other calls.
std::string calledType(const Graph& graph, const Node& node) {
    if (node.target() != "__call__" || node.args().empty() || !node.args()[0].isNode()) return {};
    const Node& module = graph.node(node.args()[0].node());
    if (module.op() != Op::Placeholder || !module.type()) return {};
    return module.type()->module + "." + module.type()->name;
}

/// Whether a method is called on what is a tensor in all likelihood: an input without another type, or the result of a
/// function, method or module of PyTorch.
bool isTensorLike(const Graph& graph, const Node& node, const ClassOfModule& classOf) {
    switch (node.op()) {
    case Op::Placeholder: return !node.type() || node.type()->repr().find("Tensor") != std::string::npos;
    case Op::CallFunction:
        return !node.callable()->opaque && node.callable()->fromTorch && !node.target().starts_with(kOps) &&
               node.callable()->kind == Callable::Kind::Function;
    case Op::CallMethod: return isTensorMethod(node.target()) || returnsTensors(calledType(graph, node));
    case Op::CallModule: return classOf && returnsTensors(classOf(node.target()));
    default: return false;
    }
}

// ── one call ─────────────────────────────────────────────────────────────────────────────────────────────────────

/// Two parameters that may both be left out by the schema, of which PyTorch wants one at least or just one: clamp's
/// bounds, the size of a picture or its scale. The names decide, in whatever function they stand together; the ranges
/// of symbolic sizes, which are whole numbers (`sym_constrain_range`), may be open at both ends.
struct Alternatives {
    std::string_view first, second;
    bool exclusive;
};
constexpr Alternatives kAlternatives[] = {{"min", "max", false},
                                          {"size", "scale_factor", true},
                                          {"output_size", "scale_factors", true},
                                          {"output_size", "output_ratio", false}};

/// What is given for a parameter that may be None; null for nothing.
const fx::Argument* givenFor(const CallForm& form, const GivenCall& call, std::size_t parameter) {
    const fx::Argument* given =
        parameter < std::min(call.args.size(), form.positional) ? &call.args[parameter] : nullptr;
    for (const auto& [name, value] : call.kwargs)
        if (name == form.parameters[parameter].name) given = &value;
    return given && !given->isNone() ? given : nullptr;
}

std::optional<Message> alternativesProblem(const CallForm& form, const GivenCall& call) {
    const auto& parameters = form.parameters;
    const auto placeOf = [&](std::string_view name) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < parameters.size(); ++i)
            if (parameters[i].name == name && parameters[i].type != SignatureParameter::Type::Int &&
                (parameters[i].nullable || parameters[i].defaultValue == "None"))
                return i;
        return std::nullopt;
    };
    for (const Alternatives& each : kAlternatives) {
        const auto first = placeOf(each.first), second = placeOf(each.second);
        if (!first || !second) continue;
        const fx::Argument *one = givenFor(form, call, *first), *other = givenFor(form, call, *second);
        const bool both = one && other && !one->isNode() && !other->isNode(); // a node may stand for None
        if ((one || other) && !(each.exclusive && both)) continue;
        const MessageCode code = both ? MessageCode("call.both_given") : MessageCode("call.none_given");
        return Message(code, {{"function", call.function},
                              {"first", each.first},
                              {"second", each.second},
                              {"form", form.text(call.function)}});
    }
    return std::nullopt;
}

/// The mismatch of the form that comes nearest; none if the call has one of them. A form that takes as many arguments
/// comes before an old one that takes more: `torch.add(x, 'a')` is no torch.add(input, alpha, other).
std::optional<Message> noForm(const std::vector<CallForm>& forms, const GivenCall& call) {
    std::optional<FormMismatch> best;
    std::optional<Message> refused;
    bool bestTakesAsMany = false;
    for (const CallForm& form : forms) {
        auto failed = mismatch(form, call);
        if (!failed) {
            refused = alternativesProblem(form, call);
            if (!refused) return std::nullopt;
            continue;
        }
        const bool asMany = takesAsMany(form, call);
        const auto isNearer = [&] {
            return failed->matched > best->matched ||
                   (failed->matched == best->matched && failed->why.is("call.argument_type"));
        };
        if (best && (asMany == bestTakesAsMany ? !isNearer() : !asMany)) continue;
        best = std::move(failed);
        bestTakesAsMany = asMany;
    }
    if (refused) return refused;
    return best ? std::optional(std::move(best->why)) : std::nullopt;
}

/// Only the number and the names of the arguments are judged: forward is written in Python.
std::optional<Message> forwardProblem(std::string_view type, std::span<const fx::Argument> args, const Kwargs& kwargs) {
    const auto known = findModule(type);
    if (!known) return std::nullopt;
    return noForm({forwardForm(*known)}, {std::string(known->name()) + ".forward", args, kwargs});
}

std::optional<Message> functionProblem(const Node& node, const KnownFunction& isKnown) {
    const Callable& callable = *node.callable();
    const std::string& name = callable.qualifiedName;
    if (const auto module = callable.kind == Callable::Kind::Class ? findModule(name) : std::nullopt)
        return Message("call.module_class", {{"name", module->publicPath()}});
    if (isMissingFromPyTorch(callable)) {
        if (isKnown && isKnown(name)) return std::nullopt;
        return Message("call.unknown_function", {{"name", name}, {"near", nearestFunction(name)}});
    }
    return noForm(callForms(name), {callable.name, node.args(), node.kwargs()});
}

std::optional<Message> methodProblem(const Graph& graph, const Node& node, const KnownFunction& isKnown,
                                     const ClassOfModule& classOf) {
    const std::string& name = node.target();
    if (node.args().empty()) return Message("call.method_without_tensor", {{"name", name}});
    if (const std::string type = calledType(graph, node); !type.empty())
        return forwardProblem(type, std::span(node.args()).subspan(1), node.kwargs());
    const bool judged = node.args()[0].isNode() && isTensorLike(graph, graph.node(node.args()[0].node()), classOf);
    if (!judged || name.starts_with('_') || isBuiltinMethod(name)) return std::nullopt;
    if (!isTensorMethod(name)) {
        if (isKnown && isKnown(name)) return std::nullopt;
        return Message("call.unknown_method", {{"name", name}, {"near", nearestMethod(name)}});
    }
    const auto& forms = callForms("torch.Tensor." + name);
    // Signatures of C methods leave `self` out, those of Python functions have it.
    const bool hasSelf = !forms.empty() && forms[0].conversion == Conversion::Untyped;
    return noForm(forms, {name, std::span(node.args()).subspan(hasSelf ? 0 : 1), node.kwargs()});
}

} // namespace

std::optional<Message> callProblem(const Graph& graph, const Node& node, const KnownFunction& isKnown,
                                   const ClassOfModule& classOf) {
    if (node.op() == Op::CallFunction) return functionProblem(node, isKnown);
    if (node.op() == Op::CallMethod) return methodProblem(graph, node, isKnown, classOf);
    if (node.op() == Op::CallModule && classOf)
        return forwardProblem(classOf(node.target()), node.args(), node.kwargs());
    return std::nullopt;
}

bool isMissingFromPyTorch(const Callable& callable) {
    const std::string_view name = callable.qualifiedName;
    if (name.starts_with(kOps)) return isMissingOperator(name);
    return callable.opaque && isWhole(namespaceOf(name)) && !lastAtom(name).starts_with("__");
}

std::string nearestFunction(std::string_view dotted) {
    if (dotted.starts_with(kOps)) return nearestOperator(dotted);
    const std::string_view wanted = lastAtom(dotted);
    std::string best;
    if (namespaceOf(dotted) == "torch.nn") best = nearestClass(dotted);
    if (!best.empty() || wanted.empty()) return best;
    NearestName nearest(wanted);
    offerNames(nearest, std::string(namespaceOf(dotted)), wanted.front() == '_', best);
    for (const std::string_view space : {"torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"})
        if (space != namespaceOf(dotted)) offerNames(nearest, std::string(space), false, best);
    return best;
}

std::string nearestMethod(std::string_view name) {
    NearestName nearest(name);
    std::string best;
    offerNames(nearest, "torch.Tensor", name.starts_with('_'), best);
    return std::string(lastAtom(best));
}

} // namespace fx::ops

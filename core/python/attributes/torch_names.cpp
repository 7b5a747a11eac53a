// SPDX-License-Identifier: GPL-3.0-or-later
// Names of torch's modules, and what operators of torch.ops say of themselves.
#include "core/ops/catalogue.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/body_rules.h"
#include "core/trace/callables.h"

namespace fx::python {

/// What an OpOverload and an OpOverloadPacket say of themselves; unset for other names.
Value Attributes::operatorAttribute(const Callable& callable, std::string_view name) {
    const bool isOverload = callable.kind == Callable::Kind::OpOverload;
    if (!isOverload && callable.kind != Callable::Kind::OpPacket) return {};
    constexpr std::string_view kOps = "torch.ops.";
    const std::string& path = callable.qualifiedName;
    const std::size_t overloadDot = isOverload ? path.rfind('.') : path.size();
    const std::size_t nameDot = path.rfind('.', overloadDot - 1);
    const std::string space = path.substr(kOps.size(), nameDot - kOps.size()),
                      packet = path.substr(nameDot + 1, overloadDot - nameDot - 1);
    if (name == "namespace" && isOverload) return text(space);
    if (name == "_qualified_op_name" && !isOverload) return text(space + "::" + packet);
    if (name == "_opname" && isOverload) return text(packet);
    if (name == "_overloadname" && isOverload) return text(path.substr(overloadDot + 1));
    if (name == "overloadpacket" && isOverload) return resolve(path.substr(0, overloadDot));
    if (name == "name" && isOverload) {
        const std::string overload = path.substr(overloadDot + 1);
        const std::string full = space + "::" + packet + (overload == "default" ? "" : "." + overload);
        return native("name", [full](Interpreter& in, Values&, Keywords&) -> Value { return in.text(full); });
    }
    if (name == "overloads" && !isOverload) {
        return native("overloads", [path](Interpreter& in, Values&, Keywords&) -> Value {
            Values out;
            for (const ops::Operator& each : ops::overloads(path))
                out.push_back(in.text(each.overload().empty() ? "default" : std::string(each.overload())));
            return in.listOf(std::move(out));
        });
    }
    return {};
}

namespace {
/// Modules of which Lancet's tables hold all functions, classes and constants of PyTorch 2.13, and what is public there
/// beside them: mostly modules.
constexpr std::pair<std::string_view, std::string_view> kKnownSpaces[] = {
    {"torch",
     " AVG PRIVATE_OPS SUM TYPE_CHECKING USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH accelerator ao backends "
     "builtins "
     "classes compiler cpp ctypes default_generator distributions export functools futures get_device_module glob "
     "has_lapack has_mkl has_openmp has_spectral hub importlib inspect library math monitor mps mtia multiprocessing "
     "ops optim os package platform profiler quantization quasirandom serialization signal sys testing textwrap "
     "threading torch torch_version version warnings windows xpu "},
    {"torch.nn", " common_types grad intrinsic parallel qat quantizable quantized "},
    {"torch.nn.functional", " BroadcastingList1 BroadcastingList2 BroadcastingList3 Callable DType "
                            "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional TYPE_CHECKING "
                            "dataclasses grad importlib math np reproducibility_notes sparse_support_notes tf32_notes "
                            "torch warnings "},
    {"torch.linalg", " common_notes "},
    {"torch.special", " common_args multi_dim_common torch "},
    {"torch.fft", " common_args factory_common_args torch "},
    {"torch.nn.init", " Callable Literal ParamSpec TypeVar math torch warnings "},
    {"torch.nn.utils", " clip_grad convert_parameters fusion init memory_format rnn stateless "},
};

/// What is public in a module beside what the tables hold; empty for modules that they do not hold.
std::string_view publicNames(std::string_view space) {
    for (const auto& [path, others] : kKnownSpaces)
        if (path == space) return others;
    return {};
}

/// Whether PyTorch has no such name: `found` is what the tables say of it.
bool isMissing(std::string_view space, std::string_view name, const Value& found) {
    const auto* traced = found.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    if (!function) return false;
    if (space == "torch.ops.aten") return !isKnownCallable(function->path);
    if (!function->callable->opaque || name.starts_with('_')) return false;
    const std::string_view others = publicNames(space);
    return !others.empty() && others.find(" " + std::string(name) + " ") == std::string_view::npos;
}
} // namespace

bool Attributes::namesAreKnown(const Space& space) { return !publicNames(space.path).empty(); }

namespace {
/// `typing.__all__`, after a blank.
constexpr std::string_view kTyping =
    " "
    "Annotated Any Callable ClassVar Concatenate Final ForwardRef Generic Literal Optional ParamSpec Protocol "
    "Tuple Type TypeVar TypeVarTuple Union AbstractSet ByteString Container ContextManager Hashable ItemsView "
    "Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Sequence Sized "
    "ValuesView Awaitable AsyncIterator AsyncIterable Coroutine Collection AsyncGenerator AsyncContextManager "
    "Reversible SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound "
    "ChainMap Counter Deque Dict DefaultDict List OrderedDict Set FrozenSet NamedTuple TypedDict Generator "
    "BinaryIO IO Match Pattern TextIO AnyStr assert_type assert_never cast clear_overloads dataclass_transform "
    "final get_args get_origin get_overloads get_type_hints is_typeddict LiteralString Never NewType "
    "no_type_check no_type_check_decorator NoReturn NotRequired overload ParamSpecArgs ParamSpecKwargs Required "
    "reveal_type runtime_checkable Self Text TYPE_CHECKING TypeAlias TypeGuard Unpack ";

/// `math.__all__`, as it were.
constexpr std::string_view kMath =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 "
    "fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log "
    "log10 log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp ";
} // namespace

Value Attributes::starName(const SourceFile& file, std::string_view name) {
    const std::string word = " " + std::string(name) + " ";
    for (auto path = file.starSpaces.rbegin(); path != file.starSpaces.rend(); ++path) {
        const std::string_view listed = *path == "typing" ? kTyping : *path == "math" ? kMath : std::string_view();
        if (!listed.empty() && listed.find(word) == listed.npos) continue;
        if (listed.empty() && (publicNames(*path).empty() || name.starts_with('_'))) continue;
        const Value found = resolve(*path + "." + std::string(name));
        if (found.isSet() && !(listed.empty() && isMissing(*path, name, found))) return found;
    }
    return {};
}

/// Unset for what PyTorch does not have. Code of a graph may be of another version: its names stay as they are, and so
/// do those in patterns for it.
Value Attributes::spaceAttribute(Space& space, std::string_view name) {
    if (name == "__name__") return text(space.path);
    if (name == "__dict__") return heap().make<Opaque>(space.path + ".__dict__");
    const std::string path = space.path + "." + std::string(name);
    if (!m_in.imports().isVisible(path)) return {};
    const Value found = resolve(path);
    const bool isGenerated = stack().frame && stack().frame->file && stack().frame->file->isGenerated;
    const bool isKept = isGenerated || (m_in.rules && m_in.rules->knows(path));
    return !isKept && isMissing(space.path, name, found) ? Value() : found;
}

} // namespace fx::python

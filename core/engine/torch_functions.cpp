// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/bound_call.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/operators/signal_windows.h"
#include "core/engine/shapes/cpu_fallback.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace fx::engine {
namespace {

const Value& first(const Arguments& a) {
    if (a.positional.empty()) throw raised("TypeError: an argument is missing");
    return a.positional.front();
}

// ── torch.tensor ──

struct Literal {
    std::vector<std::int64_t> sizes;
    std::vector<Value> elements;
};

void collect(const Value& value, std::size_t depth, Literal& out) {
    const bool isList = value.items() || (value.isTensor() && value.tensor().dim() > 0);
    if (!isList) {
        out.elements.push_back(value.isTensor() ? callMethod("item", {value}) : value);
        return;
    }
    const Values items = iterate(value);
    if (depth == out.sizes.size()) out.sizes.push_back(static_cast<std::int64_t>(items.size()));
    if (depth > 64 || out.sizes[depth] != static_cast<std::int64_t>(items.size()))
        throw raised("ValueError: expected sequence of length " + std::to_string(out.sizes[depth]) + " at dim " +
                     std::to_string(depth) + " (got " + std::to_string(items.size()) + ")");
    for (const Value& item : items) collect(item, depth + 1, out);
}

at::ScalarType inferred(const std::vector<Value>& elements) {
    at::ScalarType type = elements.empty() ? at::kFloat : at::kBool;
    for (const Value& element : elements) {
        if (element.constant() && !element.wideInteger()) return at::kComplexFloat;
        if (element.as<double>()) type = at::kFloat;
        else if ((element.as<std::int64_t>() || element.wideInteger()) && type == at::kBool) type = at::kLong;
    }
    return type;
}

/// An element of a tensor of integers; those of 64 bits without a sign as the number with the same bits.
std::int64_t bitsOf(const Value& element, bool isUnsigned) {
    const BigInt* wide = element.wideInteger();
    if (!wide) return element.integer().value_or(0);
    const auto number = isUnsigned ? unsignedOf(*wide) : std::nullopt;
    if (!number) throw raised("ValueError: Overflow when unpacking long long");
    return static_cast<std::int64_t>(*number);
}

Value makeTensor(Arguments& a) {
    const Value* data = a.at(0, "data");
    if (!data) throw raised("TypeError: tensor() lacks its argument 'data'");
    const Value* dtype = a.find("dtype");
    const bool typed = dtype && !dtype->isNone();
    if (data->isTensor()) {
        const Value copy = callMethod("clone", {callMethod("detach", {*data})});
        return typed ? callMethod("to", {copy, *dtype}) : copy;
    }
    Literal literal;
    collect(*data, 0, literal);
    const at::ScalarType natural = inferred(literal.elements);
    const auto isWide = [](const Value& element) { return element.wideInteger() != nullptr; };
    const bool hasWide = std::any_of(literal.elements.begin(), literal.elements.end(), isWide);
    const auto* wanted = typed ? dtype->as<at::ScalarType>() : nullptr;
    const bool widens = hasWide && wanted && at::isFloatingType(*wanted); // each by itself, as Python's float(n)
    const at::ScalarType work = natural == at::kFloat || widens ? at::kDouble
                                : natural == at::kComplexFloat  ? at::kComplexDouble
                                                                : at::kLong;
    const Value sizes = Value::size(literal.sizes);
    const at::Tensor out = callOperator("aten::empty.memory_format", {{sizes}, {{"dtype", work}}}).tensor();
    for (std::size_t i = 0; i < literal.elements.size(); ++i) {
        const Value& element = literal.elements[i];
        if (work == at::kLong)
            out.mutable_data_ptr<std::int64_t>()[i] = bitsOf(element, wanted && *wanted == at::kUInt64);
        else if (work == at::kDouble) out.mutable_data_ptr<double>()[i] = element.real().value_or(NAN);
        else if (const Complex* complex = element.constant() ? element.constant()->as<Complex>() : nullptr)
            out.mutable_data_ptr<c10::complex<double>>()[i] = {complex->re, complex->im};
        else out.mutable_data_ptr<c10::complex<double>>()[i] = element.real().value_or(0);
    }
    return callMethod("to", {Value(out), typed ? *dtype : Value(natural)});
}

Value asTensor(Arguments& a) {
    const Value* data = a.at(0, "data");
    if (!data || !data->isTensor()) return makeTensor(a);
    const Value* dtype = a.find("dtype");
    return dtype && !dtype->isNone() ? callMethod("to", {*data, *dtype}) : *data;
}

// ── functions of torch.functional that take their tensors one by one, or as one list ──

Value tensorsOf(const Arguments& a, std::size_t from = 0) {
    if (a.positional.size() == from + 1 && a.positional[from].items()) return a.positional[from];
    return Value::list(Values(a.positional.begin() + static_cast<std::ptrdiff_t>(from), a.positional.end()));
}
template<const char* kFunction> Value ofTensors(Arguments& a) {
    return callFunction(kFunction, Arguments{{tensorsOf(a)}, a.named});
}
/// A single tensor is handed over by itself.
template<const char* kFunction> Value ofOneOrMore(Arguments& a) {
    return callFunction(kFunction, {a.positional.size() == 1 ? a.positional[0] : tensorsOf(a)});
}
constexpr char kBroadcast[] = "torch.broadcast_tensors", kBlockDiag[] = "torch.block_diag",
               kCartesian[] = "torch.cartesian_prod", kChain[] = "torch.chain_matmul", kAtleast1[] = "torch.atleast_1d",
               kAtleast2[] = "torch.atleast_2d", kAtleast3[] = "torch.atleast_3d";

Value meshgrid(Arguments& a) {
    const auto indexing = a.take("indexing");
    Arguments call{{tensorsOf(a)}, {}};
    if (indexing && !indexing->isNone()) call.named.emplace_back("indexing", *indexing);
    return callSignatures("torch.meshgrid", nullptr, call);
}

/// Subscript lists `einsum(x, [0, 1], y, [1, 2])` as an equation.
Value einsumOfLists(const Arguments& a) {
    const auto letters = [](const Value& list) {
        std::string text;
        for (const Value& item : iterate(list)) {
            if (item.as<EllipsisValue>()) text += "...";
            else {
                const std::int64_t place = item.needInteger();
                if (place < 0 || place >= 52)
                    throw raised("ValueError: einsum(): subscript in subscript list is not within the valid range "
                                 "[0, 52)");
                text += static_cast<char>(place < 26 ? 'A' + place : 'a' + place - 26);
            }
        }
        return text;
    };
    std::string equation;
    Values tensors;
    std::size_t i = 0;
    for (; i + 1 < a.positional.size(); i += 2) {
        equation += (i ? "," : "") + letters(a.positional[i + 1]);
        tensors.push_back(a.positional[i]);
    }
    if (i < a.positional.size()) equation += "->" + letters(a.positional[i]);
    return callOperator("aten::einsum", {{equation, Value::list(std::move(tensors))}, {}});
}
Value generatorState(Arguments&) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return Value(generator.get_state());
}
Value setGeneratorState(Arguments& a) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(first(a).tensor().contiguous());
    return {};
}

Value einsum(Arguments& a) {
    if (first(a).isTensor()) return einsumOfLists(a);
    return callOperator("aten::einsum", {{first(a), tensorsOf(a, 1)}, {}});
}

Value split(Arguments& a) {
    const BoundCall n("torch.functional.split", a);
    return callMethod("split", {n["tensor"], n["split_size_or_sections"], n["dim"]});
}

Value stft(Arguments& a) {
    const BoundCall n("torch.functional.stft", a);
    Value input = n["input"];
    if (n.flag("center")) {
        const at::Tensor t = input.tensor();
        std::vector<std::int64_t> extended(static_cast<std::size_t>(3 - t.dim()), 1);
        extended.insert(extended.end(), t.sizes().begin(), t.sizes().end());
        const std::int64_t pad = n.integer("n_fft") / 2;
        input = callFunction("torch.nn.functional.pad", {callMethod("view", {input, Value::size(extended)}),
                                                         Value::list({pad, pad}), n["pad_mode"]});
        input = callMethod("view",
                           {input, Value::size(input.tensor().sizes().slice(static_cast<std::size_t>(3 - t.dim())))});
    }
    return callSignatures("torch.stft", nullptr,
                          {{input, n["n_fft"], n["hop_length"], n["win_length"], n["window"], n["normalized"],
                            n["onesided"], n["return_complex"], n["align_to_window"]},
                           {}});
}

Value cdist(Arguments& a) {
    const BoundCall n("torch.functional.cdist", a);
    const std::string mode = n.text("compute_mode");
    const Value number = mode == "use_mm_for_euclid_dist_if_necessary" ? Value()
                         : mode == "use_mm_for_euclid_dist"            ? Value(1)
                                                                       : Value(2);
    return callSignatures("torch.cdist", nullptr, {{n["x1"], n["x2"], n["p"], number}, {}});
}

Value tensordot(Arguments& a) {
    const BoundCall n("torch.functional.tensordot", a);
    Value left = n["dims"], right;
    if (left.isTensor()) left = callMethod("tolist", {left});
    if (left.items()) {
        const Values both = left.items()->items;
        left = both.at(0), right = both.at(1);
    } else {
        const std::int64_t dims = n.integer("dims");
        Values a0, b0;
        for (std::int64_t i = -dims; i < 0; ++i) a0.push_back(i), b0.push_back(i + dims);
        left = Value::list(std::move(a0)), right = Value::list(std::move(b0));
    }
    return callSignatures("torch.tensordot", nullptr, {{n["a"], n["b"], left, right}, {}});
}

/// unique: which of the three results are given.
Value chosen(const Names& n, const Value& all) {
    const Values& items = all.items()->items;
    Values out = {items.at(0)};
    if (n.flag("return_inverse")) out.push_back(items.at(1));
    if (n.flag("return_counts")) out.push_back(items.at(2));
    return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
}
Value unique(Arguments& a) {
    const BoundCall n("torch.functional.unique", a);
    if (n.given("dim"))
        return chosen(n,
                      callOperator("aten::unique_dim",
                                   {{n["input"], n["dim"], n["sorted"], n["return_inverse"], n["return_counts"]}, {}}));
    return chosen(
        n, callOperator("aten::_unique2", {{n["input"], n["sorted"], n["return_inverse"], n["return_counts"]}, {}}));
}
Value uniqueConsecutive(Arguments& a) {
    const BoundCall n("torch.functional.unique_consecutive", a);
    return chosen(n, callOperator("aten::unique_consecutive",
                                  {{n["input"], n["return_inverse"], n["return_counts"], n["dim"]}, {}}));
}

/// torch.norm in terms of linalg, with its old meanings of p and dim.
Value norm(Arguments& a) {
    const BoundCall n("torch.functional.norm", a);
    Value p = n["p"], dim = n["dim"];
    if (dim.integer()) dim = Value::list({dim});
    const auto call = [&](const char* name, Values positional) {
        return callFunction(name, Arguments{std::move(positional),
                                            {{"keepdim", n["keepdim"]}, {"dtype", n["dtype"]}, {"out", n["out"]}}});
    };
    if (p.text() && *p.text() == "fro" && (dim.isNone() || dim.items()->items.size() <= 2))
        return call("torch._C._linalg.linalg_vector_norm", {n["input"], 2, dim});
    if (p.text()) {
        if (dim.isNone()) {
            Values dims;
            for (std::int64_t d = 0; d < n.tensor("input").dim(); ++d) dims.push_back(d);
            dim = Value::list(std::move(dims));
        }
        return call("torch._C._linalg.linalg_matrix_norm", {n["input"], p, dim});
    }
    return call("torch._C._linalg.linalg_vector_norm", {n["input"], p.isNone() ? Value(2.0) : p, dim});
}

/// (LU, pivots), and infos when they are asked for.
Value lu(Arguments& a) {
    const BoundCall n("torch.functional.lu", a);
    Values parts = callFunction("torch._lu_with_info",
                                Arguments{{n["A"]}, {{"pivot", n["pivot"]}, {"check_errors", !n.flag("get_infos")}}})
                       .items()
                       ->items;
    if (!n.flag("get_infos")) parts.resize(2);
    return Value::tuple(std::move(parts));
}

Value unravelIndex(Arguments& a) {
    const BoundCall n("torch.functional.unravel_index", a);
    const std::vector<std::int64_t> shape = n.integers("shape", 1);
    std::vector<std::int64_t> steps(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) steps[i - 1] = steps[i] * shape[i];
    const auto asTensorOf = [](const std::vector<std::int64_t>& numbers) {
        return callFunction("torch.tensor", {Value::list(Values(numbers.begin(), numbers.end()))});
    };
    const Value quotient = callMethod("floor_divide", {callMethod("unsqueeze", {n["indices"], -1}), asTensorOf(steps)});
    return callMethod("unbind", {binaryOf("mod", quotient, asTensorOf(shape)), -1});
}

Value broadcastShapes(Arguments& a) {
    std::vector<std::int64_t> out;
    for (const Value& shape : a.positional) {
        const Values sizes = shape.integer() ? Values{shape} : iterate(shape);
        if (sizes.size() > out.size()) out.insert(out.begin(), sizes.size() - out.size(), 1);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            std::int64_t& place = out[out.size() - sizes.size() + i];
            const std::int64_t size = sizes[i].needInteger();
            if (size != 1 && place != 1 && size != place)
                throw raised("RuntimeError: Shape mismatch: objects cannot be broadcast to a single shape");
            if (size != 1) place = size;
        }
    }
    return Value::size(out);
}

// ── the rest ──

/// Until the graph ends; where nothing records gradients it changes nothing.
Value setGradEnabled(Arguments& a) {
    at::GradMode::set_enabled(truthOf(first(a)) && !c10::InferenceMode::is_enabled());
    return {};
}

/// torch.autocast(device_type, dtype, enabled) until _exit_autocast gets what this gives. Devices other than the CPU
/// cast nothing here.
Value enterAutocastMode(Arguments& a) {
    const Value *device = a.at(0, "device_type"), *dtype = a.at(1, "dtype"), *enabled = a.at(2, "enabled");
    if (!device || !device->text()) throw raised("TypeError: autocast() lacks its argument 'device_type'");
    const Modes before = Modes::current();
    const auto* type = dtype ? dtype->as<at::ScalarType>() : nullptr;
    const at::ScalarType wanted = type ? *type : before.autocastType;
    const bool casts = !enabled || truthOf(*enabled);
    if (*device->text() == "cpu") {
        if (casts && stackFilter())
            throw runError(Message("engine.autocast_values")); // LibTorch casts tensors of the CPU only
        enterAutocast(casts && (wanted == at::kBFloat16 || wanted == at::kHalf),
                      wanted); // PyTorch warns of other types and does not cast
    } else {
        enterAutocast(before.autocasts, before.autocastType);
    }
    return Value::tuple({Value(before.autocasts), Value(before.autocastType)});
}

Value exitAutocastMode(Arguments& a) {
    Modes modes = Modes::current();
    const Values before = iterate(first(a));
    modes.autocasts = truthOf(before.at(0)), modes.autocastType = *before.at(1).as<at::ScalarType>();
    modes.autocastDepth = std::max(0, modes.autocastDepth - 1);
    modes.apply();
    return {};
}

Value asserted(bool holds, const Arguments& a) {
    if (holds) return {};
    const std::string text = "AssertionError: " + (a.positional.size() > 1 && a.positional[1].text()
                                                       ? *a.positional[1].text()
                                                       : std::string("an assertion of the model fails"));
    // The check of an input that was fixed when the graph was made: the graph of other values is another one.
    if (text.find(" has been specialized to have value ") != std::string::npos)
        throw runError(Message("engine.specialised", {{"text", text}}));
    throw raised(text);
}

Value assertTrue(Arguments& a) { return asserted(truthOf(first(a)), a); }

Value assertNone(Arguments& a) { return asserted(first(a).isNone(), a); }

Value stochasticDepth(Arguments& a) {
    const Value* input = a.at(0, "input");
    const Value *p = a.at(1, "p"), *mode = a.at(2, "mode"), *training = a.at(3, "training");
    if (!input || !p || !mode || !mode->text()) throw raised("TypeError: stochastic_depth() lacks an argument");
    const double survival = 1.0 - p->real().value_or(0);
    if ((training && !truthOf(*training)) || p->real().value_or(0) == 0) return *input;
    std::vector<std::int64_t> size = {1};
    if (*mode->text() == "row") {
        size.assign(static_cast<std::size_t>(input->tensor().dim()), 1);
        size[0] = input->tensor().size(0);
    }
    Value noise =
        callFunction("torch.empty", Arguments{{Value::size(size)}, {{"dtype", input->tensor().scalar_type()}}});
    noise = callMethod("bernoulli_", {noise, survival});
    if (survival > 0) callMethod("div_", {noise, survival});
    return binaryOf("mul", *input, noise);
}

/// int(x) and float(x), of a tensor with one element, too.
Value toNumber(Arguments& a, std::string_view function) {
    const Value number = first(a).isTensor() ? callMethod("item", {first(a)}) : first(a);
    if (auto result = callNumberFunction(function, {{number}, {}})) return *std::move(result);
    throw raised("TypeError: " + std::string(function.substr(9)) + "() argument must be a string or a real number");
}
Value toInteger(Arguments& a) { return toNumber(a, "builtins.int"); }
Value toFloat(Arguments& a) { return toNumber(a, "builtins.float"); }

const std::map<std::string_view, CallForm>& torchFunctions() {
    static const std::map<std::string_view, CallForm> kTable = {
        {"torch.tensor", makeTensor},
        {"torch.as_tensor", asTensor},
        {"torch.asarray", asTensor},
        {"torch.functional.broadcast_tensors", ofTensors<kBroadcast>},
        {"torch.functional.block_diag", ofTensors<kBlockDiag>},
        {"torch.functional.cartesian_prod", ofTensors<kCartesian>},
        {"torch.functional.chain_matmul", ofTensors<kChain>},
        {"torch.functional.atleast_1d", ofOneOrMore<kAtleast1>},
        {"torch.functional.atleast_2d", ofOneOrMore<kAtleast2>},
        {"torch.functional.atleast_3d", ofOneOrMore<kAtleast3>},
        {"torch.functional.meshgrid", meshgrid},
        {"torch.functional._meshgrid", meshgrid},
        {"torch.functional.einsum", einsum},
        {"torch.functional.split", split},
        {"torch.functional.stft", stft},
        {"torch.functional.cdist", cdist},
        {"torch.functional.tensordot", tensordot},
        {"torch.functional.unique", unique},
        {"torch.functional.unique_consecutive", uniqueConsecutive},
        {"torch.functional._return_output", unique},
        {"torch.functional._return_counts", unique},
        {"torch.functional._return_inverse", unique},
        {"torch.functional._return_inverse_and_counts", unique},
        {"torch.functional._consecutive_return_output", uniqueConsecutive},
        {"torch.functional._consecutive_return_counts", uniqueConsecutive},
        {"torch.functional._consecutive_return_inverse", uniqueConsecutive},
        {"torch.functional._consecutive_return_inverse_and_counts", uniqueConsecutive},
        {"torch.functional.norm", norm},
        {"torch.functional.unravel_index", unravelIndex},
        {"torch.functional.lu", lu},
        {"torch.functional._lu_with_infos", lu},
        {"torch.functional._lu_no_infos", lu},
        {"torch._segment_reduce", [](Arguments& a) { return callSignatures("torch.segment_reduce", nullptr, a); }},
        {"torch.functional.broadcast_shapes", broadcastShapes},
        {"torch._assert", assertTrue},
        {"torch.fx._symbolic_trace._assert_is_none", assertNone},
        {"torch._check", assertTrue},
        {"torch._assert_async", assertTrue},
        {"torch.is_tensor", [](Arguments& a) { return Value(first(a).isTensor()); }},
        {"torch.numel", [](Arguments& a) { return Value(a.at(0, "input")->tensor().numel()); }},
        {"torch.nonzero", [](Arguments& a) { return callMethod("nonzero", a); }},
        {"torch.get_default_dtype", [](Arguments&) { return Value(at::kFloat); }},
        {"torch.random.get_rng_state", generatorState},
        {"torch.random.set_rng_state", setGeneratorState},
        {"torch.is_grad_enabled", [](Arguments&) { return Value(at::GradMode::is_enabled()); }},
        {"torch._C._set_grad_enabled", setGradEnabled},
        {"torch.amp.autocast_mode._enter_autocast", enterAutocastMode},
        {"torch.amp.autocast_mode._exit_autocast", exitAutocastMode},
        {"torch.device", [](Arguments& a) { return first(a).text() ? Value(at::Device(*first(a).text())) : first(a); }},
        {"torch.Size", [](Arguments& a) { return Value::sequence(Items::Kind::Size, iterate(first(a))); }},
        {"torch.sym_int", toInteger},
        {"torch.sym_float", toFloat},
        {"int", toInteger},
        {"float", toFloat},
        {"torch.sym_not", [](Arguments& a) { return Value(!truthOf(first(a))); }},
        {"torch.sym_max", [](Arguments& a) { return callFunction("max", a); }},
        {"torch.sym_min", [](Arguments& a) { return callFunction("min", a); }},
        {"torch.sym_sum", [](Arguments& a) { return callFunction("sum", a); }},
        {"torch.sym_ite",
         [](Arguments& a) { return truthOf(a.positional.at(0)) ? a.positional.at(1) : a.positional.at(2); }},
        {"torch._sym_sqrt", [](Arguments& a) { return callFunction("math.sqrt", a); }},
        {"torchvision.ops.stochastic_depth.stochastic_depth", stochasticDepth},
    };
    return kTable;
}

} // namespace

CallForm torchFunction(std::string_view qualifiedName) {
    if (qualifiedName.starts_with("builtins.")) qualifiedName.remove_prefix(9);
    const auto found = torchFunctions().find(qualifiedName);
    return found == torchFunctions().end() ? signalWindow(qualifiedName) : found->second;
}

} // namespace fx::engine

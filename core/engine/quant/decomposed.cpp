// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/quant/decomposed.h"

#include "core/engine/dispatch.h"
#include "core/engine/quant/observers.h"

#include <ATen/ops/fake_quantize_per_channel_affine.h>
#include <ATen/ops/tensor.h>

#include <limits>
#include <map>
#include <numeric>

namespace fx::engine {
namespace {

/// The arguments of one operator by the names of its schema.
class Call {
public:
    Call(const Arguments& arguments, const std::vector<std::string_view>& names)
        : m_arguments(arguments), m_names(names) {}

    const Value* find(std::string_view name) const {
        const auto place = static_cast<std::size_t>(std::find(m_names.begin(), m_names.end(), name) - m_names.begin());
        return m_arguments.at(place, name);
    }
    at::Tensor tensor(std::string_view name) const {
        const Value* value = find(name);
        if (!value || !value->isTensor()) refuse(name, "a Tensor", value);
        return value->tensor();
    }
    std::int64_t integer(std::string_view name) const {
        const Value* value = find(name);
        if (value && value->isTensor() && value->tensor().numel() == 1) return value->tensor().item().toLong();
        const auto number = value ? value->integer() : std::nullopt;
        if (!number) refuse(name, "an int", value);
        return *number;
    }
    double real(std::string_view name) const {
        const Value* value = find(name);
        if (value && value->isTensor() && value->tensor().numel() == 1) return value->tensor().item().toDouble();
        const auto number = value ? value->real() : std::nullopt;
        if (!number) refuse(name, "a number", value);
        return *number;
    }
    at::ScalarType dtype(std::string_view name) const {
        const Value* value = find(name);
        const auto* type = value ? value->as<at::ScalarType>() : nullptr;
        if (!type) refuse(name, "a dtype", value);
        return *type;
    }
    at::ScalarType dtypeOr(std::string_view name, at::ScalarType otherwise) const {
        const Value* value = find(name);
        return !value || value->isNone() ? otherwise : dtype(name);
    }

private:
    [[noreturn]] static void refuse(std::string_view name, std::string_view expected, const Value* got) {
        throw runError(Message("engine.expected_argument",
                               {{"name", name}, {"expected", expected}, {"got", got ? typeText(*got) : "nothing"}}));
    }
    const Arguments& m_arguments;
    const std::vector<std::string_view>& m_names;
};

struct Bounds {
    std::int64_t low, high;
};
std::optional<Bounds> boundsOf(at::ScalarType type) {
    switch (type) {
    case at::kByte: return Bounds{0, 255};
    case at::kChar: return Bounds{-128, 127};
    case at::kUInt16: return Bounds{0, 65535};
    case at::kShort: return Bounds{-32768, 32767};
    case at::kInt: return Bounds{std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case at::kFloat8_e5m2: return Bounds{-57344, 57344};
    case at::kFloat8_e4m3fn: return Bounds{-448, 448};
    default: return std::nullopt;
    }
}

void checkBounds(const Call& call) {
    const auto bounds = boundsOf(call.dtype("dtype"));
    if (!bounds) throw raised("ValueError: Unsupported dtype: " + std::string(scalarTypeName(call.dtype("dtype"))));
    if (call.integer("quant_min") < bounds->low || call.integer("quant_max") > bounds->high)
        throw raised("AssertionError: quant_min and quant_max out of bounds for dtype " +
                     std::string(scalarTypeName(call.dtype("dtype"))));
}

/// float16 and bfloat16 are computed in float32.
at::Tensor floatInput(const Call& call) {
    at::Tensor input = call.tensor("input");
    if (input.scalar_type() == at::kHalf || input.scalar_type() == at::kBFloat16) input = input.to(at::kFloat);
    if (input.scalar_type() != at::kFloat)
        throw raised("AssertionError: Expecting input to have dtype torch.float32, but got dtype: " +
                     std::string(scalarTypeName(input.scalar_type())));
    return input;
}

at::Tensor quantizedInput(const Call& call) {
    const at::Tensor input = call.tensor("input");
    if (input.scalar_type() != call.dtype("dtype"))
        throw raised(
            "AssertionError: Expecting input to have dtype: " + std::string(scalarTypeName(call.dtype("dtype"))) +
            ", but got " + std::string(scalarTypeName(input.scalar_type())));
    return input;
}

Value quantizePerTensor(const Call& call) {
    const at::Tensor input = floatInput(call);
    checkBounds(call);
    if (input.is_meta()) return input.to(call.dtype("dtype"));
    const double inverse = 1.0 / call.real("scale");
    return input.mul(inverse)
        .round_()
        .add_(call.integer("zero_point"))
        .clamp_(call.integer("quant_min"), call.integer("quant_max"))
        .to(call.dtype("dtype"));
}

Value dequantizePerTensor(const Call& call) {
    const at::Tensor input = quantizedInput(call);
    if (!boundsOf(input.scalar_type()))
        throw raised("ValueError: Unsupported dtype in dequantize_per_tensor: " +
                     std::string(scalarTypeName(input.scalar_type())));
    const at::Tensor real = input.to(call.dtypeOr("out_dtype", at::kFloat));
    if (real.is_meta()) return real;
    // As Python's operators: a number is a tensor of its own precision, which narrow types are computed with.
    return real.sub(wrappedNumber(call.integer("zero_point"))).mul(wrappedNumber(call.real("scale")));
}

/// Exchanges the axis with the first one.
std::vector<std::int64_t> axisFirst(const at::Tensor& input, std::int64_t axis) {
    if (axis >= input.dim() || axis < -input.dim())
        throw raised("AssertionError: Expecting axis to be < " + std::to_string(input.dim()));
    std::vector<std::int64_t> order(static_cast<std::size_t>(input.dim()));
    std::iota(order.begin(), order.end(), 0);
    const std::int64_t place = axis < 0 ? axis + input.dim() : axis;
    order[static_cast<std::size_t>(place)] = 0, order[0] = place;
    return order;
}
at::Tensor alongFirst(const at::Tensor& values, std::int64_t dims) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(dims), 1);
    sizes[0] = values.size(0);
    return values.view(sizes);
}

Value quantizePerChannel(const Call& call) {
    const at::Tensor input = floatInput(call);
    checkBounds(call);
    const auto order = axisFirst(input, call.integer("axis"));
    if (input.is_meta()) return input.to(call.dtype("dtype"));
    const at::Tensor scales = alongFirst(call.tensor("scales"), input.dim()),
                     zeros = alongFirst(call.tensor("zero_points"), input.dim());
    return input.permute(order)
        .mul(scales.reciprocal()) // Python's 1.0 / tensor
        .round()
        .add(zeros)
        .clamp(call.integer("quant_min"), call.integer("quant_max"))
        .permute(order)
        .to(call.dtype("dtype"));
}

Value dequantizePerChannel(const Call& call) {
    const at::Tensor input = quantizedInput(call);
    checkBounds(call);
    const at::ScalarType type = call.dtypeOr("out_dtype", at::kFloat);
    const auto order = axisFirst(input, call.integer("axis"));
    if (input.is_meta()) return input.to(type);
    at::Tensor values = input.permute(order);
    if (const Value* zeros = call.find("zero_points"); zeros && zeros->isTensor())
        values = values.sub(alongFirst(zeros->tensor(), input.dim()));
    return values.mul(alongFirst(call.tensor("scales"), input.dim())).to(type).permute(order);
}

template<bool kSymmetric> Value chooseQParams(const Call& call) {
    const at::Tensor input = call.tensor("input");
    if (!at::isFloatingType(input.scalar_type()) || input.scalar_type() == at::kDouble)
        throw raised("AssertionError: Expecting input to have dtype torch.float32/16/b16, but got dtype: " +
                     std::string(scalarTypeName(input.scalar_type())));
    QuantRange range;
    range.quantMin = call.integer("quant_min"), range.quantMax = call.integer("quant_max");
    range.dtype = scalarTypeName(call.dtype("dtype"));
    if (range.dtype == "torch.uint16")
        range.dtype = "torch.int32"; // only UniformQuantizationObserverBase has its midpoint
    if (kSymmetric) range.qscheme = "torch.per_tensor_symmetric";
    if (input.is_meta()) return Value::tuple({input.new_empty({1}, at::kDouble), input.new_empty({1}, at::kLong)});
    range.eps = at::tensor({static_cast<float>(call.real("eps"))});
    const auto [least, greatest] = input.aminmax();
    const Values qparams = iterate(qparamsOf(least, greatest, range));
    return Value::tuple({qparams[0].tensor().to(at::kDouble), qparams[1].tensor().to(at::kLong)});
}

Value qparamsPerToken(const Call& call) {
    at::Tensor scales = call.tensor("input").abs().amax({-1}, true);
    if (scales.scalar_type() == at::kHalf) scales = scales.to(at::kFloat);
    if (call.dtype("dtype") != at::kChar)
        throw raised("Exception: unsupported dtype in choose_qparams_per_token: " +
                     std::string(scalarTypeName(call.dtype("dtype"))));
    scales = scales.clamp(1e-5).div(127);
    return Value::tuple({scales, scales.new_zeros(scales.sizes())});
}

Value qparamsPerTokenAsymmetric(const Call& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor least = input.amin({-1}, true), greatest = input.amax({-1}, true);
    const at::Tensor low = least.min(least.new_zeros(least.sizes())),
                     high = greatest.max(greatest.new_zeros(greatest.sizes()));
    const at::Tensor scale = high.sub(low).div(255.0).clamp(1.1920928955078125e-07);
    const at::Tensor lowest = low.div(scale), highest = high.div(scale);
    const at::Tensor fromLow = lowest.neg().add(-128), fromHigh = highest.neg().add(127);
    const at::Tensor zero =
        fromLow.where(lowest.add(-128).add(highest.add(127)).gt(0), fromHigh).clamp(-128, 127).round();
    return Value::tuple({scale.to(at::kDouble), zero.to(at::kLong)});
}

Value quantizePerToken(const Call& call) {
    checkBounds(call);
    return call.tensor("input")
        .mul(call.tensor("scales").reciprocal())
        .add(call.tensor("zero_points"))
        .round()
        .clamp(call.integer("quant_min"), call.integer("quant_max"))
        .to(call.dtype("dtype"));
}

Value dequantizePerToken(const Call& call) {
    return call.tensor("input")
        .sub(call.tensor("zero_points"))
        .mul(call.tensor("scales"))
        .to(call.dtypeOr("output_dtype", at::kFloat));
}

Value convertElementType(const Call& call) { return call.tensor("input").to(call.dtype("dtype")); }

Value fakeQuantPerChannel(const Call& call) {
    return at::fake_quantize_per_channel_affine(call.tensor("input"), call.tensor("scales"), call.tensor("zero_points"),
                                                call.integer("axis"), call.integer("quant_min"),
                                                call.integer("quant_max"));
}

struct Form {
    Value (*run)(const Call&);
    std::vector<std::string_view> names;
};

const std::map<std::string_view, Form>& decomposedForms() {
    static const std::vector<std::string_view> kPerTensor = {"input",     "scale",     "zero_point",
                                                             "quant_min", "quant_max", "dtype"},
                                               kPerChannel = {"input",     "scales",    "zero_points", "axis",
                                                              "quant_min", "quant_max", "dtype"},
                                               kChoose = {"input", "quant_min", "quant_max", "eps", "dtype"},
                                               kPerToken = {"input",     "scales", "zero_points", "quant_min",
                                                            "quant_max", "dtype",  "output_dtype"};
    static const std::map<std::string_view, Form> kTable = {
        {"quantize_per_tensor", {quantizePerTensor, kPerTensor}},
        {"dequantize_per_tensor", {dequantizePerTensor, kPerTensor}},
        {"quantize_per_channel", {quantizePerChannel, kPerChannel}},
        {"dequantize_per_channel", {dequantizePerChannel, kPerChannel}},
        {"choose_qparams", {chooseQParams<false>, kChoose}},
        {"choose_qparams_symmetric", {chooseQParams<true>, kChoose}},
        {"choose_qparams_per_token", {qparamsPerToken, {"input", "dtype"}}},
        {"choose_qparams_per_token_asymmetric", {qparamsPerTokenAsymmetric, {"input", "dtype"}}},
        {"_choose_qparams_per_token_asymmetric_impl", {qparamsPerTokenAsymmetric, {"input", "dtype"}}},
        {"quantize_per_token", {quantizePerToken, kPerToken}},
        {"dequantize_per_token", {dequantizePerToken, kPerToken}},
        {"convert_element_type", {convertElementType, {"input", "dtype"}}},
        {"fake_quant_per_channel",
         {fakeQuantPerChannel, {"input", "scales", "zero_points", "axis", "quant_min", "quant_max"}}},
    };
    return kTable;
}

} // namespace

std::optional<Value> callDecomposed(std::string_view name, const Arguments& arguments) {
    for (const std::string_view prefix : {"torch.ops.quantized_decomposed.", "quantized_decomposed::"}) {
        if (!name.starts_with(prefix)) continue;
        const std::string_view rest = name.substr(prefix.size());
        const auto form = decomposedForms().find(rest.substr(0, rest.find('.')));
        if (form == decomposedForms().end()) return std::nullopt;
        dependsOnMore() = true;
        return form->second.run(Call(arguments, form->second.names));
    }
    return std::nullopt;
}

} // namespace fx::engine

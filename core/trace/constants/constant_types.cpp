// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_types.h"

#include <algorithm>

namespace fx::trace {
namespace {

// clang-format off
/// Answer with booleans.
constexpr std::string_view kQuestions[] = {
    "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not", "logical_xor", "isnan", "isinf",
    "isfinite", "isposinf", "isneginf", "signbit", "isclose", "isreal"};
/// Give integers for integers; all others give real numbers.
constexpr std::string_view kKeepIntegers[] = {
    "abs", "absolute", "add", "addcmul", "and_", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "conj_physical", "floor",
    "floor_divide", "fmax", "fmin", "fmod", "gcd", "hardtanh", "heaviside", "invert", "lcm", "lshift", "masked_fill",
    "max", "maximum", "min", "minimum", "mul", "multiply", "nan_to_num", "neg", "negative", "or_", "positive", "pow",
    "relu", "relu6", "remainder", "round", "rshift", "rsub", "sgn", "sign", "square", "sub", "subtract", "trunc",
    "where", "xor"};
/// Give the dtype of their first argument, whatever the others are.
constexpr std::string_view kOfFirst[] = {"hardtanh", "masked_fill", "nan_to_num", "relu6", "threshold"};
constexpr std::pair<std::string_view, DType> kConversions[] = {
    {"bfloat16", DType::BFloat16}, {"bool", DType::Bool}, {"byte", DType::UInt8}, {"cdouble", DType::Complex128},
    {"cfloat", DType::Complex64}, {"chalf", DType::Complex32}, {"char", DType::Int8}, {"double", DType::Float64},
    {"float", DType::Float32}, {"half", DType::Float16}, {"int", DType::Int32}, {"long", DType::Int64},
    {"short", DType::Int16}};
// clang-format on

template<std::size_t N> bool isListed(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

} // namespace

DType resultType(const Values& operands) {
    ResultType type;
    for (const auto& value : operands) {
        if (const auto* tensor = value.as<TensorValue>()) {
            type.addTensor(tensor->tensor->dtype, !tensor->shapeKnown || !tensor->tensor->sizes.empty());
        } else if (const auto* number = value.as<Argument>()) {
            if (number->as<bool>()) type.addNumber(DTypeKind::Bool);
            else if (number->as<std::int64_t>() || number->as<BigInt>()) type.addNumber(DTypeKind::Integer);
            else if (number->as<double>()) type.addNumber(DTypeKind::Float);
            else if (number->as<Complex>()) type.addNumber(DTypeKind::Complex);
        }
    }
    return type.get();
}

std::optional<DType> conversionMethod(std::string_view name) {
    for (const auto& [method, dtype] : kConversions)
        if (method == name) return dtype;
    return std::nullopt;
}

DType convertedBy(const TensorCall& call) {
    for (const auto& arg : call.args) {
        const auto* constant = arg.as<Argument>() ? arg.as<Argument>()->as<TorchConstant>() : nullptr;
        if (constant && constant->kind == TorchConstant::Kind::Dtype)
            return dtypeFromName(constant->name).value_or(DType::Other);
    }
    if (const auto* other = call.tensor(1)) return other->tensor->dtype;
    return call.dtypeGiven().value_or(call.dtype());
}

DType realDtype(DType dtype) {
    switch (dtype) {
    case DType::Complex32: return DType::Float16;
    case DType::Complex64: return DType::Float32;
    case DType::Complex128: return DType::Float64;
    default: return dtype;
    }
}

DType complexDtype(DType dtype) {
    switch (dtype) {
    case DType::Float16: return DType::Complex32;
    case DType::Float64: return DType::Complex128;
    case DType::Complex32:
    case DType::Complex128: return dtype;
    default: return DType::Complex64;
    }
}

DType unlistedType(std::string_view name, DType type) {
    static constexpr std::string_view kComplex[] = {
        "complex",   "fft_fft",    "fft_fft2", "fft_fftn",   "fft_ifft", "polar",     "fft_ifft2", "fft_ifftn",
        "fft_ihfft", "fft_ihfft2", "stft",     "fft_ihfftn", "fft_rfft", "fft_rfft2", "fft_rfftn", "view_as_complex"};
    static constexpr std::string_view kReal[] = {"fft_hfft",   "fft_hfft2",  "fft_hfftn", "fft_irfft",
                                                 "fft_irfft2", "fft_irfftn", "istft",     "view_as_real"};
    return isListed(name, kComplex) ? complexDtype(type) : isListed(name, kReal) ? realDtype(floating(type)) : type;
}

DType pointwiseType(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    if (isListed(name, kQuestions)) return DType::Bool;
    if (name == "where") return resultType(args.empty() ? args : Values(args.begin() + 1, args.end()));
    if (isListed(name, kOfFirst)) return args.empty() ? DType::Float32 : resultType({args[0]});
    const DType type = resultType(args);
    if (name == "float_power") return dtypeKind(type) == DTypeKind::Complex ? DType::Complex128 : DType::Float64;
    if (name == "angle") return realDtype(floating(type));
    if (name == "abs" || name == "absolute") return realDtype(type);
    if (name == "square" && type == DType::Bool) return DType::Int64;
    const Value* rounding = name == "div" || name == "divide" ? keywordOf(kwargs, "rounding_mode") : nullptr;
    if (rounding && !rounding->isNone()) return type;
    return isListed(name, kKeepIntegers) ? type : floating(type);
}

} // namespace fx::trace

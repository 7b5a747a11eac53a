// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/one_of.h"
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/constant_types.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>

namespace fx::trace {
namespace {

struct DtypeTexts {
    DType dtype;
    std::string_view scalar, stored;
};
constexpr DtypeTexts kDtypeTexts[] = {{DType::Float32, "Float", "float"},
                                      {DType::Float64, "Double", "double"},
                                      {DType::Float16, "Half", "c10::Half"},
                                      {DType::BFloat16, "BFloat16", "c10::BFloat16"},
                                      {DType::Int8, "Char", "signed char"},
                                      {DType::UInt8, "Byte", "unsigned char"},
                                      {DType::Int16, "Short", "short int"},
                                      {DType::Int32, "Int", "int"},
                                      {DType::Int64, "Long", "long int"},
                                      {DType::Bool, "Bool", "bool"},
                                      {DType::Complex64, "ComplexFloat", "c10::complex<float>"},
                                      {DType::Complex128, "ComplexDouble", "c10::complex<double>"}};

const DtypeTexts* textsOf(DType dtype) {
    const auto* found = std::find_if(std::begin(kDtypeTexts), std::end(kDtypeTexts),
                                     [&](const DtypeTexts& each) { return each.dtype == dtype; });
    return found == std::end(kDtypeTexts) ? nullptr : found;
}

/// Writes whose operands broadcast to the tensor.
constexpr std::string_view kBroadcast[] = {"add",       "addcdiv",      "addcmul",  "copy",       "div", "divide",
                                           "eq",        "floor_divide", "fmod",     "ge",         "gt",  "le",
                                           "lt",        "masked_fill",  "mul",      "multiply",   "ne",  "pow",
                                           "remainder", "sub",          "subtract", "true_divide"};
/// Those that compute in the common dtype of their operands, or in a real one, and convert the result.
constexpr std::string_view kConverting[] = {
    "add",     "div", "divide",   "exp", "floor_divide", "fmod",      "log",
    "mul",     "cos", "multiply", "pow", "reciprocal",   "remainder", "rsqrt",
    "sigmoid", "sin", "sqrt",     "sub", "subtract",     "tanh",      "true_divide"};

/// c10::canCast
bool canTake(DType target, DType result) {
    const DTypeKind to = dtypeKind(target), from = dtypeKind(result);
    if (to == DTypeKind::Bool) return from == DTypeKind::Bool;
    return from <= DTypeKind::Integer || from <= to;
}

void requireTaking(const CheckedCall& checked) {
    if (!checked.call.kwargs.empty()) return; // of `div_` with a rounding mode
    for (std::size_t i = 1; i < checked.call.args.size(); ++i) {
        const auto* tensor = checked.call.tensor(i);
        const auto* number = checked.call.args[i].as<Argument>();
        const bool isNumber = number && (number->as<bool>() || number->as<std::int64_t>() || number->as<double>() ||
                                         number->as<Complex>());
        if (tensor ? !tensor->shapeKnown : !isNumber) return;
    }
    std::string_view name = checked.name;
    if (name == "divide" || name == "true_divide") name = "div";
    const DType result = pointwiseType(name, checked.call.args, {}), target = checked.call.dtype();
    const std::string_view from = scalarText(result), to = scalarText(target);
    if (!from.empty() && !to.empty() && !canTake(target, result))
        raiseAs("RuntimeError",
                "result type " + std::string(from) + " can't be cast to the desired output type " + std::string(to));
}

} // namespace

std::string_view scalarText(DType dtype) { return textsOf(dtype) ? textsOf(dtype)->scalar : ""; }
std::string_view storedText(DType dtype) { return textsOf(dtype) ? textsOf(dtype)->stored : ""; }
std::string typeText(DType dtype) { return "torch." + std::string(scalarText(dtype)) + "Tensor"; }

void requireWritable(const CheckedCall& checked) {
    if (fx::isOneOf(checked.name, kBroadcast)) {
        std::vector<const Sizes*> all;
        for (std::size_t i = 0; i < checked.call.args.size(); ++i)
            if (checked.call.tensor(i)) all.push_back(checked.call.sizes(i));
        const bool isKnown = std::find(all.begin(), all.end(), nullptr) == all.end();
        if (isKnown) requireBroadcast(all);
        const auto common = isKnown ? broadcast(all) : std::nullopt;
        if (common && *common != checked.sizes)
            raiseAs("RuntimeError", "output with shape " + sizesText(checked.sizes) +
                                        " doesn't match the broadcast shape " + sizesText(*common));
    }
    if (fx::isOneOf(checked.name, kConverting)) requireTaking(checked);
}

} // namespace fx::trace

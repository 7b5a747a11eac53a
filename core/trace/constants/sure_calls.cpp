// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/sure_calls.h"

#include "core/base/one_of.h"
#include "core/trace/constants/constant_sizes.h"

#include <algorithm>

namespace fx::trace {
namespace {

constexpr std::string_view kSureFactories[] = {"arange", "empty", "eye",    "full", "ones",
                                               "rand",   "randn", "tensor", "zeros"};
constexpr std::string_view kSureUnary[] = {"clone", "cos", "detach", "double", "exp", "float", "long", "sin", "tanh"};
constexpr std::string_view kSureBinary[] = {"add", "div", "mul", "pow", "sub", "truediv"};
/// Their results have known sizes only if the arguments fit.
constexpr std::string_view kSureMoves[] = {"flatten", "getitem",   "permute",  "repeat",
                                           "reshape", "transpose", "unsqueeze"};

bool isWholeNumber(const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<std::int64_t>(); }

bool isPlainNumber(const Value& value) {
    const auto* argument = value.as<Argument>();
    return argument && (argument->as<std::int64_t>() || argument->as<double>());
}

template<class Test> bool isOneOrSeveral(const Value& value, const Test& test) {
    const auto* sequence = value.as<ValueSequence>();
    return sequence ? std::all_of(sequence->items.begin(), sequence->items.end(), test) : test(value);
}

bool isPlaceOrSlice(const Value& value) { return isWholeNumber(value) || value.as<ValueSlice>() || value.isNone(); }

bool isFloatTensor(const Value& value) {
    const auto* tensor = value.as<TensorValue>();
    return tensor && tensor->shapeKnown && tensor->tensor->dtype == DType::Float32 && tensor->tensor->device == "cpu" &&
           tensor->tensor->layout == "torch.strided";
}

bool isPlainDtype(const std::pair<std::string, Value>& word) {
    const auto* argument = word.first == "dtype" ? word.second.as<Argument>() : nullptr;
    const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
    return constant && (constant->name == "torch.float32" || constant->name == "torch.int64");
}

} // namespace

bool surelySucceeds(const ConstantCall& call, const Value& known) {
    constexpr std::int64_t kMaxBytes = 64 << 20; // memory may be short of more
    const auto* result = known.as<TensorValue>();
    if (!result || !result->shapeKnown || result->tensor->byteCount() > kMaxBytes) return false;
    const bool isFunction = call.kind == ConstantCall::Kind::Function;
    if (isFunction && call.function->callable->qualifiedName != "torch." + call.function->callable->name) return false;
    const std::string_view name = call.kind == ConstantCall::Kind::Operator ? call.spelled : call.name;
    const Values& operands = call.operands;
    if (isFunction && fx::isOneOf(name, kSureFactories))
        return std::all_of(call.kwargs.begin(), call.kwargs.end(), isPlainDtype) &&
               std::all_of(operands.begin(), operands.end(), [&](const Value& each) {
                   return isOneOrSeveral(each, name == "arange" ? isWholeNumber : isPlainNumber);
               });
    if (!call.kwargs.empty() || operands.empty()) return false;
    const auto isOperand = [](const Value& each) { return isFloatTensor(each) || isPlainNumber(each); };
    if (fx::isOneOf(name, kSureBinary))
        return operands.size() == 2 && std::all_of(operands.begin(), operands.end(), isOperand);
    if (!isFloatTensor(operands[0])) return false;
    if (fx::isOneOf(name, kSureUnary)) return operands.size() == 1;
    return fx::isOneOf(name, kSureMoves) && std::all_of(operands.begin() + 1, operands.end(), [](const Value& each) {
               return isOneOrSeveral(each, isPlaceOrSlice);
           });
}

} // namespace fx::trace

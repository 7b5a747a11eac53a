// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of torch/csrc/autograd: VariableTypeUtils.h `check_inplace`, variable.h, and derivatives.yaml.
#include "core/trace/constants/gradients.h"

#include "core/base/one_of.h"
#include "core/tensor/promotion.h"
#include "core/trace/constants/constant_sizes.h"
#include "core/trace/constants/same_tensor.h"

#include <algorithm>

namespace fx::trace {
namespace {
// clang-format off
/// Their results do not require gradients although their dtype could (`DONT_REQUIRE_DERIVATIVE`,
/// `output_differentiability`).
constexpr std::string_view kWithoutDerivative[] = {
    "bincount", "bucketize", "detach", "detach_", "empty_like", "full", "full_like", "histc", "histogram",
    "multinomial", "new", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_tensor", "new_zeros",
    "nextafter", "ones_like", "rand_like", "randint_like", "randn_like", "searchsorted", "tensor", "zeros_like"};
constexpr std::string_view kViews[] = {
    "H", "T", "adjoint", "alias", "as_strided", "broadcast_to", "diagonal", "expand", "expand_as", "mH", "mT",
    "moveaxis", "movedim", "narrow", "permute", "select", "squeeze", "swapaxes", "swapdims", "t", "transpose",
    "unflatten", "unfold", "unsqueeze", "view", "view_as", "view_as_complex", "view_as_real"};
/// Views of tensors whose elements lie in rows, else copies.
constexpr std::string_view kMaybeViews[] = {"flatten", "ravel", "reshape", "reshape_as"};
/// Several views at once, which autograd lets nobody write to, and others that may be views or copies.
constexpr std::string_view kSeveralViews[] = {
    "broadcast_tensors", "chunk", "dsplit", "hsplit", "imag", "meshgrid", "real", "split", "split_with_sizes",
    "tensor_split", "unbind", "unsafe_chunk", "unsafe_split", "vsplit"};
/// Writes that autograd does not see.
constexpr std::string_view kUnseenWrites[] = {
    "detach_", "rename_", "requires_grad_", "resize_", "resize_as_", "set_", "share_memory_"};
// clang-format on

/// The object that Python has, whose flags count.
TensorPtr objectIn(const TensorValue& value) { return value.data ? value.data : value.tensor; }

template<class Visit> void forEachObject(const Value& value, const Visit& visit) {
    if (const auto* tensor = value.as<TensorValue>()) visit(objectIn(*tensor));
    if (const auto* sequence = value.as<ValueSequence>())
        for (const Value& item : sequence->items) forEachObject(item, visit);
}

template<class Visit> void forEachOperand(const ConstantCall& call, const Visit& visit) {
    for (const Value& operand : call.operands) forEachObject(operand, visit);
    for (const auto& word : call.kwargs) forEachObject(word.second, visit);
}

bool requiresAny(const ConstantCall& call) {
    bool required = false;
    forEachOperand(call, [&](const TensorPtr& tensor) { required |= tensor->requiresGrad; });
    return required;
}

TensorPtr firstOf(const ConstantCall& call) {
    const auto* first = call.operands.empty() ? nullptr : call.operands[0].as<TensorValue>();
    return first ? objectIn(*first) : nullptr;
}

/// The tensor that the call writes to; null if it writes to none, or autograd does not see that.
TensorPtr writtenBy(const ConstantCall& call) {
    if (fx::isOneOf(call.name, kUnseenWrites)) return nullptr;
    return call.name == "setitem" || effectOf(call).writesFirst ? firstOf(call) : nullptr;
}

/// Whether an index selects by tensors, lists or truths, which copies.
bool isAdvanced(const Value& index) {
    if (const auto* tuple = index.as<ValueSequence>(); tuple && !tuple->list)
        return std::any_of(tuple->items.begin(), tuple->items.end(), isAdvanced);
    const auto* argument = index.as<Argument>();
    return index.as<TensorValue>() || index.as<ValueSequence>() || (argument && argument->as<bool>());
}

bool isGivenFlag(const Value* value, bool wanted) {
    const auto* argument = value ? value->as<Argument>() : nullptr;
    return argument && *argument == Argument(wanted);
}

bool givesDtypeView(const ConstantCall& call) {
    const auto* argument = call.name == "view" && call.operands.size() > 1 ? call.operands[1].as<Argument>() : nullptr;
    return (argument && argument->as<TorchConstant>()) || (call.name == "view" && keywordOf(call.kwargs, "dtype"));
}

constexpr const char* kOnlyFloats = "RuntimeError: Only Tensors of floating point and complex dtype can require "
                                    "gradients";
constexpr const char* kOnlyFloatFlags = "RuntimeError: only Tensors of floating point dtype can require gradients";
constexpr const char* kOnlyFloatAttributes =
    "RuntimeError: only Tensors of floating point and complex dtype can require gradients";
constexpr const char* kOnlyLeaves =
    "RuntimeError: you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
    "in a subgraph that doesn't require differentiation use var_no_grad = var.detach().";
constexpr const char* kQuietView =
    "RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that "
    "this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
    "and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked).";

CannotFollow unclear(const ConstantCall& call) {
    return CannotFollow(Message("trace.writes_view_at_load", {{"function", call.name}}));
}
} // namespace

bool isDifferentiable(DType dtype) {
    const DTypeKind kind = dtypeKind(dtype);
    return kind == DTypeKind::Float || kind == DTypeKind::Complex;
}

void requireDifferentiable(DType dtype, const char* text) {
    if (!isDifferentiable(dtype)) throw PythonError(text);
}

const Gradients::Entry* Gradients::find(const TensorRef& tensor) const {
    const auto found = m_entries.find(&tensor);
    return found == m_entries.end() || found->second.tensor.lock().get() != &tensor ? nullptr : &found->second;
}

Gradients::Entry& Gradients::at(const TensorPtr& tensor) {
    if (m_entries.size() > m_room) {
        std::erase_if(m_entries, [](const auto& each) { return each.second.tensor.expired(); });
        m_room = std::max(m_room, m_entries.size() * 2);
    }
    Entry& entry = m_entries[tensor.get()];
    if (entry.tensor.lock() != tensor) entry = {.tensor = tensor};
    return entry;
}

/// The tensor that a view is one of, or the tensor itself.
TensorPtr Gradients::rootOf(const TensorPtr& tensor) const {
    const Entry* entry = find(*tensor);
    return entry && entry->base ? entry->base : tensor;
}

bool Gradients::isLeaf(const TensorRef& tensor) const {
    const Entry* entry = find(tensor);
    return !entry || !entry->isComputed;
}

void Gradients::checkWrite(const ConstantCall& call, const TensorPtr& target) const {
    if (!isEnabled || !requiresAny(call) || !isDifferentiable(target->dtype)) return;
    const Entry* entry = find(*target);
    if (entry && (entry->isUnclear || entry->isOfSeveral)) throw unclear(call);
    if (entry && entry->isQuiet) throw PythonError(kQuietView);
    const bool indexes = call.name == "setitem" && call.operands.size() > 1 && !isAdvanced(call.operands[1]);
    const bool isView = indexes || (entry && entry->base);
    if (target->requiresGrad && isView && isLeaf(*rootOf(target)))
        throw PythonError(
            "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.");
    if (target->requiresGrad && isLeaf(*target))
        throw PythonError("RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.");
}

void Gradients::check(const ConstantCall& call) const {
    const TensorPtr first = firstOf(call);
    if (call.name == "requires_grad_" && first) {
        const Value* wanted = call.operands.size() > 1 ? &call.operands[1] : keywordOf(call.kwargs, "requires_grad");
        if (!isGivenFlag(wanted, false)) requireDifferentiable(first->dtype, kOnlyFloatFlags);
        else if (!isLeaf(*first)) throw PythonError(kOnlyLeaves);
    }
    if (const TensorPtr target = writtenBy(call)) return checkWrite(call, target);
    const Value* out = keywordOf(call.kwargs, "out");
    if (isEnabled && out && !out->isNone() && requiresAny(call))
        throw PythonError("RuntimeError: " + std::string(call.name) +
                          "(): functions with out=... arguments don't support automatic differentiation, but one of "
                          "the arguments requires grad.");
}

/// Views require gradients when what they show does.
void Gradients::passToViews(const TensorRef& base, bool isComputed) {
    for (auto& [address, entry] : m_entries) {
        const auto view = entry.base.get() == &base ? entry.tensor.lock() : nullptr;
        if (!view || !isDifferentiable(view->dtype)) continue;
        if (entry.isUnclear) throw CannotFollow(Message("trace.not_computed", {{"function", "Tensor.requires_grad"}}));
        const_cast<TensorRef&>(*view).requiresGrad = true;
        entry.isComputed |= isComputed;
    }
}

/// What is computed with gradients and written to a tensor makes it, and all its views, computed.
void Gradients::noteWrite(const TensorPtr& target) {
    const TensorPtr root = rootOf(target);
    for (const TensorPtr& each : {root, target}) {
        const_cast<TensorRef&>(*each).requiresGrad = true;
        at(each).isComputed = true;
    }
    passToViews(*root, true);
}

void Gradients::markView(const ConstantCall& call, const TensorPtr& result, const TensorPtr& base) {
    if (isInference) return;
    const bool indexes = call.spelled == "getitem" && call.operands.size() > 1;
    if (indexes && isAdvanced(call.operands[1])) return; // copies
    const bool isSeveral = fx::isOneOf(call.name, kSeveralViews), isMaybe = fx::isOneOf(call.name, kMaybeViews);
    if (!indexes && !isSeveral && !isMaybe && !fx::isOneOf(call.name, kViews)) return;
    const bool isClear = !isMaybe || (hasKnownStrides(*base) && base->isContiguous());
    Entry& entry = at(result);
    entry.base = rootOf(base);
    const Entry* of = find(*base);
    entry.isQuiet = !isEnabled || (of && of->isQuiet);
    entry.isOfSeveral = isSeveral || (of && of->isOfSeveral);
    entry.isUnclear = !isClear || (of && of->isUnclear);
    if (isEnabled || !entry.base->requiresGrad || !isDifferentiable(result->dtype)) return;
    if (!isClear) throw CannotFollow(Message("trace.not_computed", {{"function", "Tensor.requires_grad"}}));
    const_cast<TensorRef&>(*result).requiresGrad = true; // PyTorch asks the base
}

void Gradients::markResult(const ConstantCall& call, const TensorPtr& result, bool required) {
    auto& tensor = const_cast<TensorRef&>(*result); // made by the call
    const bool wanted = isGivenFlag(keywordOf(call.kwargs, "requires_grad"), true);
    if (wanted) requireDifferentiable(tensor.dtype, kOnlyFloats);
    const bool isComputed = required && isEnabled && !isInference && isDifferentiable(tensor.dtype) &&
                            !fx::isOneOf(call.name, kWithoutDerivative) && !givesDtypeView(call);
    tensor.requiresGrad = wanted || isComputed;
    if (isComputed) at(result).isComputed = true;
    if (const TensorPtr first = firstOf(call)) markView(call, result, first);
}

Value Gradients::marked(const ConstantCall& call, Value result) {
    const TensorPtr first = firstOf(call);
    if (first && (call.name == "requires_grad_" || call.name == "detach_")) {
        if (call.name == "detach_") at(first).isComputed = false;
        if (first->requiresGrad) passToViews(*first, false);
        return result;
    }
    const bool required = requiresAny(call);
    if (const TensorPtr target = writtenBy(call)) {
        if (required && isEnabled && !isInference && isDifferentiable(target->dtype)) noteWrite(target);
        return result;
    }
    forEachObject(result, [&](const TensorPtr& made) {
        bool isOperand = false;
        forEachOperand(call, [&](const TensorPtr& operand) { isOperand |= operand == made; });
        if (!isOperand) markResult(call, made, required);
    });
    return result;
}

Value Gradients::markedOutput(Value result, bool required) {
    forEachObject(result, [&](const TensorPtr& made) {
        if (!required || !isEnabled || isInference || !isDifferentiable(made->dtype)) return;
        const_cast<TensorRef&>(*made).requiresGrad = true;
        at(made).isComputed = true;
    });
    return result;
}

void Gradients::require(const TensorRef& tensor, bool required) {
    if (required) requireDifferentiable(tensor.dtype, kOnlyFloatAttributes);
    else if (!isLeaf(tensor)) throw PythonError(kOnlyLeaves);
    const_cast<TensorRef&>(tensor).requiresGrad = required;
    if (required) passToViews(tensor, false);
}

void Gradients::noteView(const TensorPtr& view, const TensorPtr& base) {
    if (isInference) return;
    Entry& entry = at(view);
    entry.base = rootOf(base);
    entry.isQuiet = !isEnabled;
    entry.isComputed = isEnabled && view->requiresGrad;
}

} // namespace fx::trace

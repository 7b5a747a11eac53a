// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/load_time_writes.h"

#include "core/ops/semantics.h"
#include "core/trace/constants/constant_shapes.h"
#include "core/trace/constants/given_arguments.h"

#include <algorithm>

namespace fx::trace {
namespace {

/// What a call with constants does. A callable of torch.ops without an overload may stand for any of them.
struct Effect {
    explicit Effect(const ConstantCall& call)
        : semantics(call.function ? ops::semanticsOfFunction(call.function->callable->qualifiedName)
                                  : ops::semanticsOfMethod(call.name)),
          given(givenArguments(call.operands, call.kwargs)) {
        isNew = !call.function && call.name == "new";
        for (const ops::WrittenParameter& parameter : semantics.written) {
            const ops::Given argument = given.at(parameter.place);
            if (argument == ops::Given::Nothing || argument == ops::Given::None || !parameter.when.holds(given))
                continue;
            const bool isFirst = parameter.place.position == 0 && !call.operands.empty();
            (isFirst ? writesFirst : writesElsewhere) = true;
        }
    }
    /// No form of it gives a view of what it gets; unknown functions may.
    bool givesFresh() const { return isNew || (semantics.isKnown && semantics.aliased.empty() && !writesFirst); }

    ops::OperatorSemantics semantics;
    ops::GivenArguments given;
    bool isNew = false; ///< `tensor.new(2, 3)`, which PyTorch has for Python only
    bool writesFirst = false;
    bool writesElsewhere = false; ///< to others than the first operand, or to one that is given by name
};

template<class Visit> void forEachTensor(const Value& value, const Visit& visit) {
    if (const auto* tensor = value.as<TensorValue>()) visit(tensor->tensor);
    if (const auto* sequence = value.as<ValueSequence>())
        for (const auto& item : sequence->items)
            if (const auto* tensor = item.as<TensorValue>()) visit(tensor->tensor);
}

bool isComputed(const TensorRef& tensor) { return tensor.storage && tensor.storage->isExpression(); }

} // namespace

ConstantEffect effectOf(const ConstantCall& call) {
    const Effect effect(call);
    return {effect.writesFirst, effect.writesElsewhere, effect.semantics.drawsRandom(effect.given), effect.givesFresh(),
            effect.writesFirst && effect.semantics.changesSizes};
}

std::optional<Value> changedFlag(const ConstantCall& call) {
    const auto* tensor = call.operands.empty() ? nullptr : call.operands[0].as<TensorValue>();
    if (!tensor || (call.name != "detach_" && call.name != "requires_grad_")) return std::nullopt;
    const Value* wanted = call.operands.size() > 1 ? &call.operands[1] : keywordOf(call.kwargs, "requires_grad");
    const auto* flag = wanted ? wanted->as<Argument>() : nullptr;
    const_cast<TensorRef&>(tensor->object()).requiresGrad =
        call.name != "detach_" && (!flag || *flag != Argument(false));
    return call.operands[0];
}

bool isOneOf(const std::vector<TensorPtr>& written, const TensorRef& tensor) {
    return std::any_of(written.begin(), written.end(), [&](const TensorPtr& each) {
        return each.get() == &tensor || (tensor.storage && each->storage == tensor.storage);
    });
}

/// What a write has left unknown cannot be read.
void LoadTimeWrites::checkKnown(const Value& operand) const {
    if (m_ofModel.empty()) return;
    forEachTensor(operand, [&](const TensorPtr& tensor) {
        if (isOneOf(m_ofModel, *tensor))
            throw CannotFollow(Message("trace.changed_at_load", {{"value", textOf(operand)}}));
    });
}

Value LoadTimeWrites::follow(const ConstantCall& call, Value computed) {
    if (!computed.as<TensorValue>() && !computed.as<ValueSequence>()) return computed;
    const Effect effect(call);
    m_draws |= effect.semantics.drawsRandom(effect.given);
    if (effect.writesElsewhere || effect.semantics.name == "setitem")
        throw CannotFollow(Message("trace.writes_at_load", {{"function", call.name}}));
    const auto* target = effect.writesFirst ? call.operands[0].as<TensorValue>() : nullptr;
    for (std::size_t i = target ? 1 : 0; i < call.operands.size(); ++i) checkKnown(call.operands[i]);
    for (const auto& word : call.kwargs) checkKnown(word.second);
    if (const auto changed = changedFlag(call)) return *changed;
    if (target) {
        const auto* result = computed.as<TensorValue>();
        if (!result) throw CannotFollow(Message("trace.writes_several_at_load", {{"function", call.name}}));
        if (result->tensor != target->tensor) write(target->tensor, *result, call);
        return call.operands[0];
    }
    if (effect.givesFresh()) return computed;
    for (const Value& operand : call.operands)
        forEachTensor(operand, [&](const TensorPtr& base) {
            forEachTensor(computed, [&](const TensorPtr& view) { join(view, base); });
        });
    return computed;
}

void LoadTimeWrites::join(const TensorPtr& view, const TensorPtr& base) {
    if (view == base) return;
    auto family = familyOf(base);
    const auto other = familyOf(view);
    if (family && other == family) return;
    if (!family) m_families[base.get()] = family = std::make_shared<Family>(Family{base});
    for (const auto& member : other ? *other : Family{view})
        if (const auto tensor = member.lock()) {
            family->push_back(tensor);
            m_families[tensor.get()] = family;
        }
}

/// Null: it has none. An address may have been that of a tensor that is gone.
std::shared_ptr<LoadTimeWrites::Family> LoadTimeWrites::familyOf(const TensorPtr& tensor) const {
    const auto found = m_families.find(tensor.get());
    if (found == m_families.end()) return nullptr;
    const auto isIt = [&](const auto& member) { return member.lock() == tensor; };
    return std::any_of(found->second->begin(), found->second->end(), isIt) ? found->second : nullptr;
}

void LoadTimeWrites::write(const TensorPtr& tensor, const TensorValue& computed, const ConstantCall& call) {
    if (const auto family = familyOf(tensor))
        for (const auto& member : *family)
            if (const auto other = member.lock(); other && other != tensor)
                throw CannotFollow(Message("trace.writes_view_at_load", {{"function", call.name}}));
    const bool changesSizes = Effect(call).semantics.changesSizes;
    const auto unknownSizes = [&] {
        return CannotFollow(
            Message("trace.unknown_size_after", {{"value", textOf(call.operands[0])}, {"function", call.name}}));
    };
    if (!isComputed(*tensor)) {
        if (tensor->requiresGrad && (call.operands[0].as<TensorValue>()->data || !tensor->isParameter))
            throw CannotFollow(Message("trace.writes_view_at_load", {{"function", call.name}}));
        if (tensor->requiresGrad)
            throw PythonError(
                "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.");
        if (changesSizes) throw unknownSizes();
        if (std::find(m_ofModel.begin(), m_ofModel.end(), tensor) == m_ofModel.end()) m_ofModel.push_back(tensor);
        return;
    }
    // Constants that the code computes were made here, not const, and nobody else reads them while it is traced.
    auto& target = const_cast<TensorRef&>(*tensor);
    if (changesSizes) {
        const auto given = constantResult(call.name.substr(0, call.name.size() - 1), call.operands, call.kwargs);
        if (given.isTuple || !given.tensors[0].sizes) throw unknownSizes();
        target.sizes = *given.tensors[0].sizes;
        target.strides = stridesInRows(target.sizes);
    }
    target.storage = Storage::expression(computed.tensor->storage->expressionSource(), target.storage->byteCount());
}

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/load_time_writes.h"

#include "core/ops/catalogue.h"
#include "core/trace/constant_shapes.h"

#include <algorithm>
#include <array>

namespace fx::trace {
namespace {

bool isTrue(const Value* value) {
    const auto* argument = value ? value->as<Argument>() : nullptr;
    const bool* flag = argument ? argument->as<bool>() : nullptr;
    return flag && *flag;
}

/// `add_`, `__iadd__`
bool isInPlaceName(std::string_view name) {
    static constexpr std::array<std::string_view, 13> kOperators = {
        "__iadd__", "__isub__", "__imul__", "__idiv__", "__itruediv__", "__ifloordiv__", "__imod__",
        "__ipow__", "__iand__", "__ior__",  "__ixor__", "__ilshift__",  "__irshift__"};
    if (name.ends_with("__")) return std::find(kOperators.begin(), kOperators.end(), name) != kOperators.end();
    return name.size() > 1 && name.ends_with('_') && name != "requires_grad_";
}

/// `relu(input, inplace=False)`
bool isAskedToWrite(const ConstantCall& call) {
    if (const Value* word = keywordOf(call.kwargs, "inplace")) return isTrue(word);
    if (!call.function || !call.function->known) return false;
    const auto parameters = call.function->known->parameters();
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [](const auto& parameter) { return parameter.name == "inplace"; });
    const auto place = static_cast<std::size_t>(found - parameters.begin());
    return found != parameters.end() && place < call.operands.size() && isTrue(&call.operands[place]);
}

/// Every overload that the call can mean.
std::vector<ops::Operator> overloadsOf(const ConstantCall& call) {
    const bool isOperator = call.function && call.function->callable->qualifiedName.starts_with("torch.ops.");
    if (!isOperator) return ops::overloads("aten::" + std::string(call.name));
    std::string path = call.function->callable->qualifiedName.substr(10); // aten.add_.Tensor
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) return {};
    path.replace(dot, 1, "::");
    if (call.function->callable->kind == Callable::Kind::OpPacket) return ops::overloads(path);
    if (path.ends_with(".default")) path.resize(path.size() - 8);
    const auto found = ops::findOperator(path);
    return found ? std::vector{*found} : std::vector<ops::Operator>{};
}

/// Operators that write to others than their first operand, or to several: statistics of a normalisation.
bool writesElsewhere(const ConstantCall& call, const std::vector<ops::Operator>& overloads) {
    if (const Value* out = keywordOf(call.kwargs, "out"); out && !out->isNone()) return true;
    if (overloads.size() != 1) return false;
    const auto arguments = overloads[0].arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].isWritten() || i == 0) continue;
        const Value* given = i < call.operands.size() ? &call.operands[i] : keywordOf(call.kwargs, arguments[i].name());
        if (given && !given->isNone()) return true;
    }
    return false;
}

bool writesFirst(const ConstantCall& call, const std::vector<ops::Operator>& overloads) {
    if (call.operands.empty()) return false;
    if (isInPlaceName(call.name) || isAskedToWrite(call)) return true;
    return overloads.size() == 1 && overloads[0].arguments().size() > 0 && overloads[0].arguments()[0].isWritten();
}

/// Whether no overload gives a view of what it gets; unknown operations may.
bool givesFresh(const std::vector<ops::Operator>& overloads) {
    const auto isView = [](const ops::Operator& op) {
        const auto returns = op.returns();
        return std::any_of(returns.begin(), returns.end(),
                           [](const ops::Argument& given) { return given.type().find('(') != std::string_view::npos; });
    };
    const auto isPlain = [](const ops::Operator& op) {
        return !op.isMutable();
    }; // those write to what they are given, and give it back
    std::vector<ops::Operator> plain;
    std::copy_if(overloads.begin(), overloads.end(), std::back_inserter(plain), isPlain);
    return !plain.empty() && std::none_of(plain.begin(), plain.end(), isView);
}

template<class Visit> void forEachTensor(const Value& value, const Visit& visit) {
    if (const auto* tensor = value.as<TensorValue>()) visit(tensor->tensor);
    if (const auto* sequence = value.as<ValueSequence>())
        for (const auto& item : sequence->items)
            if (const auto* tensor = item.as<TensorValue>()) visit(tensor->tensor);
}

bool isComputed(const TensorRef& tensor) { return tensor.storage && tensor.storage->isExpression(); }

} // namespace

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
    const auto overloads = overloadsOf(call);
    if (writesElsewhere(call, overloads))
        throw CannotFollow(Message("trace.writes_at_load", {{"function", call.name}}));
    const auto* target = writesFirst(call, overloads) ? call.operands[0].as<TensorValue>() : nullptr;
    for (std::size_t i = target ? 1 : 0; i < call.operands.size(); ++i) checkKnown(call.operands[i]);
    for (const auto& word : call.kwargs) checkKnown(word.second);
    if (call.name == "detach_" && target) return call.operands[0]; // constants record no gradients: nothing changes
    if (target) {
        const auto* result = computed.as<TensorValue>();
        if (!result) throw CannotFollow(Message("trace.writes_several_at_load", {{"function", call.name}}));
        if (result->tensor != target->tensor) write(target->tensor, *result, call);
        return call.operands[0];
    }
    if (givesFresh(overloads)) return computed;
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
    const auto overloads = overloadsOf(call);
    const bool changesSizes = std::any_of(overloads.begin(), overloads.end(),
                                          [](const auto& op) { return op.hasTag(ops::Tag::inplaceView); });
    const auto unknownSizes = [&] {
        return CannotFollow(
            Message("trace.unknown_size_after", {{"value", textOf(call.operands[0])}, {"function", call.name}}));
    };
    if (!isComputed(*tensor)) {
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

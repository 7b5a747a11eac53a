// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/value_facts.h"

#include "core/base/plain_number.h"

namespace fx {
namespace {

const ValueInfo* onlyTensor(const Node& node) {
    const auto& values = node.meta().values;
    return values.size() == 1 && values[0].isTensor && !values[0].dtype.empty() ? &values[0] : nullptr;
}

} // namespace

ValueFacts::ValueFacts(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    m_memory = semantics.memoryOf(model.graph);
    for (const Node& node : model.graph.nodes()) {
        for (const NodeId value : semantics.written(node)) m_written.insert(m_memory[index(value)]);
        if (node.op() == Op::Placeholder || node.op() == Op::GetAttr) m_foreign.insert(m_memory[index(node.id())]);
        if (node.op() == Op::Output)
            for (const NodeId value : node.inputs()) m_returned.insert(m_memory[index(value)]);
    }
}

std::string knownDtype(const Node& node) {
    const ValueInfo* info = onlyTensor(node);
    return info ? info->dtype : std::string();
}

std::optional<std::vector<std::int64_t>> integerSizes(const ValueInfo& info) { return plainNumbers(info.sizes); }

std::optional<std::vector<std::int64_t>> knownSizes(const Node& node) {
    const ValueInfo* info = onlyTensor(node);
    return info ? integerSizes(*info) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> knownStrides(const Node& node) {
    const ValueInfo* info = onlyTensor(node);
    return info && info->strides.size() == info->sizes.size() ? plainNumbers(info->strides) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> givenIntegers(const Node& node, std::size_t place, std::string_view name) {
    const Argument* first = node.argument(place, name);
    if (!first) return std::nullopt;
    std::vector<Argument> items;
    if (const auto* sequence = first->as<Sequence>()) items = sequence->items;
    else if (place < node.args().size())
        items.assign(node.args().begin() + static_cast<std::ptrdiff_t>(place), node.args().end());
    else items.push_back(*first);
    std::vector<std::int64_t> out;
    for (const Argument& item : items) {
        if (!item.as<std::int64_t>()) return std::nullopt;
        out.push_back(*item.as<std::int64_t>());
    }
    return out;
}

} // namespace fx

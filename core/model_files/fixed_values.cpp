// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/fixed_values.h"

#include "core/trace/tracer_classes.h"

#include <algorithm>

namespace fx {

FixedValues::FixedValues(const GraphModule& model)
    : m_paths(*model.root), m_readsValues(trace::tracerClass(model.tracerClass).readsValues) {}

void FixedValues::add(const Node& node) {
    if (isFixed(node)) m_fixed.insert(node.id());
}

bool FixedValues::isFixed(const Node& node) {
    const auto inputsAre = [&] {
        return std::all_of(node.inputs().begin(), node.inputs().end(), [&](NodeId id) { return contains(id); });
    };
    switch (node.op()) {
    case Op::GetAttr: {
        const TensorPtr tensor = m_paths.resolve(node.target()).tensor;
        return !tensor || m_readsValues || !tensor->isParameter;
    }
    case Op::CallModule: return m_readsValues && inputsAre();
    case Op::CallFunction: return !node.meta().wrapped && inputsAre();
    case Op::CallMethod: return inputsAre();
    case Op::Placeholder:
    case Op::Output: return false;
    }
    return false;
}

} // namespace fx

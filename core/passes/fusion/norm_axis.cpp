// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/norm_axis.h"

namespace fx {

NormAxis::Is NormAxis::of(const FoldableLayer& layer, const FoldableNorm& norm) {
    const std::size_t wanted = layer.weight->sizes.size(), byClass = static_cast<std::size_t>(norm.dimensions) + 2;
    // BatchNorm2d and 3d take one number of dimensions only, and a single feature is that of dimension 1 in any number.
    if (norm.dimensions > 1) return byClass == wanted ? Is::Channels : Is::Other;
    if (norm.tensors.mean->elementCount() == 1) return Is::Channels;
    const Node& node = m_run.graph().node(layer.node);
    const auto& values = node.meta().values;
    if (!values.empty() && values[0].isTensor && !values[0].dtype.empty())
        return values[0].sizes.size() == wanted ? Is::Channels : Is::Other;
    askWorker();
    const auto computed = m_dimensions.find(node.name());
    if (computed == m_dimensions.end()) return Is::Unknown;
    return computed->second == wanted ? Is::Channels : Is::Other;
}

void NormAxis::askWorker() {
    if (m_asked || !m_run.engine) return;
    m_asked = true;
    try {
        const NodeShapes shapes = m_run.engine->shapes(m_model);
        if (shapes.guessed) return;
        for (const auto& [name, values] : shapes.nodes)
            if (values.size() == 1) m_dimensions.emplace(name, values[0].sizes.size());
    } catch (const Error& error) {
        // No inputs, or the model does not run.
        if (error.kind() != ErrorKind::Usage && error.kind() != ErrorKind::Run) throw;
    }
}

} // namespace fx

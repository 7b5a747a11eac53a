// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/manager/pass_instrument.h"

#include <algorithm>

namespace fx {

const FrozenNodes RewriteWatch::kNoneFrozen;

FrozenNodes::FrozenNodes(const Graph& graph, const std::vector<std::string>& selected) {
    m_frozen.resize(graph.idLimit(), true);
    for (const std::string& name : selected) {
        const NodeId node = graph.find(name);
        if (node == kNoNode)
            throw Error(ErrorKind::Refused, Message("passes.unknown_node", {{"name", name}})).onNode(name);
        m_frozen[index(node)] = false;
    }
}

bool RewriteWatch::beginAnywhere(NodeId node, const GraphModule& model) {
    if (!m_instruments.empty()) {
        m_now.number = m_made + 1;
        m_now.node = model.graph.node(node).name();
        if (!std::all_of(m_instruments.begin(), m_instruments.end(),
                         [&](PassInstrument* each) { return each->beforeRewrite(m_now, model); }))
            return false;
    }
    ++m_made;
    return true;
}

void RewriteWatch::end(const GraphModule& model) {
    for (PassInstrument* each : m_instruments) each->afterRewrite(m_now, model);
}

bool RewriteLimit::beforeRewrite(const RewritePlace& rewrite, const GraphModule&) {
    if (m_left == 0) return false;
    --m_left;
    m_last = rewrite;
    return true;
}

} // namespace fx

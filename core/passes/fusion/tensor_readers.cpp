// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/tensor_readers.h"

#include "core/base/joined_path.h"

namespace fx {

TensorReaders::TensorReaders(const GraphModule& model) : m_paths(*model.root) {
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::CallModule) addCall(m_paths.resolve(node.target()).module);
        else if (node.op() == Op::GetAttr) addRead(node.target());
    }
    for (const LiftedInput& input : model.lifted)
        if (!input.path.empty() && !model.graph.node(input.node).erased()) addRead(input.path);
}

void TensorReaders::addCall(const Module* module) {
    std::vector<const Module*> open{module};
    while (!open.empty()) {
        const Module* each = open.back();
        open.pop_back();
        if (!each || ++m_calls[each] > 2) continue; // the modules in it have been counted twice, too
        for (const Module::Child& child : each->children) open.push_back(child.module.get());
    }
}

void TensorReaders::addRead(const std::string& path) {
    const PathTarget target = m_paths.resolve(path);
    if (target.kind == PathTarget::Kind::Module) addCall(target.module);
    else if (target.tensor) ++m_reads[{target.holder, std::string(lastAtom(path))}];
}

bool TensorReaders::areSeveral(const std::string& path) {
    const Module* holder = m_paths.resolve(path).holder;
    const auto calls = m_calls.find(holder);
    const auto reads = m_reads.find({holder, std::string(lastAtom(path))});
    return (calls == m_calls.end() ? 0 : calls->second) + (reads == m_reads.end() ? 0 : reads->second) > 1;
}

} // namespace fx

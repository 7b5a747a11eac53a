// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/fused_norm.h"

#include "core/module/call_semantics.h"
#include "core/onednn/fused_layer.h"
#include "core/onednn/memory_writes.h"

#include <algorithm>

namespace fx::onednn {
namespace {

class NormFinder {
public:
    explicit NormFinder(const GraphModule& model)
        : m_graph(model.graph), m_paths(*model.root), m_semantics(*model.root), m_writes(model.graph, m_semantics) {}

    std::vector<FusedNorm> find() {
        std::vector<FusedNorm> out;
        for (const Node& node : m_graph.nodes()) {
            auto norm = normAt(node);
            if (!norm) continue;
            addCat(*norm);
            addRelu(*norm);
            if (norm->nodes.size() > 1 && isUndisturbed(*norm)) out.push_back(*std::move(norm));
        }
        return out;
    }

private:
    /// A BatchNorm module with fixed statistics of float32.
    std::optional<FusedNorm> normAt(const Node& node) {
        const Module* module = node.op() == Op::CallModule ? m_paths.resolve(node.target()).module : nullptr;
        if (!module || module->training || module->classModule != "torch.nn.modules.batchnorm") return std::nullopt;
        if (module->className != "BatchNorm2d" && module->className != "BatchNorm3d") return std::nullopt;
        if (node.args().size() != 1 || !node.args()[0].isNode() || !node.kwargs().empty()) return std::nullopt;
        const Argument* eps = module->setting("eps");
        const Module::Slot *mean = module->buffer("running_mean"), *variance = module->buffer("running_var"),
                           *weight = module->parameter("weight"), *bias = module->parameter("bias");
        if (!eps || !eps->as<double>() || !mean || !variance || !mean->tensor || !variance->tensor) return std::nullopt;
        FusedNorm out{node.id(),
                      {node.args()[0].node()},
                      mean->tensor,
                      variance->tensor,
                      weight ? weight->tensor : nullptr,
                      bias ? bias->tensor : nullptr,
                      *eps->as<double>(),
                      false,
                      {node.id()}};
        for (const TensorPtr& each : {out.mean, out.variance, out.weight, out.bias})
            if (each && (each->dtype != DType::Float32 || each->device != "cpu" || each->layout != "torch.strided"))
                return std::nullopt;
        return out;
    }

    /// A cat of values of float32 along dimension 1 that only the norm uses.
    void addCat(FusedNorm& norm) const {
        const Node& cat = m_graph.node(norm.parts[0]);
        if (cat.op() != Op::CallFunction || canonicalName(cat) != "cat" || cat.users().size() != 1) return;
        if (cat.args().empty() || cat.args().size() + cat.kwargs().size() != 2) return;
        const Argument& dimension = cat.args().size() == 2 ? cat.args()[1] : cat.kwargs()[0].second;
        const auto* items = cat.args()[0].as<Sequence>();
        if (!(dimension == Argument(1)) || !items || items->items.empty()) return;
        std::vector<NodeId> parts;
        for (const Argument& item : items->items) {
            if (!item.isNode()) return;
            parts.push_back(item.node());
        }
        norm.parts = std::move(parts);
        norm.nodes.insert(norm.nodes.begin(), cat.id());
    }

    void addRelu(FusedNorm& norm) {
        const Node& last = m_graph.node(norm.norm);
        if (last.users().size() != 1) return;
        const Node& next = m_graph.node(*last.users().begin());
        const auto activation = activationAt(m_paths, next);
        if (!activation || activation->name != "relu" || next.inputs().size() != 1) return;
        norm.relu = true;
        norm.nodes.push_back(next.id());
    }

    bool isUndisturbed(const FusedNorm& norm) const {
        const NodeId first = norm.nodes.front(), last = norm.result();
        const auto isWritten = [&](NodeId value) { return m_writes.between(first, last, value); };
        if (std::any_of(norm.parts.begin(), norm.parts.end(), isWritten)) return false;
        const auto isInside = [&](NodeId id) {
            return std::find(norm.nodes.begin(), norm.nodes.end(), id) != norm.nodes.end();
        };
        const auto written = m_semantics.written(m_graph.node(last));
        return std::all_of(written.begin(), written.end(), isInside);
    }

    const Graph& m_graph;
    PathResolver m_paths;
    CallSemantics m_semantics;
    MemoryWrites m_writes;
};

} // namespace

std::vector<FusedNorm> findFusedNorms(const GraphModule& model) { return NormFinder(model).find(); }

std::optional<FusedNorm> asFusedNorm(const GraphModule& model) {
    const std::vector<FusedNorm> found = findFusedNorms(model);
    const bool isWhole = found.size() == 1 && isWholeGraph(model, found[0].nodes, found[0].parts);
    return isWhole ? std::optional(found[0]) : std::nullopt;
}

} // namespace fx::onednn

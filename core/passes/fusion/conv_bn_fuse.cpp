// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/conv_bn_fuse.h"

#include "core/passes/fusion/norm_calls.h"
#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

/// A normalisation and the layer before it.
struct Pair {
    FoldableLayer layer;
    FoldableNorm norm;
};

class Fusing {
public:
    explicit Fusing(const PassRun& run)
        : m_run(run), m_graph(run.graph()), m_before(run.model.root), m_tensors(run.model),
          m_modules(m_graph.idLimit()), m_calls(m_modules, m_tensors), m_torchFx(run.settings.flag("as_torch_fx")) {
        PathResolver paths(*m_before);
        m_callsOf.reserve(m_graph.size());
        for (const Node& node : m_graph.nodes()) {
            if (node.op() != Op::CallModule) continue;
            const Module* module = paths.resolve(node.target()).module;
            m_modules[index(node.id())] = module;
            ++m_callsOf[module];
        }
    }

    bool all() {
        bool found = false;
        {
            ModuleEditor editor(m_run.model);
            m_editor = &editor;
            for (const NodeId id : m_graph.order()) {
                m_run.progress.check();
                const auto pair = m_graph.node(id).erased() ? std::nullopt : pairAt(m_graph.node(id));
                // The next normalisation in a row finds the layer before it.
                if (pair) found |= m_run.rewrite(id, [&] { fuse(*pair); });
            }
        }
        removeUnusedModules(m_run.model, m_norms); // torch.fx copies what the graph names
        eraseUnusedTensors(m_run.model, m_unused);
        return found;
    }

private:
    std::optional<Pair> pairAt(const Node& node) {
        auto norm = m_calls.norm(node);
        if (!norm || (norm->isTuple && !onlyFirstItems(node))) return std::nullopt;
        const Node& before = m_graph.node(norm->input);
        auto layer = m_calls.layer(before);
        if (!layer || before.users().size() > 1 || !fits(*layer, *norm)) return std::nullopt;
        updateTensors(*layer);
        if (isShared(*layer)) {
            const std::string path = layer->module ? before.target() : *m_tensors.path(layer->weightNode);
            m_run.warnings.push_back({Message("passes.module_shared", {{"module", path}}), before.name(), path, {}});
            return std::nullopt;
        }
        if (layer->module && layer->module->training)
            throw Error(ErrorKind::Refused, Message("passes.not_eval")).onNode(before.name()).onModule(before.target());
        if (norm->isTraining)
            throw Error(ErrorKind::Refused, Message("passes.not_eval")).onNode(node.name()).onModule(node.target());
        return checked(Pair{std::move(*layer), std::move(*norm)});
    }

    /// Whether nothing but the first item of its result is used.
    bool onlyFirstItems(const Node& node) const {
        return std::all_of(node.users().begin(), node.users().end(), [&](NodeId user) {
            const Node& item = m_graph.node(user);
            return item.target() == "_operator.getitem" && item.args().size() == 2 && item.args()[1] == Argument(0);
        });
    }

    /// Whether the normalisation is over the layer's channels: torch.fx goes by the classes alone.
    bool fits(const FoldableLayer& layer, const FoldableNorm& norm) const {
        const bool isTorchFx = layer.isTorchFx && norm.module;
        if (m_torchFx && !isTorchFx) return false;
        if (layer.kind == FoldableKind::Linear) // over the second dimension, which is the last one of two
            return norm.module ? norm.dimensions == 1 && (isTorchFx || isMatrix(layer)) : isMatrix(layer);
        return norm.dimensions == 0 || layer.dimensions == 0 || norm.dimensions == layer.dimensions;
    }
    /// Whether the value has two dimensions, which must be known: batch_norm takes any number.
    bool isMatrix(const FoldableLayer& layer) const {
        const auto& values = m_graph.node(layer.node).meta().values;
        return !values.empty() && values[0].sizes.size() == 2;
    }

    /// A layer may have been folded into before.
    void updateTensors(FoldableLayer& layer) const {
        const auto folded = m_folded.find(layer.node);
        if (folded == m_folded.end()) return;
        layer.weight = folded->second.weights.weight, layer.bias = folded->second.weights.bias;
        if (!layer.module) layer.biasNode = folded->second.biasNode;
    }

    bool isInsideUsed(const std::string& path) {
        if (path.find('.') == path.npos) return false;
        if (!m_uses) m_uses.emplace(m_run.model); // looked at once: fusing makes no new uses
        return m_uses->isInsideUsed(path);
    }

    bool isShared(const FoldableLayer& layer) {
        const Node& node = m_graph.node(layer.node);
        if (layer.module) return m_callsOf[layer.module] > 1 || isInsideUsed(node.target());
        const auto isTaken = [&](NodeId id) {
            const std::string* path = id == kNoNode ? nullptr : m_tensors.path(id);
            return id != kNoNode && (m_graph.node(id).users().size() > 1 ||
                                     (path && (m_tensors.nodesOf(*path) > 1 || isInsideUsed(*path))));
        };
        return isTaken(layer.weightNode) || isTaken(layer.biasNode);
    }

    /// Refuses what torch.fx refuses; calls that do not fit are left alone.
    std::optional<Pair> checked(Pair pair) const {
        const Node &layer = m_graph.node(pair.layer.node), &norm = m_graph.node(pair.norm.node);
        const bool isModule = pair.layer.module && pair.norm.module;
        if (!canFold(*pair.layer.weight, pair.layer.bias, pair.norm.tensors)) {
            const Message what("passes.weights_dtype");
            if (isModule) throw Error(ErrorKind::Refused, what).onNode(norm.name()).onModule(layer.target());
            m_run.warnings.push_back({what, norm.name(), {}, {}});
            return std::nullopt;
        }
        const std::int64_t channels = channelsOf(pair.layer.kind, *pair.layer.weight, pair.layer.groups),
                           features = pair.norm.tensors.mean->elementCount();
        if (channels == features || (features == 1 && pair.layer.kind == FoldableKind::Linear)) return pair;
        const Message what("passes.channels", {{"channels", channels}, {"features", features}});
        if (isModule) throw Error(ErrorKind::Refused, what).onNode(norm.name()).onModule(norm.target());
        m_run.warnings.push_back({what, norm.name(), {}, {}});
        return std::nullopt;
    }

    FoldedWeights folded(const Pair& pair) const {
        const FoldableLayer& layer = pair.layer;
        try {
            return foldNorm(layer.kind, layer.groups, layer.weight, layer.bias, pair.norm.tensors);
        } catch (Error& error) {
            const Node& node = m_graph.node(layer.node);
            error.onNode(node.name()).onModule(layer.module ? node.target() : std::string());
            throw;
        }
    }

    void fuse(const Pair& pair) {
        FoldedWeights weights = folded(pair);
        NodeId biasNode = pair.layer.biasNode;
        if (pair.layer.module) {
            Module& module = *m_editor->writable(m_graph.node(pair.layer.node).target());
            for (auto& slot : module.parameters) {
                if (slot.name == "weight") slot.tensor = weights.weight;
                if (slot.name == "bias") slot.tensor = weights.bias;
            }
        } else {
            setTensor(*m_editor, *m_tensors.path(pair.layer.weightNode), weights.weight);
            biasNode = setBias(pair.layer, weights.bias);
        }
        m_folded.insert_or_assign(pair.layer.node, Folded{std::move(weights), biasNode});
        takeOut(pair);
    }

    /// Gives the call its new bias; returns the node that it is.
    NodeId setBias(const FoldableLayer& layer, const TensorPtr& bias) {
        if (layer.biasNode != kNoNode) {
            const std::string* path = m_tensors.path(layer.biasNode);
            setTensor(*m_editor, path ? *path : m_graph.node(layer.biasNode).target(), bias);
            return layer.biasNode;
        }
        const std::string& weight = *m_tensors.path(layer.weightNode);
        const std::size_t dot = weight.rfind('.') + 1; // 0 where there is none
        const std::string path = addTensor(m_run.model, *m_editor, weight.substr(0, dot) + "bias", bias);
        m_graph.setInsertPoint({InsertPoint::Side::Before, layer.node});
        const NodeId made = m_graph.createNode(Op::GetAttr, path);
        m_graph.setInsertPoint({});
        const Node& node = m_graph.node(layer.node);
        std::vector<Argument> args = node.args();
        Kwargs kwargs = node.kwargs();
        const auto named =
            std::find_if(kwargs.begin(), kwargs.end(), [](const auto& each) { return each.first == "bias"; });
        if (args.size() > 2) args[2] = made;
        else if (named != kwargs.end()) named->second = made;
        else if (args.size() == 2) args.emplace_back(made);
        else kwargs.emplace_back("bias", made);
        m_graph.setArgsKwargs(layer.node, std::move(args), std::move(kwargs));
        for (const NodeId input : m_graph.node(layer.node).inputs()) sortUsers(m_graph, input);
        return made;
    }

    /// The layer's value takes the place of the normalisation's.
    void takeOut(const Pair& pair) {
        const NodeId id = pair.norm.node, layer = pair.layer.node;
        if (pair.norm.isTuple) {
            const std::vector<NodeId> items(m_graph.node(id).users().begin(), m_graph.node(id).users().end());
            for (const NodeId item : items) {
                m_graph.replaceAllUses(item, layer);
                m_graph.erase(item);
            }
        } else {
            m_graph.replaceAllUses(id, layer);
        }
        if (pair.norm.module) m_norms.push_back(m_graph.node(id).target());
        m_graph.erase(id);
        sortUsers(m_graph, layer);
        m_unused.insert(pair.norm.tensorNodes.begin(), pair.norm.tensorNodes.end());
    }

    struct Folded {
        FoldedWeights weights;
        NodeId biasNode = kNoNode;
    };
    const PassRun& m_run;
    Graph& m_graph;
    std::shared_ptr<const Module> m_before; ///< classes, modes and statistics are those of before
    GraphTensors m_tensors;
    std::vector<const Module*> m_modules; ///< that each node calls, by id
    NormCalls m_calls;
    std::optional<ModuleUses> m_uses;
    const bool m_torchFx;
    ModuleEditor* m_editor = nullptr;
    std::unordered_map<const Module*, int> m_callsOf;
    std::unordered_map<NodeId, Folded> m_folded; ///< by layer
    std::vector<std::string> m_norms;            ///< modules whose calls were taken out
    std::set<NodeId> m_unused;
};

bool fuseNorms(const PassRun& run) { return Fusing(run).all(); }

} // namespace

Pass convBnFusePass() {
    return {"conv_bn_fuse",
            "folds batch normalisation into the convolution or linear layer before it; for models in eval mode",
            {{"as_torch_fx",
              "only modules that torch.fx's fuse folds; false: also transposed convolutions, functions and operators",
              "false"}},
            fuseNorms,
            {}};
}

} // namespace fx

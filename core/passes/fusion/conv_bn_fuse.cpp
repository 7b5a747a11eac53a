// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/conv_bn_fuse.h"

#include "core/module/hooked_modules.h"
#include "core/passes/fusion/norm_axis.h"
#include "core/passes/fusion/tensor_readers.h"
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
    Fusing(const PassRun& run, FoldedPairs pairs)
        : m_run(run), m_graph(run.graph()), m_given(run.model), m_tensors(run.model), m_modules(m_graph.idLimit()),
          m_calls(m_modules, m_tensors), m_axis(run, m_given), m_pairs(pairs), m_hooked(hookedModules(run.model)) {
        PathResolver paths(*m_given.root);
        for (const Node& node : m_graph.nodes())
            if (node.op() == Op::CallModule) m_modules[index(node.id())] = paths.resolve(node.target()).module;
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
        auto layer = m_calls.layer(m_graph.node(norm->input));
        if (!layer || m_graph.node(layer->node).users().size() > 1 || !isPair(*layer, *norm)) return std::nullopt;
        updateTensors(*layer);
        Pair pair{std::move(*layer), std::move(*norm)};
        if (!isAlone(pair) || trains(pair)) return std::nullopt;
        return fits(pair) && isOverChannels(pair) ? std::optional(std::move(pair)) : std::nullopt;
    }

    /// Whether nothing but the first item of its result is used.
    bool onlyFirstItems(const Node& node) const {
        return std::all_of(node.users().begin(), node.users().end(), [&](NodeId user) {
            const Node& item = m_graph.node(user);
            return item.target() == "_operator.getitem" && item.args().size() == 2 && item.args()[1] == Argument(0);
        });
    }

    /// Whether both belong together by their classes: torch.fx goes by these alone.
    bool isPair(const FoldableLayer& layer, const FoldableNorm& norm) const {
        if (m_pairs != FoldedPairs::All && (!layer.isTorchFx || !norm.module)) return false;
        if (m_pairs == FoldedPairs::AsTorchFx) {
            const bool* tracks = norm.module->setting<bool>("track_running_stats");
            if (tracks && !*tracks) return false;
        }
        if (layer.kind == FoldableKind::Linear) return m_pairs == FoldedPairs::All || norm.dimensions == 1;
        return norm.dimensions == 0 || layer.dimensions == 0 || norm.dimensions == layer.dimensions;
    }

    void warn(NodeId node, const Message& what, const std::string& module = {}) {
        m_run.warnings.push_back({what, m_graph.node(node).name(), module, {}});
    }

    /// Whether nothing else reads the layer's tensors, and nothing comes between layer and normalisation.
    bool isAlone(const Pair& pair) {
        const Node& node = m_graph.node(pair.layer.node);
        if (isShared(pair.layer)) {
            const std::string path = pair.layer.module ? node.target() : *m_tensors.path(pair.layer.weightNode);
            warn(node.id(), Message("passes.module_shared", {{"module", path}}), path);
            return false;
        }
        for (const auto& [module, id] :
             {std::pair(pair.layer.module, pair.layer.node), std::pair(pair.norm.module, pair.norm.node)}) {
            const std::string path = module ? m_graph.node(id).target() : std::string();
            if (!module || m_pairs == FoldedPairs::AsTorchFx ||
                !std::binary_search(m_hooked.begin(), m_hooked.end(), path))
                continue;
            warn(id, Message("passes.module_hooked", {{"module", path}}), path);
            return false;
        }
        return true;
    }

    /// A model in training mode is refused, as by torch.fx. In others, a normalisation in training mode stays; the mode
    /// of the layer changes nothing.
    bool trains(const Pair& pair) {
        const bool layer = pair.layer.module && pair.layer.module->training;
        if (!layer && !pair.norm.isTraining) return false;
        const Node& node = m_graph.node(layer ? pair.layer.node : pair.norm.node);
        if (m_pairs == FoldedPairs::AsTorchFx || m_given.root->training)
            throw Error(ErrorKind::Refused, Message("passes.not_eval")).onNode(node.name()).onModule(node.target());
        if (!pair.norm.isTraining) return false;
        const std::string path = m_graph.node(pair.norm.node).target();
        warn(pair.norm.node, Message("passes.norm_trains", {{"module", path}}), path);
        return true;
    }

    /// Whether the tensors can be folded; torch.fx raises an error if not.
    bool fits(const Pair& pair) {
        const FoldableLayer& layer = pair.layer;
        const NormTensors& norm = pair.norm.tensors;
        Message what("passes.weights_dtype");
        if (canFold(*layer.weight, layer.bias, norm)) {
            if (fitsNorm(layer.kind, layer.groups, *layer.weight, layer.bias, norm)) return true;
            what = Message("passes.channels", {{"channels", channelsOf(layer.kind, *layer.weight, layer.groups)},
                                               {"features", norm.mean->elementCount()}});
        }
        const Node& node = m_graph.node(pair.norm.node);
        const std::string module = pair.norm.module ? node.target() : std::string();
        if (m_pairs == FoldedPairs::AsTorchFx)
            throw Error(ErrorKind::Refused, what).onNode(node.name()).onModule(module);
        warn(node.id(), what, module);
        return false;
    }

    bool isOverChannels(const Pair& pair) {
        const NormAxis::Is axis = m_axis.of(pair.layer, pair.norm);
        if (axis == NormAxis::Is::Channels) return true;
        const bool asTorchFx = m_pairs == FoldedPairs::AsTorchFx, isKnown = axis == NormAxis::Is::Other;
        const MessageArgument layer("layer", m_graph.node(pair.layer.node).name()),
            count("count", pair.layer.weight->sizes.size());
        if (isKnown)
            warn(pair.norm.node,
                 asTorchFx ? Message("passes.norm_axis_torch_fx", {layer}) : Message("passes.norm_axis", {layer}));
        else
            warn(pair.norm.node, asTorchFx ? Message("passes.norm_axis_assumed", {layer, count})
                                           : Message("passes.norm_axis_unknown", {layer}));
        return asTorchFx;
    }

    /// A layer may have been folded into before.
    void updateTensors(FoldableLayer& layer) const {
        const auto folded = m_folded.find(layer.node);
        if (folded == m_folded.end()) return;
        layer.weight = folded->second.weights.weight, layer.bias = folded->second.weights.bias;
        if (!layer.module) layer.biasNode = folded->second.biasNode;
    }

    bool isShared(const FoldableLayer& layer) {
        if (!m_readers) m_readers.emplace(m_given); // once: fusing adds no readers
        if (layer.module) {
            const std::string& path = m_graph.node(layer.node).target();
            return m_readers->areSeveral(path + ".weight") || m_readers->areSeveral(path + ".bias");
        }
        const auto isTaken = [&](NodeId id) {
            const std::string* path = id == kNoNode ? nullptr : m_tensors.path(id);
            return id != kNoNode && (m_graph.node(id).users().size() > 1 || (path && m_readers->areSeveral(*path)));
        };
        return isTaken(layer.weightNode) || isTaken(layer.biasNode);
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
            setParameter(module, "weight", weights.weight);
            setParameter(module, "bias", weights.bias);
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
    const GraphModule m_given; ///< classes, modes and statistics are those of before
    GraphTensors m_tensors;
    std::vector<const Module*> m_modules; ///< that each node calls, by id
    NormCalls m_calls;
    NormAxis m_axis;
    const FoldedPairs m_pairs;
    const std::vector<std::string> m_hooked; ///< paths, sorted
    std::optional<TensorReaders> m_readers;
    ModuleEditor* m_editor = nullptr;
    std::unordered_map<NodeId, Folded> m_folded; ///< by layer
    std::vector<std::string> m_norms;            ///< modules whose calls were taken out
    std::set<NodeId> m_unused;
};

bool fuseNorms(const PassRun& run) {
    return foldNorms(run, run.settings.flag("as_torch_fx") ? FoldedPairs::AsTorchFx : FoldedPairs::All);
}

} // namespace

bool foldNorms(const PassRun& run, FoldedPairs pairs) { return Fusing(run, pairs).all(); }

Pass convBnFusePass() {
    return {"conv_bn_fuse",
            "folds batch normalisation into the convolution or linear layer before it; for models in eval mode",
            {{"as_torch_fx",
              "only modules that torch.fx's fuse folds, with its result even where it computes other values; false: "
              "also transposed convolutions, functions and operators, where the values stay the same",
              "false"}},
            fuseNorms,
            {}};
}

} // namespace fx

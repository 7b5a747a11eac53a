// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/mkldnn_layout.h"

#include "core/module/module_editor.h"
#include "core/passes/fusion/mkldnn_kernels.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace fx {
namespace {

constexpr std::string_view kToMkldnn = "to_mkldnn", kToDense = "to_dense";

bool isMethod(const Node& node, std::string_view name) { return node.op() == Op::CallMethod && node.target() == name; }

TensorPtr asBuffer(const TensorPtr& tensor) {
    if (!tensor) return nullptr;
    auto buffer = std::make_shared<TensorRef>(*tensor);
    buffer->isParameter = buffer->requiresGrad = false;
    return buffer;
}

TensorPtr zeros(std::int64_t count) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->sizes = {count}, tensor->strides = {1};
    tensor->storage = Storage::inMemory(std::vector<std::byte>(static_cast<std::size_t>(count) * sizeof(float)));
    return tensor;
}

/// The module of torch.utils.mkldnn that does what a dense one does, with its weights as dense buffers, or null.
std::shared_ptr<Module> mkldnnModule(const Module& dense) {
    auto out = std::make_shared<Module>();
    out->classModule = "torch.utils.mkldnn", out->training = dense.training;
    const auto copy = [&](std::initializer_list<std::string_view> names) {
        for (const std::string_view name : names)
            if (const Argument* setting = dense.setting(name))
                out->attributes.emplace_back(std::string(name), *setting);
    };
    const auto tensor = [&](std::string_view name) { return asBuffer(dense.tensor(name)); };
    if (dense.className == "Conv2d") out->className = "MkldnnConv2d", copy({"stride", "padding", "dilation", "groups"});
    else if (dense.className == "Linear") out->className = "MkldnnLinear";
    else if (dense.className == "BatchNorm2d") out->className = "MkldnnBatchNorm", copy({"eps"});
    else return nullptr;
    const TensorPtr weight = tensor("weight"), bias = tensor("bias");
    if (!weight || weight->sizes.empty()) return nullptr;
    out->buffers = {{"weight", weight}, {"bias", bias ? bias : zeros(weight->sizes[0])}};
    if (dense.className != "BatchNorm2d") return out;
    const Argument* momentum = dense.setting("momentum");
    out->attributes.emplace_back("exponential_average_factor",
                                 momentum && !momentum->isNone() ? *momentum : Argument(0.0));
    out->buffers.push_back({"running_mean", tensor("running_mean")});
    out->buffers.push_back({"running_var", tensor("running_var")});
    return out;
}

/// Sets of node places that grow together.
class UnionFind {
public:
    explicit UnionFind(std::size_t count) : m_parents(count) {
        std::iota(m_parents.begin(), m_parents.end(), std::size_t{0});
    }
    std::size_t find(std::size_t place) {
        while (m_parents[place] != place) place = m_parents[place] = m_parents[m_parents[place]];
        return place;
    }
    void join(std::size_t a, std::size_t b) { m_parents[find(b)] = find(a); }

private:
    std::vector<std::size_t> m_parents;
};

/// Nodes that run on values in MKL-DNN layout, and the conversions around them.
struct MklSubgraph {
    std::vector<NodeId> nodes, starts, ends;
};

class MkldnnLayout {
public:
    explicit MkldnnLayout(const PassRun& run) : m_run(run), m_graph(run.graph()), m_sizes(kernelSizes(run)) {}

    bool make(MklHeuristic heuristic) {
        insertConversions();
        if (m_converted.empty()) return false;
        replaceModules();
        joinConversions();
        bool changed = false;
        for (const MklSubgraph& each : subgraphs()) {
            m_run.progress.check();
            if (isWorthIt(each, heuristic)) changed = true;
            else revert(m_run.model, each);
        }
        return changed;
    }

private:
    /// Around each node with a kernel; a sum or product has one if one of its values is in MKL-DNN layout already.
    void insertConversions() {
        PathResolver paths(*m_run.model.root);
        for (const NodeId id : m_graph.order()) {
            m_run.progress.check();
            if (!runsInMkldnn(m_graph.node(id), paths)) continue;
            m_converted.push_back(id);
            if (m_sizes.unknown.contains(id))
                m_run.warnings.push_back({Message("passes.mkldnn_sizes"), m_graph.node(id).name(), {}, {}});
            m_graph.setInsertPoint({InsertPoint::Side::Before, id});
            std::vector<Argument> args = m_graph.node(id).args();
            for (Argument& arg : args)
                arg = mapNodes(arg, [&](NodeId input) { return Argument(convert(kToMkldnn, input)); });
            m_graph.setArgs(id, std::move(args));
            m_graph.setInsertPoint({InsertPoint::Side::After, id});
            const NodeId dense = convert(kToDense, id);
            m_graph.replaceAllUses(id, dense, [&](NodeId user) { return user == dense; });
        }
        m_graph.setInsertPoint({});
    }

    bool runsInMkldnn(const Node& node, PathResolver& paths) const {
        if (m_sizes.refused.contains(node.id())) return false;
        if (!isSumOrProduct(node)) return hasKernel(node, paths);
        return std::any_of(node.args().begin(), node.args().end(),
                           [&](const Argument& arg) { return isMethod(m_graph.node(arg.node()), kToDense); });
    }

    NodeId convert(std::string_view method, NodeId value) {
        const NodeId id = m_graph.createNode(Op::CallMethod, std::string(method), {value});
        m_graph.setMeta(id, std::make_shared<const NodeMeta>(m_graph.node(value).meta()));
        return id;
    }

    /// torch.fx `modules_to_mkldnn`.
    void replaceModules() {
        ModuleEditor editor(m_run.model);
        const std::shared_ptr<const Module> before = m_run.model.root;
        PathResolver paths(*before);
        for (const NodeId id : m_converted) {
            const Node& node = m_graph.node(id);
            if (node.op() != Op::CallModule || m_replaced.contains(node.target())) continue;
            const Module* dense = paths.resolve(node.target()).module;
            auto module = mkldnnModule(*dense);
            if (!module) continue;
            m_replaced.emplace(node.target(), *dense);
            editor.add(node.target(), std::move(module));
        }
    }

    /// a -> to_dense -> to_mkldnn -> b becomes a -> b.
    void joinConversions() {
        for (const NodeId id : m_graph.order()) {
            const Node& dense = m_graph.node(id);
            if (dense.erased() || !isMethod(dense, kToDense)) continue;
            const NodeId value = dense.args()[0].node();
            const std::vector<NodeId> users(dense.users().begin(), dense.users().end());
            for (const NodeId user : users) {
                if (!isMethod(m_graph.node(user), kToMkldnn)) continue;
                m_graph.replaceAllUses(user, value);
                m_graph.erase(user);
            }
            if (m_graph.node(id).users().empty()) m_graph.erase(id);
        }
    }

    /// Values in MKL-DNN layout flow from the starts; where they meet, subgraphs become one.
    std::vector<MklSubgraph> subgraphs() {
        const std::vector<NodeId> order = m_graph.order();
        constexpr std::size_t kNone = static_cast<std::size_t>(-1);
        UnionFind sets(order.size());
        std::vector<std::size_t> colours(m_graph.idLimit(), kNone);
        for (std::size_t place = 0; place < order.size(); ++place) {
            const Node& node = m_graph.node(order[place]);
            std::size_t& colour = colours[index(node.id())];
            if (isMethod(node, kToMkldnn)) colour = place;
            else if (!isMethod(node, kToDense))
                for (const NodeId input : node.inputs()) {
                    const std::size_t other = colours[index(input)];
                    if (other == kNone) continue;
                    if (colour == kNone) colour = other;
                    sets.join(colour, other);
                }
        }
        std::map<std::size_t, std::size_t> places; // of a set among the subgraphs, which come in graph order
        std::vector<MklSubgraph> out;
        for (const NodeId id : order) {
            const Node& node = m_graph.node(id);
            const bool isEnd = isMethod(node, kToDense) && node.args()[0].isNode();
            const std::size_t colour = colours[index(isEnd ? node.args()[0].node() : id)];
            if (colour == kNone) continue;
            const auto [place, isNew] = places.try_emplace(sets.find(colour), out.size());
            if (isNew) out.emplace_back();
            MklSubgraph& subgraph = out[place->second];
            (isEnd ? subgraph.ends : isMethod(node, kToMkldnn) ? subgraph.starts : subgraph.nodes).push_back(id);
        }
        return out;
    }

    bool isWorthIt(const MklSubgraph& subgraph, MklHeuristic heuristic) {
        if (heuristic == MklHeuristic::Length) return subgraph.nodes.size() > 2;
        GraphModule dense = m_run.model;
        revert(dense, subgraph);
        return m_run.engine->wholeTimes(dense, m_run.model).isFaster();
    }

    /// Without the conversions around a subgraph, and with its modules as they were (torch.fx `reset_modules`).
    void revert(GraphModule& model, const MklSubgraph& subgraph) const {
        for (const auto* conversions : {&subgraph.starts, &subgraph.ends})
            for (const NodeId id : *conversions) {
                model.graph.replaceAllUses(id, model.graph.node(id).args()[0].node());
                model.graph.erase(id);
            }
        ModuleEditor editor(model);
        for (const NodeId id : subgraph.nodes) {
            const Node& node = model.graph.node(id);
            const auto dense = node.op() == Op::CallModule ? m_replaced.find(node.target()) : m_replaced.end();
            if (dense != m_replaced.end()) editor.add(dense->first, std::make_shared<Module>(dense->second));
        }
    }

    const PassRun& m_run;
    Graph& m_graph;
    const KernelSizes m_sizes;
    std::vector<NodeId> m_converted;
    std::map<std::string, Module> m_replaced; ///< the modules that were replaced, by path
};

} // namespace

bool mkldnnLayout(const PassRun& run, MklHeuristic heuristic) {
    if (heuristic == MklHeuristic::Autotuner && !run.engine)
        throw Error(ErrorKind::Refused, Message("passes.needs_worker"));
    bool changed = false;
    const std::vector<NodeId> order = run.graph().order();
    (void)run.rewrite(order.back(), [&] { changed = MkldnnLayout(run).make(heuristic); });
    return changed;
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fresh_values.h"

#include "core/base/one_of.h"
#include "core/base/plain_number.h"
#include "core/module/call_semantics.h"
#include "core/module/subgraphs.h"
#include "core/module/value_info.h"
#include "core/ops/catalogue.h"
#include "core/passes/value_part.h"
#include "core/tensor/row_major.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fx {
namespace {

bool exists(const Graph& graph, NodeId id) { return index(id) < graph.idLimit() && !graph.node(id).erased(); }

/// True if the node has a value to record; an assertion has none.
bool hasValue(const GraphModule& model, const Node& node) {
    if (node.op() == Op::Output || (node.op() == Op::GetAttr && hasSubgraph(model, node.target()))) return false;
    if (!node.callable() || node.callable()->kind != Callable::Kind::OpOverload) return true;
    const auto op = ops::findOperator(node.callable()->qualifiedName);
    return !op || !op->returns().empty();
}

/// The arguments of a call, with the values of its input nodes in place of the nodes.
struct CallShape {
    std::vector<Argument> args;
    Kwargs kwargs;
    std::vector<const std::vector<ValueInfo>*> inputs{};

    CallShape(const Graph& graph, const Node& node) {
        const auto open = [&](NodeId input) -> Argument {
            inputs.push_back(&graph.node(input).meta().values);
            return EllipsisValue{};
        };
        args = mapNodes(node.args(), open), kwargs = mapNodes(node.kwargs(), open);
    }
    bool operator==(const CallShape& other) const {
        return args == other.args && kwargs == other.kwargs &&
               std::equal(inputs.begin(), inputs.end(), other.inputs.begin(), other.inputs.end(),
                          [](const auto* a, const auto* b) { return !a->empty() && *a == *b; });
    }
};

bool isRowMajor(const ValueInfo& info) {
    const auto sizes = plainNumbers(info.sizes), strides = plainNumbers(info.strides);
    return sizes && strides && *strides == rowMajorStrides(*sizes);
}

/// The rule without a worker: `relu` or `x * 2` of one dense tensor of floats has its shape and dtype.
const ValueInfo* likeInput(const Graph& graph, const Node& node) {
    static constexpr std::string_view kOtherwise[] = {"to", "type", "_to_copy", "float", "double", "half", "bfloat16"};
    const std::string name = canonicalName(node);
    if (!node.isCall() || node.inputs().size() != 1 || !ops::traitsOf(name).keepsShape ||
        name.find("quantize") != name.npos || isOneOf(name, kOtherwise))
        return nullptr;
    const auto isOther = [](const Argument& value) { return value.as<TorchConstant>() || value.as<Complex>(); };
    for (const Argument& value : node.args())
        if (isOther(value)) return nullptr;
    for (const auto& [key, value] : node.kwargs())
        if (isOther(value)) return nullptr;
    const auto& values = graph.node(node.inputs()[0]).meta().values;
    const bool isDense =
        values.size() == 1 && values[0].isTensor && values[0].dtype.starts_with("torch.float") && isRowMajor(values[0]);
    return isDense ? values.data() : nullptr;
}

class Refresher {
public:
    Refresher(const Graph& before, GraphModule& model, TensorEngine* engine)
        : m_before(before), m_model(model), m_graph(model.graph), m_engine(engine) {}

    std::vector<ShapeFailure> run(std::vector<NodeId> wanted) {
        std::vector<NodeId> next = dependents(compute(wanted));
        m_isFirstRound = false;
        for (const NodeId id : wanted)
            if (isWaiting(m_graph.node(id))) next.push_back(id);
        wanted = m_graph.inOrder(std::move(next));
        for (int round = 0; round < kMostRounds && !wanted.empty(); ++round) {
            m_anyKept = false;
            compute(wanted);
            if (!m_anyKept) break;
            // Kept values may let the engine compute others.
            std::erase_if(wanted, [this](NodeId id) { return !isWaiting(m_graph.node(id)); });
        }
        std::vector<ShapeFailure> out;
        for (auto& [name, failure] : m_failures) out.push_back(std::move(failure));
        return out;
    }

private:
    static constexpr int kMostRounds = 64;

    ValuePart::Found found(const std::vector<NodeId>& wanted) {
        if (!m_engine || wanted.empty()) return {};
        std::vector<ShapeFailure> failures;
        ValuePart::Found out;
        try {
            out = ValuePart(m_model, wanted).compute(*m_engine, failures);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled && !error.message().is("remote.timeout")) throw;
            m_engine = nullptr; // the worker does not answer, so nothing can be computed
            failures.push_back({m_graph.node(wanted.front()).name(), error.message(), {}, {}, {}, {}});
        }
        for (ShapeFailure& failure : failures) m_failures.insert_or_assign(failure.node, std::move(failure));
        return out;
    }

    bool isWaiting(const Node& node) const { return node.meta().values.empty() && !m_failures.contains(node.name()); }

    /// Sets the values; returns the nodes whose value has changed.
    std::vector<NodeId> compute(const std::vector<NodeId>& wanted) {
        ValuePart::Found values = found(wanted);
        std::vector<NodeId> changed;
        for (const NodeId id : wanted) {
            const Node& node = m_graph.node(id);
            if (node.op() == Op::Placeholder || !hasValue(m_model, node)) continue;
            const auto computed = values.find(id);
            std::vector<ValueInfo> now = computed == values.end() ? kept(node) : std::move(computed->second);
            m_anyKept = m_anyKept || (computed == values.end() && !now.empty());
            if (now == node.meta().values) continue;
            auto meta = std::make_shared<NodeMeta>(node.meta());
            meta->values = std::move(now);
            m_graph.setMeta(id, std::move(meta));
            if (former(node)) changed.push_back(id); // the users of a new node have other arguments
        }
        return changed;
    }

    /// The value of a node that the engine cannot compute, if it is known otherwise; else empty.
    std::vector<ValueInfo> kept(const Node& node) const {
        if (const auto item = itemOf(node)) return {*item};
        if (const auto* like = m_engine ? nullptr : likeInput(m_graph, node)) return {*like};
        const Node* was = former(node);
        if (!was && node.meta().values.empty()) was = sameCallBefore(node);
        const bool isSet =
            m_isFirstRound && was && !node.meta().values.empty() && was->meta().values != node.meta().values;
        if (!was || isSet) return node.meta().values; // of the pass that made or changed it
        return isLike(*was, node) ? was->meta().values : std::vector<ValueInfo>();
    }

    /// The same call on equal values.
    bool isLike(const Node& was, const Node& node) const {
        return was.op() == node.op() && was.target() == node.target() && !was.meta().values.empty() &&
               CallShape(m_before, was) == CallShape(m_graph, node);
    }

    /// A call of the same operator on equal values, if PyTorch lacks the operator; else null.
    const Node* sameCallBefore(const Node& node) const {
        if (!node.callable() || node.callable()->kind != Callable::Kind::OpOverload ||
            ops::findOperator(node.callable()->qualifiedName))
            return nullptr;
        for (const Node& other : m_before.nodes())
            if (isLike(other, node)) return &other;
        return nullptr;
    }

    const Node* former(const Node& node) const {
        if (exists(m_before, node.id()) && m_before.node(node.id()).name() == node.name())
            return &m_before.node(node.id());
        const NodeId named = m_before.find(node.name()); // a pass has rebuilt the graph
        return named == kNoNode ? nullptr : &m_before.node(named);
    }

    /// The value of a getitem of an operator with several results; null if one of these may be a list.
    const ValueInfo* itemOf(const Node& node) const {
        if (!node.callable() || node.callable()->qualifiedName != "_operator.getitem" || node.args().size() != 2 ||
            !node.args()[0].isNode())
            return nullptr;
        const Node& producer = m_graph.node(node.args()[0].node());
        const auto* place = node.args()[1].as<std::int64_t>();
        const auto& values = producer.meta().values;
        if (!producer.callable() || !place || *place < 0 || static_cast<std::size_t>(*place) >= values.size())
            return nullptr;
        const auto op = ops::findOperator(producer.callable()->qualifiedName);
        const bool isFlat =
            values.size() > 1 && (!op || op->returns().size() == values.size() || op->returns().size() == 1);
        return isFlat ? &values[static_cast<std::size_t>(*place)] : nullptr;
    }

    /// The users of nodes, their users and so on, in graph order.
    std::vector<NodeId> dependents(std::vector<NodeId> open) const {
        std::vector<bool> seen(m_graph.idLimit());
        std::vector<NodeId> out;
        while (!open.empty()) {
            const NodeId id = open.back();
            open.pop_back();
            for (const NodeId user : m_graph.node(id).users()) {
                if (seen[index(user)]) continue;
                seen[index(user)] = true;
                open.push_back(user), out.push_back(user);
            }
        }
        return m_graph.inOrder(std::move(out));
    }

    const Graph& m_before;
    GraphModule& m_model;
    Graph& m_graph;
    TensorEngine* m_engine;
    std::map<std::string, ShapeFailure> m_failures; ///< by name of the node
    bool m_isFirstRound = true;
    bool m_anyKept = false; ///< in this round
};

/// What a node refers to in the module tree.
struct Referred {
    const Module* module;
    const TensorRef* tensor;
    bool operator==(const Referred&) const = default;
};

/// Adds the nodes whose module or tensor was replaced, and the users of lifted inputs whose tensor has another shape or
/// dtype. Sets the values of these inputs.
void findReplaced(const GraphModule& before, GraphModule& after, std::vector<NodeId>& changed) {
    if (before.root == after.root) return;
    PathResolver pathsBefore(*before.root), paths(*after.root);
    const auto refers = [](PathResolver& resolver, const std::string& path) {
        const PathTarget target = resolver.resolve(path);
        return Referred{target.module, target.tensor.get()};
    };
    for (const Node& node : after.graph.nodes())
        if ((node.op() == Op::CallModule || node.op() == Op::GetAttr) &&
            refers(pathsBefore, node.target()) != refers(paths, node.target()))
            changed.push_back(node.id());
    for (const LiftedInput& input : after.lifted) {
        if (input.path.empty() || !exists(after.graph, input.node)) continue;
        const PathTarget target = paths.resolve(input.path);
        const auto& values = after.graph.node(input.node).meta().values;
        if (!target.tensor || values.size() != 1) continue;
        const ValueInfo info = infoOf(*target.tensor);
        if (info.sizes == values[0].sizes && info.dtype == values[0].dtype) continue;
        auto meta = std::make_shared<NodeMeta>(after.graph.node(input.node).meta());
        meta->values = {info};
        after.graph.setMeta(input.node, std::move(meta));
        for (const NodeId user : after.graph.node(input.node).users()) changed.push_back(user);
    }
}

bool isUntouched(const Node& was, const Node& is) {
    const bool isLost = !was.meta().values.empty() && is.meta().values.empty();
    return !isLost && was.op() == is.op() && was.target() == is.target() && was.args() == is.args() &&
           was.kwargs() == is.kwargs();
}

} // namespace

bool recordsValues(const Graph& graph) {
    for (const Node& node : graph.nodes())
        if (node.op() != Op::Placeholder && !node.meta().values.empty()) return true;
    return false;
}

std::vector<ShapeFailure> refreshValues(const GraphModule& before, GraphModule& after, TensorEngine* engine) {
    std::vector<NodeId> changed;
    for (const NodeId id : after.graph.differenceFrom(before.graph).nodes)
        if (exists(after.graph, id) &&
            !(exists(before.graph, id) && isUntouched(before.graph.node(id), after.graph.node(id))))
            changed.push_back(id);
    if ((changed.empty() && before.root == after.root) || !recordsValues(before.graph)) return {};
    findReplaced(before, after, changed);
    return Refresher(before.graph, after, engine).run(after.graph.inOrder(std::move(changed)));
}

std::vector<ShapeFailure> recomputeValues(GraphModule& model, TensorEngine& engine) {
    const Graph before = model.graph;
    return Refresher(before, model, &engine).run(model.graph.order());
}

std::vector<ShapeFailure> computeUnknownValues(GraphModule& model, TensorEngine& engine,
                                               const std::function<Graph()>& asRead) {
    std::vector<NodeId> unknown;
    for (const Node& node : model.graph.nodes())
        if (node.op() != Op::Placeholder && node.meta().values.empty() && hasValue(model, node))
            unknown.push_back(node.id());
    if (unknown.empty()) return {};
    const Graph before = asRead();
    return Refresher(before, model, &engine).run(std::move(unknown));
}

Warnings unknownValueWarnings(const std::vector<ShapeFailure>& failures, const Graph& graph) {
    std::unordered_map<std::string_view, const ShapeFailure*> last; // a node may have failed after several changes
    for (const ShapeFailure& failure : failures) last.insert_or_assign(failure.node, &failure);
    Warnings out;
    for (const ShapeFailure& failure : failures) {
        const NodeId id = graph.find(failure.node);
        if (last.at(failure.node) != &failure || id == kNoNode || !graph.node(id).meta().values.empty()) continue;
        out.push_back({Message("edit.value_unknown", {{"reason", failure.what.text()}, {"cause", failure.what.code()}}),
                       failure.node,
                       {},
                       {}});
    }
    return out;
}

} // namespace fx

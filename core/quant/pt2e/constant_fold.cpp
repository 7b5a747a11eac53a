// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/constant_fold.h"

#include "core/module/module_editor.h"
#include "core/ops/catalogue.h"
#include "core/passes/dead_code.h"
#include "core/quant/pt2e/decomposed_calls.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant::pt2e {
namespace {

/// Finds what depends on attributes alone. Mirrors torchao's ConstantFolder.
class Constants {
public:
    explicit Constants(const GraphModule& model) : m_model(model), m_graph(model.graph) {
        findMutable();
        for (const Node& node : m_graph.nodes()) {
            const Kind kind = kindOf(node);
            if (kind != Kind::None) m_kinds[node.id()] = kind;
            if (kind == Kind::Tensor && isQuantizeCall(node)) m_quantized.push_back(node.id());
        }
    }

    const std::vector<NodeId>& quantized() const { return m_quantized; }

    /// The quantize calls and what they need, as a model without inputs that returns a tuple.
    GraphModule extracted(const std::vector<NodeId>& results) const {
        std::unordered_set<NodeId> needed(results.begin(), results.end());
        const std::vector<NodeId> order = m_graph.order();
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (needed.contains(*id))
                for (const NodeId input : m_graph.node(*id).inputs()) needed.insert(input);
        GraphModule part;
        part.root = m_model.root;
        std::unordered_map<NodeId, NodeId> made;
        const auto map = [&made](NodeId id) { return Argument(made.at(id)); };
        for (const NodeId id : order) {
            if (!needed.contains(id)) continue;
            const Node& node = m_graph.node(id);
            made[id] = part.graph.createCopy(node, map, node.name());
        }
        std::vector<Argument> returned;
        for (const NodeId id : results) returned.emplace_back(made.at(id));
        part.graph.output(Argument::tuple(std::move(returned)));
        return part;
    }

private:
    enum class Kind : std::uint8_t { None, Tensor, Other };

    Kind kindOf(const Node& node) const {
        if (node.op() == Op::GetAttr)
            return resolvePath(*m_model.root, node.target()).tensor ? Kind::Tensor : Kind::None;
        if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return Kind::None;
        bool hasTensor = false;
        for (const NodeId input : node.inputs()) {
            const auto found = m_kinds.find(input);
            if (found == m_kinds.end()) return Kind::None;
            hasTensor |= found->second == Kind::Tensor || isTuple(input);
        }
        if (!hasTensor || node.target().starts_with("torch.ops.higher_order.")) return Kind::None;
        const auto op = ops::findOperator(node.target());
        if (op && op->isNondeterministicSeeded()) return Kind::None;
        if (givesSeveral(node, op)) return Kind::Other;
        return isImpureHere(node) ? Kind::None : Kind::Tensor;
    }
    bool isTuple(NodeId id) const { return m_kinds.at(id) == Kind::Other; }
    static bool givesSeveral(const Node& node, const std::optional<ops::Operator>& op) {
        if (isChooseCall(node)) return true;
        return op && (op->returns().size() != 1 || !op->returns()[0].type().starts_with("Tensor") ||
                      op->returns()[0].type().ends_with("[]"));
    }
    bool isImpureHere(const Node& node) const {
        if (isDequantizeCall(node) || callsDecomposed(node, "convert_element_type.no_fuse")) return true;
        return std::any_of(node.args().begin(), node.args().end(), [this](const Argument& value) {
            return value.isNode() && m_mutable.contains(value.node());
        });
    }

    /// Buffers that a copy_ or put_ writes to, and what leads from them to it.
    void findMutable() {
        for (const Node& node : m_graph.nodes()) {
            if (node.op() != Op::CallFunction || !node.target().starts_with("torch.ops.")) continue;
            if (node.target().find("copy_") == std::string::npos && node.target().find("put_") == std::string::npos)
                continue;
            if (node.args().empty() || !node.args()[0].isNode()) continue;
            std::vector<NodeId> open{node.args()[0].node()};
            std::unordered_set<NodeId> producers(open.begin(), open.end());
            bool isBuffer = false, hasInput = false;
            while (!open.empty()) {
                const Node& producer = m_graph.node(open.back());
                open.pop_back();
                if (producer.op() == Op::GetAttr)
                    isBuffer |= resolvePath(*m_model.root, producer.target()).kind == PathTarget::Kind::Buffer;
                for (const Argument& value : producer.args()) {
                    if (!value.isNode()) continue;
                    hasInput |= m_graph.node(value.node()).op() == Op::Placeholder;
                    if (producers.insert(value.node()).second) open.push_back(value.node());
                }
            }
            if (isBuffer && !hasInput) m_mutable.insert(producers.begin(), producers.end());
        }
    }

    const GraphModule& m_model;
    const Graph& m_graph;
    std::unordered_map<NodeId, Kind> m_kinds;
    std::unordered_set<NodeId> m_mutable;
    std::vector<NodeId> m_quantized;
};

/// The value of a call on attributes alone, or null.
TensorPtr valueOf(const GraphModule& model, const Node& node) {
    if (!callsDecomposed(node, "quantize_per_channel.default") || node.args().size() != 7) return nullptr;
    TensorPtr tensors[3];
    for (std::size_t i = 0; i < 3; ++i) {
        if (!node.args()[i].isNode()) return nullptr;
        const Node& input = model.graph.node(node.args()[i].node());
        if (input.op() != Op::GetAttr) return nullptr;
        tensors[i] = resolvePath(*model.root, input.target()).tensor;
    }
    const auto* axis = node.args()[3].as<std::int64_t>();
    const auto *low = node.args()[4].as<std::int64_t>(), *high = node.args()[5].as<std::int64_t>();
    const auto* dtype = node.args()[6].as<TorchConstant>();
    if (!tensors[0] || !tensors[1] || !tensors[2] || !axis || !low || !high || !dtype) return nullptr;
    return quantizedPerChannel(*tensors[0], *tensors[1], *tensors[2], *axis, *low, *high,
                               dtypeFromName(dtype->name).value_or(DType::Other));
}

/// torchao `replace_node_with_constant`.
void replace(GraphModule& model, Module& root, NodeId id, const TensorPtr& value, std::size_t& next) {
    while (hasAttribute(root, "_frozen_param" + std::to_string(next))) ++next;
    const std::string path = "_frozen_param" + std::to_string(next++);
    Graph& graph = model.graph;
    graph.setInsertPoint({InsertPoint::Side::Before, id});
    const NodeId made = graph.createNode(Op::GetAttr, path);
    graph.setInsertPoint({});
    graph.replaceAllUses(id, made);
    graph.setMeta(made, std::make_shared<const NodeMeta>(graph.node(id).meta()));
    const std::string name = graph.node(id).name();
    graph.erase(id);
    graph.setNameUnchecked(made, name);
    auto buffer = value ? std::make_shared<TensorRef>(*value) : nullptr;
    if (buffer) buffer->isParameter = buffer->requiresGrad = false;
    root.buffers.push_back({path, std::move(buffer), true});
}

} // namespace

void foldQuantized(GraphModule& model, QuantEngine* engine) {
    const bool compute = engine != nullptr;
    const Constants constants(model);
    std::vector<std::pair<NodeId, TensorPtr>> values;
    std::vector<NodeId> asked;
    for (const NodeId id : constants.quantized()) {
        const Node& node = model.graph.node(id);
        TensorPtr value = compute ? valueOf(model, node) : nullptr;
        if (!compute && node.args()[0].isNode() && model.graph.node(node.args()[0].node()).op() == Op::GetAttr)
            value = resolvePath(*model.root, model.graph.node(node.args()[0].node()).target()).tensor;
        if (compute && !value) asked.push_back(id);
        values.emplace_back(id, std::move(value));
    }
    if (!asked.empty()) {
        const std::vector<ValueTree> all = engine->values(constants.extracted(asked));
        std::size_t next = 0; // of the computed ones, which stand in the same order
        for (auto& [id, value] : values)
            if (next < asked.size() && id == asked[next]) value = all.at(next++).tensor;
    }
    auto root = std::make_shared<Module>(*model.root);
    model.root = root;
    std::size_t next = 0;
    for (const auto& [id, value] : values)
        if (value || !compute) replace(model, *root, id, value, next);
    for (const NodeId id : model.graph.order()) {
        const Node& node = model.graph.node(id);
        if (node.op() != Op::GetAttr || !node.users().empty()) continue;
        const std::string& path = node.target();
        std::erase_if(root->buffers, [&](const auto& slot) { return slot.name == path; });
        std::erase_if(root->parameters, [&](const auto& slot) { return slot.name == path; });
        model.graph.erase(id);
    }
    eliminateDeadCode(model);
}

} // namespace fx::quant::pt2e

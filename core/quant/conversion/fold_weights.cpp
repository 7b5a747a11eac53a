// SPDX-License-Identifier: GPL-3.0-or-later
// The step of a lowering for prepacked weights.
#include "core/make/observer_tensors.h"
#include "core/module/copy_modules.h"
#include "core/quant/constant_nodes.h"
#include "core/quant/conversion/lowering_passes.h"
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {

/// torch.ao `collect_producer_nodes`: what computes a value, if no input of the model does.
std::vector<NodeId> Lowering::producers(NodeId id) {
    std::vector<NodeId> nodes{id}, open{id};
    while (!open.empty()) {
        const Node& here = node(open.back());
        open.pop_back();
        const auto visit = [&](const Argument& arg) {
            if (!arg.isNode()) return true;
            if (node(arg.node()).op() == Op::Placeholder) return false;
            nodes.push_back(arg.node());
            if (!isCallOf(node(arg.node()), "getattr")) open.push_back(arg.node());
            return true;
        };
        for (const Argument& arg : here.args())
            if (!visit(arg)) return {};
        for (const auto& each : here.kwargs())
            if (!visit(each.second)) return {};
    }
    return nodes;
}

namespace {

/// The numbers of all dimensions, which may be given as one.
Argument listOf(const Argument& value, std::size_t dims) {
    const auto* sequence = value.as<Sequence>();
    return Argument::tuple(sequence ? sequence->items : std::vector<Argument>(dims, value));
}

} // namespace

/// A functional convolution that leaves arguments to their defaults: the prepacking operator has none.
void Lowering::refuseArgument(NodeId prepack, std::string_view operation, std::string_view name, bool isTransposed) {
    const auto& users = node(prepack).users();
    throw Error(
        ErrorKind::Refused,
        Message("quant.lowered_argument",
                {{"function", operation.substr(0, operation.find("_prepack"))},
                 {"name", name},
                 {"arguments", isTransposed ? "input, weight, bias, stride, padding, output_padding, groups, dilation"
                                            : "input, weight, bias, stride, padding, dilation, groups"}}))
        .onNode(node(users.empty() ? prepack : *users.begin()).name());
}

/// A weight or bias, which may be computed from others. Without an engine that has no values.
TensorPtr Lowering::constantOf(const Argument& argument) {
    if (!argument.isNode() || node(argument.node()).op() == Op::GetAttr) return bufferOf(argument);
    return m_engine ? constantValue(m_model, argument.node(), *m_engine) : floatTensor({}, {0});
}

/// What a prepacking call gives, as a module that holds the weight, the bias and the numbers.
std::shared_ptr<Module> Lowering::packed(NodeId prepack) {
    const Node& call = node(prepack);
    const std::string operation = call.target().substr(call.target().rfind('.') + 1);
    const bool isLinear = operation.starts_with("linear"), isTransposed = operation.find("transpose") != operation.npos;
    const std::vector<std::string_view> names =
        isLinear       ? std::vector<std::string_view>{"W", "B"}
        : isTransposed ? std::vector<std::string_view>{"weight",         "bias",     "stride", "padding",
                                                       "output_padding", "dilation", "groups"}
                       : std::vector<std::string_view>{"weight", "bias", "stride", "padding", "dilation", "groups"};
    const std::size_t digit = operation.find_first_of("123");
    const std::string dimensions = digit == operation.npos ? "" : std::string(1, operation[digit]);
    auto made =
        emptyModule("__torch__.torch.classes.quantized." +
                    (isLinear ? std::string("LinearPackedParamsBase") : "Conv" + dimensions + "dPackedParamsBase"));
    made->training = false; // it has no mode
    const auto argument = [&](std::size_t i) -> const Argument* {
        if (i < call.args().size()) return &call.args()[i];
        for (const auto& each : call.kwargs())
            if (each.first == names[i]) return &each.second;
        return nullptr;
    };
    for (std::size_t i = 2; i < names.size(); ++i)
        if (!argument(i)) refuseArgument(prepack, operation, names[i], isTransposed);
        else if (const auto* text = argument(i)->as<std::string>())
            throw Error(ErrorKind::Refused, Message("quant.padding", {{"setting", names[i]}, {"value", *text}}))
                .onNode(node(*call.users().begin()).name());
    const Node& quantize = node(argument(0)->node());
    QuantizeJob job;
    job.tensor = quantize.args().empty() ? nullptr : constantOf(quantize.args()[0]);
    if (quantize.op() == Op::CallFunction) {
        job.qparams = {bufferOf(quantize.args().at(1)), bufferOf(quantize.args().at(2))};
        const bool perChannel = quantize.target() == "torch.quantize_per_channel";
        if (perChannel && isTransposed) refusePerChannel(prepack, operation);
        job.qscheme = perChannel ? "torch.per_channel_affine" : "torch.per_tensor_affine";
        if (perChannel) job.axis = *quantize.args().at(3).as<std::int64_t>();
    }
    const auto* dtype = quantize.args().empty() ? nullptr : quantize.args().back().as<TorchConstant>();
    job.dtype = dtype ? dtype->name : "";
    if (!job.tensor) refuse(prepack, "the weight is computed, not a parameter");
    m_modules.addQuantised(made, "weight", std::move(job));
    const Argument* bias = argument(1);
    if (bias && bias->isNode()) made->attributes.emplace_back("bias", constantOf(*bias));
    else made->attributes.emplace_back("bias", Argument());
    if (isLinear) return made;
    // In the order of PyTorch's state of the object.
    const auto dims = static_cast<std::size_t>(dimensions.empty() ? 2 : dimensions[0] - '0');
    for (const std::string_view name : {"stride", "padding", "dilation", "output_padding"}) {
        const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        made->attributes.emplace_back(name, place < names.size() ? listOf(*argument(place), dims) : listOf(0, dims));
    }
    const auto groups = static_cast<std::size_t>(std::find(names.begin(), names.end(), "groups") - names.begin());
    made->attributes.emplace_back("groups", *argument(groups));
    made->attributes.emplace_back("transposed", isTransposed);
    return made;
}

namespace {

/// Leaves out the modules that the graph does not use, as the constructor of GraphModule does.
void keepUsedModules(GraphModule& model) {
    const GraphModule from = model;
    copyModules(from, model);
}

} // namespace

/// torch.ao `fold_weight`.
void Lowering::foldWeights() {
    std::unordered_map<std::uint32_t, NodeId> folded; ///< node that is gone -> the prepacking call that it fed
    std::vector<NodeId> prepacks;
    for (const NodeId id : graph().order()) {
        if (node(id).op() != Op::CallFunction || !node(id).target().starts_with("torch.ops.quantized.") ||
            node(id).target().find("_prepack") == std::string::npos)
            continue;
        const std::vector<NodeId> nodes = producers(id);
        for (const NodeId each : nodes) folded[index(each)] = id;
        if (!nodes.empty()) prepacks.push_back(id);
    }
    if (prepacks.empty()) return keepUsedModules(m_model);
    m_paths.emplace(*m_model.root);
    auto root = std::make_shared<Module>(*m_model.root);
    NewNames names;
    for (const auto& child : root->children) names.take(child.name);
    for (const auto& slot : root->parameters) names.take(slot.name);
    for (const auto& slot : root->buffers) names.take(slot.name);
    for (const auto& attribute : root->attributes) names.take(attribute.first);
    Graph result;
    std::vector<NodeId> env(graph().idLimit(), kNoNode);
    const auto mapped = [&](NodeId id) {
        if (env[index(id)] == kNoNode) refuse(id, "a packed weight is used elsewhere too");
        return Argument(env[index(id)]);
    };
    for (const Node& each : m_model.graph.nodes()) {
        const auto gone = folded.find(index(each.id()));
        if (gone != folded.end() && gone->second == each.id()) {
            const auto scope = m_state.scopes.find(node(*each.users().begin()).name());
            const std::string prefix = scope == m_state.scopes.end() ? "" : scope->second.path;
            const std::string name = names.make(prefix + "_packed_weight_");
            root->children.push_back({name, packed(each.id())});
            env[index(each.id())] = result.createNode(Op::GetAttr, name);
            continue;
        }
        if (gone != folded.end()) continue;
        env[index(each.id())] = result.createCopy(each, mapped, each.name());
        if (each.meta().wrapped) result.setMeta(env[index(each.id())], std::make_shared<const NodeMeta>(each.meta()));
    }
    m_paths.reset();
    m_model.root = std::move(root);
    m_model.graph = std::move(result);
    keepUsedModules(m_model);
}

} // namespace fx::quant

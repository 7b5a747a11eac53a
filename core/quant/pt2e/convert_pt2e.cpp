// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/convert_pt2e.h"

#include "core/diag/error.h"
#include "core/module/copy_modules.h"
#include "core/passes/dead_code.h"
#include "core/quant/pt2e/constant_fold.h"
#include "core/quant/pt2e/decomposed_calls.h"
#include "core/quant/pt2e/qat_fusion.h"
#include "core/quant/pt2e/quantize_metadata.h"
#include "core/tensor/elements.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <limits>

namespace fx::quant::pt2e {
namespace {

bool isStaticDtype(const std::string& dtype) {
    for (const char* known : {"torch.uint8", "torch.int8", "torch.uint16", "torch.int16", "torch.int32",
                              "torch.float8_e5m2", "torch.float8_e4m3fn"})
        if (underlying(dtype) == known) return true;
    return false;
}

TensorPtr filled(DType dtype, std::int64_t count, double value) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtype;
    tensor->sizes = {count}, tensor->strides = {1};
    std::vector<std::byte> bytes(static_cast<std::size_t>(count) * elementSize(dtype));
    if (dtype == DType::Float32) {
        const std::vector<float> values(static_cast<std::size_t>(count), static_cast<float>(value));
        if (count) std::memcpy(bytes.data(), values.data(), bytes.size());
    }
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

/// Replaces the observers of a prepared graph. Mirrors `_replace_observer_with_quantize_dequantize_node_decomposed`.
class Replacing {
public:
    Replacing(GraphModule& model, const PreparedPt2e& prepared, QuantEngine* engine)
        : m_model(model), m_graph(model.graph), m_prepared(prepared), m_paths(*prepared.model.root),
          m_root(std::make_shared<Module>(*model.root)) {
        model.root = m_root;
        std::vector<std::shared_ptr<const Module>> observers;
        std::vector<WeightJob> weights;
        for (const Node& node : m_graph.nodes()) {
            const auto module = observerOf(node);
            if (!module) continue;
            const ObserverTraits traits = traitsOf(*module);
            if (!isStaticDtype(traits.dtype) || traits.isDynamic || m_qparams.contains(module.get())) continue;
            m_qparams[module.get()] = {};
            const TensorPtr weight = hasSeenNothing(*module) ? weightOf(node) : nullptr;
            if (weight) weights.push_back({module, weight, 1, m_graph.node(node.args()[0].node()).name()});
            else observers.push_back(module);
        }
        if (!engine) return;
        const std::vector<QParams> all = engine->qparams(observers), ofWeights = engine->observe(weights);
        for (std::size_t i = 0; i < observers.size(); ++i) m_qparams[observers[i].get()] = all.at(i);
        for (std::size_t i = 0; i < weights.size(); ++i) m_qparams[weights[i].observer.get()] = ofWeights.at(i);
    }

    void run() {
        for (const NodeId id : m_graph.order())
            if (const auto module = observerOf(m_graph.node(id))) replace(id, *module);
        m_graph.setInsertPoint({});
        eliminateDeadCode(m_model);
        const GraphModule all = m_model;
        copyModules(all, m_model);
    }

private:
    std::shared_ptr<Module> observerOf(const Node& node) {
        if (node.op() != Op::CallModule) return nullptr;
        const PathTarget target = m_paths.resolve(node.target());
        return target.module && isObserver(*target.module) ? target.shared : nullptr;
    }

    /// Whether an observer per channel is as new: without calibration, weights are looked at here.
    static bool hasSeenNothing(const Module& observer) {
        const Module* inner = observer.child("activation_post_process");
        const Module::Slot* least = (inner ? inner : &observer)->buffer("min_val");
        return least && least->tensor && least->tensor->elementCount() == 0;
    }
    /// The attribute that a node observes, or null.
    TensorPtr weightOf(const Node& node) {
        const Node& observed = m_graph.node(node.args()[0].node());
        return observed.op() == Op::GetAttr ? m_paths.resolve(observed.target()).tensor : nullptr;
    }

    void replace(NodeId id, const Module& observer) {
        const ObserverTraits traits = traitsOf(observer);
        const NodeId input = m_graph.node(id).args()[0].node();
        m_graph.setInsertPoint({InsertPoint::Side::Before, id});
        NodeId result = input;
        if (isStaticDtype(traits.dtype) && !traits.isDynamic) result = quantised(id, observer, traits, input);
        else if (traits.isDynamic) result = quantisedDynamically(observer, traits, input);
        else if (traits.dtype == "torch.float16") result = halved(input);
        m_graph.replaceAllUses(id, result);
        m_graph.erase(id);
    }

    NodeId call(const char* op, std::vector<Argument> args, Kwargs kwargs = {}) {
        return m_graph.callFunction(resolveCallable(decomposed(op)), std::move(args), std::move(kwargs));
    }

    Kwargs dequantizeKwargs(NodeId input) const {
        const auto& values = m_graph.node(input).meta().values;
        if (values.size() != 1 || values[0].dtype.empty() || values[0].dtype == "torch.float32") return {};
        return {{"out_dtype", Argument::dtype(values[0].dtype)}};
    }

    /// quantized_decomposed takes float32, and converts the two half ones to it.
    void requireQuantisable(const Node& node) {
        const TensorPtr weight = weightOf(node);
        if (!weight || weight->dtype == DType::Float32 || weight->dtype == DType::Float16 ||
            weight->dtype == DType::BFloat16)
            return;
        throw Error(ErrorKind::Refused, Message("quant.weight_dtype", {{"dtype", dtypeName(weight->dtype)}}))
            .onNode(m_graph.node(node.args()[0].node()).name());
    }

    NodeId quantised(NodeId id, const Module& observer, const ObserverTraits& traits, NodeId input) {
        requireQuantisable(m_graph.node(id));
        const Argument low(traits.quantMin.value_or(0)), high(traits.quantMax.value_or(255));
        const Argument dtype = Argument::dtype(underlying(traits.dtype));
        const QParams& qparams = m_qparams.at(&observer);
        std::vector<Argument> args{input};
        if (traits.isPerChannel()) {
            const auto scope = m_prepared.scopes.find(m_graph.node(m_graph.node(id).args()[0].node()).name());
            const std::string prefix = scope == m_prepared.scopes.end() ? std::string() : scope->second;
            args.emplace_back(attribute(prefix + "_scale_", qparams.scale
                                                                ? qparams.scale
                                                                : filled(DType::Float32, channels(input, traits), 1)));
            args.emplace_back(
                attribute(prefix + "_zero_point_",
                          qparams.zeroPoint ? qparams.zeroPoint : filled(DType::Int64, channels(input, traits), 0)));
            args.insert(args.end(), {Argument(traits.axis < 0 ? std::int64_t{0} : traits.axis), low, high, dtype});
            return pair("quantize_per_channel.default", "dequantize_per_channel.default", std::move(args));
        }
        const double scale = qparams.scale ? elementValues(*qparams.scale).at(0) : 1.0;
        const double zeroPoint = qparams.zeroPoint ? elementValues(*qparams.zeroPoint).at(0) : 0.0;
        args.insert(args.end(), {Argument(scale), Argument(static_cast<std::int64_t>(zeroPoint)), low, high, dtype});
        return pair("quantize_per_tensor.default", "dequantize_per_tensor.default", std::move(args));
    }

    NodeId quantisedDynamically(const Module& observer, const ObserverTraits& traits, NodeId input) {
        const Argument low(traits.quantMin.value_or(0)), high(traits.quantMax.value_or(255));
        const Argument dtype = Argument::dtype(underlying(traits.dtype));
        // A FakeQuantize has no `eps` of its own.
        const auto* number = observer.setting<double>("eps");
        const double eps = number ? *number : static_cast<double>(std::numeric_limits<float>::epsilon());
        const bool isSymmetric = traits.qscheme == "torch.per_tensor_symmetric";
        const NodeId chosen = call(isSymmetric ? "choose_qparams_symmetric.tensor" : "choose_qparams.tensor",
                                   {input, low, high, eps, dtype});
        const auto item = [&](int place) {
            return m_graph.callFunction(resolveCallable("operator.getitem"), {chosen, place});
        };
        const NodeId scale = item(0), zeroPoint = item(1);
        return pair("quantize_per_tensor.tensor", "dequantize_per_tensor.tensor",
                    {input, scale, zeroPoint, low, high, dtype});
    }

    NodeId halved(NodeId input) {
        const NodeId half = call("convert_element_type.no_fuse", {input, Argument::dtype("torch.float16")});
        return call("convert_element_type.no_fuse", {half, Argument::dtype("torch.float32")});
    }

    /// The dequantize call takes what the quantize call took.
    NodeId pair(const char* quantize, const char* dequantize, std::vector<Argument> args) {
        const NodeId input = args[0].node();
        Kwargs kwargs = dequantizeKwargs(input);
        args[0] = call(quantize, args);
        return call(dequantize, std::move(args), std::move(kwargs));
    }

    std::int64_t channels(NodeId input, const ObserverTraits& traits) const {
        const auto& values = m_graph.node(input).meta().values;
        const std::size_t axis = static_cast<std::size_t>(std::max<std::int64_t>(traits.axis, 0));
        if (values.size() != 1 || axis >= values[0].sizes.size()) return 1;
        return std::max<std::int64_t>(std::atoll(values[0].sizes[axis].c_str()), 1);
    }

    /// torchao `create_getattr_from_value`.
    NodeId attribute(const std::string& prefix, const TensorPtr& value) {
        std::string stem = prefix;
        std::replace(stem.begin(), stem.end(), '.', '_');
        std::size_t& next = m_next[stem];
        while (hasAttribute(*m_root, stem + std::to_string(next))) ++next;
        const std::string name = stem + std::to_string(next++);
        auto copy = std::make_shared<TensorRef>(*value);
        copy->isParameter = copy->requiresGrad = false;
        m_root->buffers.push_back({name, std::move(copy), true});
        return m_graph.createNode(Op::GetAttr, name);
    }

    GraphModule& m_model;
    Graph& m_graph;
    const PreparedPt2e& m_prepared;
    PathResolver m_paths; ///< of the prepared model
    std::shared_ptr<Module> m_root;
    std::unordered_map<const Module*, QParams> m_qparams;
    std::unordered_map<std::string, std::size_t> m_next; ///< first number that may be free, by prefix
};

/// torchao DuplicateDQPass: each user that is quantised gets a dequantize call of its own.
void duplicateDequantize(GraphModule& model, const Annotations& annotations) {
    Graph& graph = model.graph;
    for (const NodeId id : graph.order()) {
        if (!isDequantizeCall(graph.node(id))) continue;
        std::vector<NodeId> users;
        for (const NodeId user : graph.node(id).users())
            if (!isSymSizeCall(graph.node(user))) users.push_back(user);
        if (users.size() <= 1) continue;
        const Node& quantize = graph.node(graph.node(id).args()[0].node());
        if (isQuantizeCall(quantize) && quantize.args()[1].isNode()) {
            const Node& item = graph.node(quantize.args()[1].node());
            if (item.target() == "_operator.getitem" && item.args()[0].isNode() &&
                callsDecomposed(graph.node(item.args()[0].node()), "choose_qparams.tensor"))
                continue;
        }
        for (const NodeId user : users) {
            const auto annotation = annotations.find(user);
            if (annotation == annotations.end() || !annotation->second.isValid()) continue;
            const Node& dequantize = graph.node(id);
            graph.setInsertPoint({InsertPoint::Side::After, id});
            const NodeId copy =
                graph.callFunction(dequantize.callable(), dequantize.args(), dequantize.kwargs(), dequantize.name());
            graph.setInsertPoint({});
            graph.setMeta(copy, std::make_shared<const NodeMeta>(graph.node(id).meta()));
            graph.replaceInput(user, id, copy);
        }
    }
    eliminateDeadCode(model);
}

} // namespace

bool hasAttribute(const Module& module, const std::string& name) {
    return module.child(name) || module.parameter(name) || module.buffer(name) || module.attribute(name);
}

GraphModule convertPt2e(const PreparedPt2e& prepared, const ConvertPt2eOptions& options, QuantEngine* engine) {
    GraphModule model = prepared.model;
    Annotations annotations = prepared.annotations;
    Replacing(model, prepared, engine).run();
    foldAfterQat(model, annotations);
    duplicateDequantize(model, annotations);
    portMetadata(model.graph, annotations);
    if (options.foldQuantize) foldQuantized(model, engine);
    return model;
}

} // namespace fx::quant::pt2e

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/conversion/conversion.h"

#include "core/base/one_of.h"
#include "core/diag/error.h"
#include "core/make/observer_tensors.h"
#include "core/module/copy_modules.h"
#include "core/module/module_editor.h"
#include "core/passes/dead_code.h"
#include "core/quant/conversion/lowering.h"
#include "core/quant/module_values.h"
#include "core/quant/preparation/node_heads.h"
#include "core/quant/preparation/qat_modules.h"
#include "core/quant/preparation/standalone.h"
#include "core/quant/preparation/target_dtypes.h"
#include "core/quant/preserved.h"
#include "core/tensor/elements.h"

#include <algorithm>

namespace fx::quant {
namespace {

constexpr std::string_view kLinear = "torch._C._nn.linear";

/// torch.ao `SUPPORTED_QDTYPES`.
bool isQuantizedDType(std::string_view dtype) {
    return isOneOf(dtype, {"torch.quint8", "torch.qint8", "torch.qint32", "torch.uint8", "torch.int8", "torch.uint16",
                           "torch.int16", "torch.int32", "torch.float8_e5m2", "torch.float8_e4m3fn"});
}

/// torch.ao `weight_is_quantized`.
bool isWeightDType(std::string_view dtype) {
    return isOneOf(dtype, {"torch.quint8", "torch.qint8", "torch.float16", "torch.quint4x2", "torch.uint8",
                           "torch.int8", "torch.int16", "torch.int32", "torch.float8_e5m2", "torch.float8_e4m3fn"});
}

/// Of a lazy module that has not run: observers fail on it in PyTorch.
void refuseUninitialized(const TensorRef& weight, const std::string& path) {
    if (weight.dtypeText.ends_with("UninitializedParameter"))
        throw Error(ErrorKind::Refused, Message("quant.weight_uninitialized", {{"weight", path}}));
}

} // namespace

Conversion::Conversion(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine)
    : m_prepared(prepared), m_backend(*prepared.state.backend), m_options(options), m_engine(engine),
      m_model(prepared.model), m_root(std::make_shared<Module>(*prepared.model.root)), m_paths(*prepared.model.root),
      m_constants(prepared.model.graph), m_references(m_backend) {
    for (const auto& child : m_root->children) m_names.take(child.name);
    for (const auto& slot : m_root->parameters) m_names.take(slot.name);
    for (const auto& slot : m_root->buffers) m_names.take(slot.name);
    for (const auto& attribute : m_root->attributes) m_names.take(attribute.first);
}

GraphModule Conversion::run() {
    const std::vector<std::int64_t>& given = m_prepared.state.custom.quantizedInputs;
    std::int64_t inputs = 0;
    for (const NodeId id : graph().order()) {
        if (node(id).op() == Op::Placeholder && std::find(given.begin(), given.end(), inputs++) != given.end())
            dequantizeAfter(id);
        if (node(id).op() == Op::Output) keepOutputsQuantized(id);
        if (node(id).op() != Op::CallModule) continue;
        const std::shared_ptr<Module> module = m_paths.resolve(node(id).target()).shared;
        const auto alone = m_prepared.state.standalone.find(node(id).target());
        if (isObserver(*module)) convertObserver(id, module);
        else if (alone != m_prepared.state.standalone.end()) convertStandalone(id, *module, *alone->second);
        else convertLayer(id, module);
    }
    for (Warning& each : m_references.finish(m_engine)) m_model.warnings.push_back(std::move(each));
    fillBuffers();
    m_model.root = m_root;
    {
        ModuleEditor editor(m_model);
        for (const auto& [path, module] : m_replaced) editor.add(path, module);
    }
    eliminateDeadCode(m_model);
    const GraphModule from = m_model;
    copyModules(from, m_model);
    if (!m_options.isReference) lower(m_model, m_prepared.state, m_engine);
    ModuleEditor(m_model).removeUnused();
    preserveAttributes(*m_prepared.model.root, lost(m_prepared.state.custom.preserved), m_model);
    return std::move(m_model);
}

/// Those of the names that the converted model has nothing of: what its graph uses has been converted.
std::vector<std::string> Conversion::lost(std::vector<std::string> names) const {
    std::erase_if(names, [&](const std::string& name) {
        return resolvePath(*m_model.root, name).kind != PathTarget::Kind::Missing;
    });
    return names;
}

bool Conversion::hasNoQConfig(NodeId id) const {
    const auto found = m_prepared.state.qconfigs.find(m_model.graph.node(id).name());
    return found != m_prepared.state.qconfigs.end() && !found->second.qconfig;
}

/// torch.ao `_insert_dequantize_node`: behind an input that the caller quantises, or a standalone module that returns a
/// quantised value.
void Conversion::dequantizeAfter(NodeId id) {
    graph().setInsertPoint({InsertPoint::Side::After, id});
    const NodeId made = graph().createNode(Op::CallMethod, "dequantize", {id});
    graph().setInsertPoint({});
    graph().replaceAllUses(id, made, [&](NodeId user) { return user == made; });
}

/// torch.ao `_maybe_recursive_remove_dequantize` for the results that stay quantised.
void Conversion::keepOutputsQuantized(NodeId id) {
    const std::vector<std::int64_t>& kept = m_prepared.state.custom.quantizedOutputs;
    if (kept.empty() || node(id).args().empty()) return;
    const Argument result = node(id).args()[0];
    std::unordered_map<NodeId, NodeId> quantized;
    const auto keep = [&](const Argument& value) {
        mapNodes(value, [&](NodeId each) {
            const NodeId found = dequantizeOf(graph(), Argument(each));
            if (found != kNoNode && node(found).args()[0].isNode()) quantized[each] = node(found).args()[0].node();
            return Argument(each);
        });
    };
    if (const auto* list = result.as<Sequence>()) {
        const auto count = static_cast<std::int64_t>(list->items.size());
        for (const std::int64_t number : kept) {
            if (number < -count || number >= count)
                throw Error(ErrorKind::Refused, Message("quant.output_number", {{"number", number}, {"count", count}}))
                    .onNode(node(id).name());
            keep(list->items[static_cast<std::size_t>(number < 0 ? number + count : number)]);
        }
    } else if (std::find(kept.begin(), kept.end(), 0) != kept.end()) {
        keep(result);
    }
    if (quantized.empty()) return;
    const auto replaced = [&](NodeId each) {
        const auto found = quantized.find(each);
        return Argument(found == quantized.end() ? each : found->second);
    };
    graph().setArgs(id, {mapNodes(result, replaced)});
}

/// torch.ao `_replace_observer_with_quantize_dequantize_node`.
void Conversion::convertObserver(NodeId id, const std::shared_ptr<Module>& observer) {
    const ObserverTraits traits = traitsOf(*observer);
    const NodeId observed = node(id).args()[0].node();
    const bool skip = hasNoQConfig(observed) && std::all_of(node(id).users().begin(), node(id).users().end(),
                                                            [&](NodeId user) { return hasNoQConfig(user); });
    const bool isStatic = isQuantizedDType(traits.dtype) && !traits.isDynamic;
    if (skip || (!isStatic && !traits.isDynamic && traits.dtype != "torch.float16")) {
        graph().replaceAllUses(id, observed);
        graph().erase(id);
        return;
    }
    if (traits.isDynamic) {
        const bool reduce = m_options.engine == Backend::Fbgemm || m_options.engine == Backend::X86;
        replaceBy(id, callBefore(graph(), id, "torch.quantize_per_tensor_dynamic",
                                 {observed, Argument::dtype(traits.dtype), reduce}));
    } else if (traits.dtype == "torch.float16") {
        graph().setInsertPoint({InsertPoint::Side::Before, id});
        const NodeId made = graph().createNode(Op::CallMethod, "to", {observed, Argument::dtype(traits.dtype)});
        graph().setInsertPoint({});
        replaceBy(id, made);
    } else if (isOneOf(traits.dtype,
                       {"torch.quint8", "torch.qint8", "torch.qint32", "torch.float8_e5m2", "torch.float8_e4m3fn"})) {
        quantizeStatically(id, observer, traits);
    }
}

void Conversion::replaceBy(NodeId observer, NodeId quantized) {
    graph().setInsertPoint({InsertPoint::Side::Before, observer});
    const NodeId made = graph().createNode(Op::CallMethod, "dequantize", {quantized});
    graph().setInsertPoint({});
    graph().replaceAllUses(observer, made);
    graph().erase(observer);
}

void Conversion::quantizeStatically(NodeId id, const std::shared_ptr<Module>& observer, const ObserverTraits& traits) {
    const NodeId observed = node(id).args()[0].node();
    if (traits.kind == ObserverKind::Recording)
        throw Error(ErrorKind::Refused, Message("quant.recording")).onNode(node(observed).name());
    const std::string prefix = attributePrefix(id);
    PendingBuffer pending;
    pending.scale = m_names.make(prefix + "_scale_");
    pending.observer = observer, pending.perChannel = traits.isPerChannel();
    if (const std::size_t uses = weightUses(id)) {
        pending.weight = weightOf(id);
        pending.times = uses;
    }
    graph().setInsertPoint({InsertPoint::Side::Before, id});
    const NodeId scale = graph().createNode(Op::GetAttr, pending.scale);
    pending.zeroPoint = m_names.make(prefix + "_zero_point_");
    const NodeId zeroPoint = graph().createNode(Op::GetAttr, pending.zeroPoint);
    graph().setInsertPoint({});
    std::vector<Argument> args{observed, scale, zeroPoint};
    if (pending.perChannel) args.emplace_back(traits.axis);
    args.push_back(Argument::dtype(traits.dtype));
    const bool perChannel = pending.perChannel;
    m_buffers.push_back(std::move(pending));
    replaceBy(id, callBefore(graph(), id, perChannel ? "torch.quantize_per_channel" : "torch.quantize_per_tensor",
                             std::move(args)));
}

/// torch.ao `_get_module_path_and_prefix`: the module of the observed node, or of the first user where only that is
/// quantised, and then `_input`.
std::string Conversion::attributePrefix(NodeId id) {
    NodeId from = node(id).args()[0].node();
    const bool isInput = hasNoQConfig(from);
    if (isInput) {
        from = node(id).users().empty() ? kNoNode : *node(id).users().begin();
        for (const NodeId user : node(id).users())
            if (isCallOf(node(user), kLinear)) {
                from = user;
                break;
            }
    }
    const auto scope =
        from == kNoNode ? m_prepared.state.scopes.end() : m_prepared.state.scopes.find(node(from).name());
    return (scope == m_prepared.state.scopes.end() ? std::string() : scope->second.path) + (isInput ? "_input" : "");
}

/// What an observer of a weight sees; null without an engine if it is computed.
TensorPtr Conversion::weightOf(NodeId observer) {
    const NodeId observed = m_prepared.model.graph.node(observer).args()[0].node();
    const Node& weight = m_prepared.model.graph.node(observed);
    if (weight.op() != Op::GetAttr)
        return m_engine ? constantValue(m_prepared.model, observed, *m_engine) : TensorPtr();
    const TensorPtr tensor = m_paths.resolve(weight.target()).tensor;
    if (tensor) refuseUninitialized(*tensor, weight.target());
    return tensor;
}

/// How many calls take what the observer sees as their weight, which is no input of the model: torch.ao runs such
/// observers when it converts, once for each call.
std::size_t Conversion::weightUses(NodeId observer) {
    if (!m_constants.contains(observer)) return 0;
    std::size_t uses = 0;
    for (const NodeId user : node(observer).users()) {
        const Node& call = node(user);
        const PatternConfig* config =
            call.op() == Op::CallFunction
                ? m_backend.single(BackendConfig::headKey(Pattern::Kind::Function, call.target()))
                : nullptr;
        TargetInfo info;
        if (config) info.weightIndex = config->weightIndex;
        if (config && TargetDTypes::isWeight(call, observer, info)) ++uses;
    }
    return uses;
}

/// torch.ao `_is_qconfig_supported_by_dtype_configs`.
bool Conversion::isSupported(const QConfig& qconfig, const Module& module) const {
    const PatternConfig* config =
        m_backend.single(BackendConfig::headKey(Pattern::Kind::Module, module.qualifiedType()));
    if (!config) return false;
    const ObserverTraits activation = traitsOf(*qconfig.activation), weight = traitsOf(*qconfig.weight);
    const auto orFloat = [](const std::string& dtype) { return dtype.empty() ? std::string("torch.float32") : dtype; };
    const bool isHalf = activation.dtype == "torch.float16" && weight.dtype == "torch.float16";
    for (const DTypeConfig& each : config->dtypes) {
        const std::string bias = isHalf && !each.isDynamic ? "torch.float16" : "torch.float32";
        const bool common = orFloat(each.input.dtype) == activation.dtype && orFloat(each.weight.dtype) == weight.dtype;
        if (!common) continue;
        if (each.isDynamic) {
            if (activation.isDynamic && orFloat(each.output.dtype) == "torch.float32") return true;
        } else if (orFloat(each.output.dtype) == activation.dtype && orFloat(each.bias) == bias) {
            return true;
        }
    }
    return false;
}

/// torch.ao `convert_standalone_module`.
void Conversion::convertStandalone(NodeId id, const Module& module, const PreparedState& state) {
    const std::vector<Argument> args = node(id).args();
    for (const std::int64_t place : state.custom.quantizedInputs) {
        if (place < 0 || static_cast<std::size_t>(place) >= args.size()) continue;
        const NodeId dequantize = dequantizeOf(graph(), args[static_cast<std::size_t>(place)]);
        if (dequantize == kNoNode) continue;
        graph().replaceInput(id, dequantize, node(dequantize).args()[0].node());
        if (node(dequantize).users().empty()) graph().erase(dequantize);
    }
    if (!state.custom.quantizedOutputs.empty()) dequantizeAfter(id);
    const std::string& path = node(id).target();
    PreparedModel inner{standaloneGraph(module, path), state, {}, {}, {}};
    inner.state.backend = &m_backend; // as in torch.ao, whatever it was prepared for
    m_replaced.insert_or_assign(path, asChild(convert(inner, m_options, m_engine)));
}

/// torch.ao `convert_weighted_module`.
void Conversion::convertLayer(NodeId id, const std::shared_ptr<Module>& original) {
    const std::string path = node(id).target();
    const std::string type = original->qualifiedType();
    const bool isQat = m_backend.isQatModule(type), isFused = m_backend.isFusedModule(type);
    if (!isQat && !isFused && !m_backend.isRootModule(type)) return;
    if (isFused && !isQat &&
        (original->children.empty() || !m_backend.isRootModule(original->children.front().module->qualifiedType())))
        return;
    std::shared_ptr<Module> module = original, weightObserver;
    if (isQat) {
        for (const auto& child : original->children)
            if (child.name == "weight_fake_quant") weightObserver = child.module;
        module = floatOfQat(*original, path);
        m_replaced.try_emplace(path, module);
    }
    const auto own = m_prepared.state.moduleQConfigs.find(path);
    const QConfigPtr qconfig = own == m_prepared.state.moduleQConfigs.end() ? nullptr : own->second;
    if (!qconfig || hasNoQConfig(id) || !m_prepared.state.observed.contains(node(id).name())) return;
    if (!isSupported(*qconfig, *module) || !isWeightDType(traitsOf(*qconfig->weight).dtype)) return;
    const bool hasParts = m_backend.isFusedModule(module->qualifiedType()) && !module->children.empty();
    const Module& layer = hasParts ? *module->children.front().module : *module;
    for (const auto& slot : layer.parameters) {
        if (!slot.tensor || slot.tensor->dtype == DType::Float32 || !slot.name.starts_with("weight")) continue;
        refuseUninitialized(*slot.tensor, path + "." + slot.name);
        throw Error(ErrorKind::Refused, Message("quant.weight_dtype", {{"dtype", dtypeName(slot.tensor->dtype)}}))
            .onNode(node(id).name())
            .onModule(path);
    }
    const std::shared_ptr<Module> reference = m_references.make(layer, *qconfig, weightObserver, path);
    if (!reference)
        throw Error(ErrorKind::Refused, Message("quant.no_reference", {{"module", layer.className}})).onModule(path);
    if (!hasParts) {
        m_replaced.insert_or_assign(path, reference);
        return;
    }
    auto fused = std::make_shared<Module>(*module);
    fused->children.front().module = reference;
    m_replaced.insert_or_assign(path, std::move(fused));
}

/// Gives the root the scales and zero points, all computed at once.
void Conversion::fillBuffers() {
    std::vector<std::shared_ptr<const Module>> observers;
    std::vector<WeightJob> weights;
    for (const PendingBuffer& each : m_buffers)
        if (each.weight)
            weights.push_back(
                {each.observer, each.weight, each.times, each.scale.substr(0, each.scale.rfind("_scale_"))});
        else observers.push_back(each.observer);
    std::vector<QParams> activations, ofWeights;
    if (m_engine && !observers.empty()) activations = m_engine->qparams(observers);
    if (m_engine && !weights.empty()) ofWeights = m_engine->observe(weights);
    std::size_t activation = 0, weight = 0;
    for (const PendingBuffer& each : m_buffers) {
        QParams found = plainQParams(traitsOf(*each.observer), each.weight);
        if (m_engine) found = each.weight ? ofWeights.at(weight++) : activations.at(activation++);
        if (!each.perChannel) { // Python's float(scale) and int(zero_point), as tensors again
            found.scale = floatTensor({elementValues(*found.scale).at(0)}, {});
            found.zeroPoint =
                intTensor({static_cast<std::int64_t>(elementValues(*found.zeroPoint).at(0))}, {}, DType::Int64);
        }
        m_root->buffers.push_back({each.scale, found.scale, true});
        m_root->buffers.push_back({each.zeroPoint, found.zeroPoint, true});
    }
}

GraphModule convert(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine) {
    return Conversion(prepared, options, engine).run();
}

} // namespace fx::quant

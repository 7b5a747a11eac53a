// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/call_signature.h"

#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"
#include "core/trace/value_source.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace fx {
namespace {

constexpr std::string_view kOps = "torch.ops.";

std::optional<CallSignature> fromParameters(const std::vector<ops::Parameter>& parameters) {
    CallSignature signature;
    for (const auto& parameter : parameters) {
        const bool keywordOnly = parameter.kind == ops::Parameter::Kind::KeywordOnly;
        if (!keywordOnly && parameter.kind != ops::Parameter::Kind::PositionalOrKeyword) return std::nullopt;
        const auto byDefault =
            parameter.defaultValue.empty() ? std::nullopt : std::optional<std::string>(parameter.defaultValue);
        signature.parameters.push_back({std::string(parameter.name), byDefault, keywordOnly});
    }
    return signature;
}

std::optional<CallSignature> fromSchema(const ops::Operator& op, std::string_view selfName) {
    CallSignature signature;
    for (const ops::Argument argument : op.arguments()) {
        if (argument.name() == "from") return std::nullopt; // a keyword of Python
        const auto byDefault =
            argument.hasDefault() ? std::optional<std::string>(argument.defaultValue()) : std::nullopt;
        signature.parameters.push_back(
            {std::string(argument.name() == "self" ? selfName : argument.name()), byDefault, argument.isKeywordOnly()});
    }
    return signature;
}

bool binds(const CallSignature& signature, const Node& node) {
    const auto& parameters = signature.parameters;
    if (node.args().size() > parameters.size()) return false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool byPlace = i < node.args().size();
        const bool byName = std::any_of(node.kwargs().begin(), node.kwargs().end(),
                                        [&](const auto& item) { return item.first == parameters[i].name; });
        if (byPlace && (byName || parameters[i].keywordOnly)) return false;
        if (!byPlace && !byName && !parameters[i].defaultValue) return false;
    }
    return std::all_of(node.kwargs().begin(), node.kwargs().end(), [&](const auto& item) {
        return std::any_of(parameters.begin(), parameters.end(),
                           [&](const auto& parameter) { return parameter.name == item.first; });
    });
}

/// The only overload that takes the arguments.
std::optional<CallSignature> onlyFitting(const std::vector<ops::Operator>& overloads, const Node& node,
                                         std::string_view selfName) {
    std::optional<CallSignature> found;
    for (const ops::Operator& op : overloads) {
        auto signature = fromSchema(op, selfName);
        if (!signature) return std::nullopt;
        if (!binds(*signature, node)) continue;
        if (found) return std::nullopt;
        found = std::move(signature);
    }
    return found;
}

/// `torch.jit._builtins`: the operator behind a C function of torch.
std::string operatorBehind(std::string_view qualifiedName) {
    constexpr std::array kModules = {
        "torch._C._nn.",      "torch._C._fft.", "torch._C._linalg.", "torch._C._nested.", "torch._C._sparse.",
        "torch._C._special.", "torch."};
    for (const std::string_view module : kModules) {
        if (!qualifiedName.starts_with(module)) continue;
        const std::string_view name = qualifiedName.substr(module.size());
        return name.find('.') == std::string_view::npos ? "aten::" + std::string(name) : std::string();
    }
    return {};
}

std::optional<CallSignature> ofFunction(const Node& node) {
    const std::string& target = node.target();
    if (target.starts_with(kOps)) {
        const bool overload = node.callable()->kind == Callable::Kind::OpOverload;
        if (!overload) return onlyFitting(ops::overloads(target), node, "self");
        const auto op = ops::findOperator(target);
        return op ? fromSchema(*op, "self") : std::nullopt;
    }
    const auto known = ops::findFunction(target);
    if (!known) return std::nullopt;
    if (target == "torch.nonzero") return CallSignature{{{"self", std::nullopt, false}}}; // an override of torch.fx
    if (known->kind() == ops::PythonFunction::Kind::CFunction) {
        const std::string name = operatorBehind(target);
        return name.empty() ? std::nullopt : onlyFitting(ops::overloads(name), node, "input");
    }
    if (known->kind() != ops::PythonFunction::Kind::Function) return std::nullopt;
    if (known->path().starts_with("torch.functional.unique"))
        return std::nullopt; // two dispatches in one another, which take *args
    if (known->behaviour() != ops::PythonFunction::Behaviour::Select) return fromParameters(known->parameters());
    const auto branch = ops::findFunction(known->branches().ifTrue);
    return branch ? fromParameters(branch->parameters()) : std::nullopt;
}

/// `forward` of classes of torch.nn that take more than `input`.
const std::unordered_map<std::string_view, std::string_view>& forwardParameters() {
    static const std::unordered_map<std::string_view, std::string_view> kForward = [] {
        std::unordered_map<std::string_view, std::string_view> all;
        const auto add = [&](std::string_view parameters, std::initializer_list<std::string_view> classes) {
            for (const auto name : classes) all.emplace(name, parameters);
        };
        add("*input", {"Container", "Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "RNNBase",
                       "RNNCellBase", "DataParallel"});
        add("input, target",
            {"BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss",
             "L1Loss", "LinearCrossEntropyLoss", "MSELoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss",
             "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "SmoothL1Loss", "SoftMarginLoss"});
        add("input_, target_", {"AdaptiveLogSoftmaxWithLoss"});
        add("input1, input2", {"Bilinear"});
        add("log_probs, targets, input_lengths, target_lengths", {"CTCLoss"});
        add("input, output_size=None", {"ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConvTranspose1d",
                                        "LazyConvTranspose2d", "LazyConvTranspose3d"});
        add("input1, input2, target", {"CosineEmbeddingLoss", "MarginRankingLoss"});
        add("x1, x2", {"CosineSimilarity", "PairwiseDistance"});
        add("input, offsets=None, per_sample_weights=None", {"EmbeddingBag"});
        add("input, hx=None", {"GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell"});
        add("input, target, var", {"GaussianNLLLoss"});
        add("input, indices, output_size=None", {"MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"});
        add("query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, "
            "is_causal=False",
            {"MultiheadAttention"});
        add("log_input, target", {"PoissonNLLLoss"});
        add("x", {"RMSNorm"});
        add("src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
            "tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None, "
            "memory_is_causal=False",
            {"Transformer"});
        add("tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, "
            "tgt_is_causal=None, memory_is_causal=False",
            {"TransformerDecoder"});
        add("tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, "
            "tgt_is_causal=False, memory_is_causal=False",
            {"TransformerDecoderLayer"});
        add("src, mask=None, src_key_padding_mask=None, is_causal=None", {"TransformerEncoder"});
        add("src, src_mask=None, src_key_padding_mask=None, is_causal=False", {"TransformerEncoderLayer"});
        add("anchor, positive, negative", {"TripletMarginLoss", "TripletMarginWithDistanceLoss"});
        return all;
    }();
    return kForward;
}

std::optional<CallSignature> ofModule(PathResolver& paths, const Node& node) {
    const Module* module = paths.resolve(node.target()).module;
    const auto known = module ? ops::findModule("torch.nn." + module->className) : std::nullopt;
    if (!known || known->path() != module->qualifiedType() || module->graphModule) return std::nullopt;
    const auto special = forwardParameters().find(module->className);
    return fromParameters(ops::parseParameters(special == forwardParameters().end() ? "input" : special->second));
}

} // namespace

std::optional<CallSignature> callSignature(PathResolver& paths, const Node& node) {
    if (node.op() == Op::CallFunction) return ofFunction(node);
    return node.op() == Op::CallModule ? ofModule(paths, node) : std::nullopt;
}

std::vector<ops::Operator> ambiguousOverloads(const Node& node) {
    if (node.op() != Op::CallFunction) return {};
    const bool isPacket = node.target().starts_with(kOps);
    if (isPacket && node.callable()->kind == Callable::Kind::OpOverload) return {};
    std::string name = node.target();
    if (!isPacket) {
        const auto known = ops::findFunction(name);
        if (!known || known->kind() != ops::PythonFunction::Kind::CFunction || name == "torch.nonzero") return {};
        name = operatorBehind(name);
    }
    std::vector<ops::Operator> fitting;
    for (const ops::Operator& op : ops::overloads(name)) {
        const auto signature = fromSchema(op, "input");
        if (!signature) return {};
        if (binds(*signature, node)) fitting.push_back(op);
    }
    if (fitting.size() < 2) return {};
    const auto key = [&](const ops::Operator& op) { return std::pair(isPacket && op.isScriptOnly(), op.registered()); };
    std::stable_sort(fitting.begin(), fitting.end(),
                     [&](const ops::Operator& a, const ops::Operator& b) { return key(a) < key(b); });
    return fitting;
}

std::optional<Kwargs> bindArguments(const CallSignature& signature, const Node& node) {
    if (!binds(signature, node)) return std::nullopt;
    Kwargs bound;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const auto& parameter = signature.parameters[i];
        const Argument* given = node.argument(i, parameter.name);
        bound.emplace_back(parameter.name, given ? *given : valueFromSource(*parameter.defaultValue));
    }
    return bound;
}

} // namespace fx

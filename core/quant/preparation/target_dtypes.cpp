// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/target_dtypes.h"

#include "core/diag/error.h"

#include <algorithm>

namespace fx::quant {
namespace {

ObserverPtr placeholderFor(std::string_view dtype) {
    return std::make_shared<ObserverSpec>(
        ObserverSpec{std::string(observerType(ObserverKind::Placeholder)), {{"dtype", Argument::dtype(dtype)}}, {}});
}

/// Which arguments of a method are known not to be float tensors: torch.ao `NON_OBSERVABLE_ARG_DICT`.
std::pair<std::size_t, std::size_t> plainArguments(const Node& node) {
    if (node.op() != Op::CallMethod) return {0, 0};
    const std::string& name = node.target();
    for (const std::string_view all : {"permute", "repeat", "reshape", "transpose", "view"})
        if (name == all) return {1, node.args().size()};
    const std::size_t count = node.args().size();
    if (name == "masked_fill") return {std::min<std::size_t>(1, count), std::min<std::size_t>(3, count)};
    if (name == "size" || name == "unsqueeze" || name == "unsqueeze_")
        return {std::min<std::size_t>(1, count), std::min<std::size_t>(2, count)};
    return {0, 0};
}

} // namespace

const ObserverTraits& KnownTraits::of(const ObserverPtr& spec) {
    if (!spec) {
        m_none.dtype.clear();
        return m_none;
    }
    const auto [known, isNew] = m_known.try_emplace(spec.get(), spec, ObserverTraits());
    if (isNew) known->second.second = traitsOf(*spec);
    return known->second.second;
}

const ObserverPtr& TargetDTypes::floatPlaceholder() {
    static const ObserverPtr kSpec = placeholderFor("torch.float32");
    return kSpec;
}

TargetDTypes::TargetDTypes(const NodeHeads& heads, const BackendConfig& backend, const PatternMatches& matches,
                           const std::unordered_map<std::string, NodeQConfig>& qconfigs, const CustomConfig& custom)
    : m_heads(heads), m_backend(backend), m_matches(matches), m_qconfigs(qconfigs) {
    const ObserverPtr& plain = floatPlaceholder();
    m_infos.resize(heads.graph().idLimit(), TargetInfo{plain, plain, plain, plain, {}, {}, false, false});
    setAll();
    setGiven(custom);
    propagateKnown();
    resetUnsupported();
}

const QConfigPtr& TargetDTypes::qconfigOf(NodeId id) const {
    static const QConfigPtr kNone;
    const auto found = m_qconfigs.find(m_heads.graph().node(id).name());
    return found == m_qconfigs.end() ? kNone : found->second.qconfig;
}

/// torch.ao `_get_target_activation_dtype_for_node`.
TargetInfo TargetDTypes::infoFor(const Node& node, const QConfig& qconfig, bool sharesInput) {
    static const ObserverPtr kHalf = placeholderFor("torch.float16");
    const ObserverPtr& plain = floatPlaceholder();
    if (m_heads.hasNoTensors(node.id())) return {nullptr, nullptr, plain, plain, {}, {}, false, false};
    const ObserverTraits &activation = m_traits.of(qconfig.activation), &weight = m_traits.of(qconfig.weight);
    TargetInfo info;
    info.input = info.output = qconfig.activation;
    info.weight = qconfig.weight;
    const bool isHalf = activation.dtype == "torch.float16" && weight.dtype == "torch.float16" && !activation.isDynamic;
    info.bias = isHalf ? kHalf : plain;
    if (node.op() == Op::CallFunction)
        if (const PatternConfig* single = m_backend.single(m_heads.key(node.id())))
            info.weightIndex = single->weightIndex, info.biasIndex = single->biasIndex;
    info.reusesInput = activation.kind == ObserverKind::ReuseInput && weight.kind == ObserverKind::Noop;
    info.sharesInput = sharesInput;
    return info;
}

void TargetDTypes::setAll() {
    std::vector<bool> done(m_infos.size());
    for (const auto& [id, number] : m_matches.entries) {
        const PatternMatch& match = m_matches.matches[number];
        const QConfigPtr& qconfig = qconfigOf(id);
        match.matched.forEachNode([&](NodeId node) {
            if (done[index(node)]) return;
            done[index(node)] = true;
            if (qconfig)
                m_infos[index(node)] =
                    infoFor(m_heads.graph().node(node), *qconfig, match.observation == Observation::ShareInput);
        });
    }
    for (const Node& node : m_heads.graph().nodes())
        if (node.isCall() && m_heads.hasNoTensors(node.id()))
            m_infos[index(node.id())] = {nullptr, nullptr, floatPlaceholder(), floatPlaceholder(), {}, {},
                                         false,   false};
}

/// Inputs and the output that are quantised outside of the model. A graph has one output, the number 0.
void TargetDTypes::setGiven(const CustomConfig& custom) {
    static const ObserverPtr kQuantized = placeholderFor("torch.quint8");
    const auto isIn = [](const std::vector<std::int64_t>& numbers, std::int64_t number) {
        return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    };
    std::int64_t inputs = 0;
    for (const Node& node : m_heads.graph().nodes()) {
        const bool isGiven = node.op() == Op::Placeholder ? isIn(custom.quantizedInputs, inputs++)
                                                          : node.op() == Op::Output && isIn(custom.quantizedOutputs, 0);
        if (isGiven) m_infos[index(node.id())].input = m_infos[index(node.id())].output = kQuantized;
    }
}

/// Arguments that are known to be integers or masks are not observed, nor what they are copies of.
void TargetDTypes::propagateKnown() {
    for (const Node& node : m_heads.graph().nodes()) {
        const auto [first, last] = plainArguments(node);
        for (std::size_t i = first; i < last; ++i) {
            const Argument& arg = node.args()[i];
            if (arg.isNode()) propagate(arg.node());
            else if (const auto* list = arg.as<Sequence>())
                for (const Argument& item : list->items)
                    if (item.isNode()) propagate(item.node());
        }
    }
}

void TargetDTypes::propagate(NodeId id) {
    while (true) {
        m_infos[index(id)].input = m_infos[index(id)].output = nullptr;
        const PatternMatch* match = m_matches.of(id);
        const Node& node = m_heads.graph().node(id);
        if (!match || match->observation != Observation::ShareInput || node.args().empty() || !node.args()[0].isNode())
            return;
        id = node.args()[0].node();
    }
}

void TargetDTypes::resetUnsupported() {
    std::vector<bool> done(m_infos.size());
    static const QConfig kFloat{floatPlaceholder(), floatPlaceholder()};
    for (const auto& [id, number] : m_matches.entries) {
        const PatternMatch& match = m_matches.matches[number];
        if (isSupported(match, qconfigOf(id))) continue;
        match.matched.forEachNode([&](NodeId node) {
            if (done[index(node)]) return;
            done[index(node)] = true;
            m_infos[index(node)] = infoFor(m_heads.graph().node(node), kFloat, false);
        });
    }
}

bool TargetDTypes::isWeight(const Node& node, NodeId arg, const TargetInfo& info) {
    const auto place = static_cast<std::size_t>(info.weightIndex.value_or(-1));
    if (info.weightIndex && place < node.args().size() && node.args()[place] == Argument(arg)) return true;
    return std::any_of(node.kwargs().begin(), node.kwargs().end(),
                       [&](const auto& each) { return each.first == "weight" && each.second == Argument(arg); });
}

bool TargetDTypes::isBias(const Node& node, NodeId arg, const TargetInfo& info) {
    const auto place = static_cast<std::size_t>(info.biasIndex.value_or(-1));
    if (info.biasIndex && place < node.args().size() && node.args()[place] == Argument(arg)) return true;
    return std::any_of(node.kwargs().begin(), node.kwargs().end(),
                       [&](const auto& each) { return each.first == "bias" && each.second == Argument(arg); });
}

} // namespace fx::quant

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/observer_insertion.h"

#include "core/diag/error.h"
#include "core/module/copy_modules.h"

#include <algorithm>
#include <array>

namespace fx::quant {
namespace {

constexpr std::array<std::string_view, 10> kObserved{
    "torch.quint8", "torch.qint8", "torch.qint32", "torch.float16",     "torch.uint8",
    "torch.int8",   "torch.int16", "torch.int32",  "torch.float8_e5m2", "torch.float8_e4m3fn"};

bool isObservedDType(std::string_view dtype) {
    return std::find(kObserved.begin(), kObserved.end(), dtype) != kObserved.end();
}

/// torch.ao `_needs_obs_or_fq`.
bool needsObserver(const std::string& before, const ObserverTraits& wanted, bool reusesInput, bool isFirstArgument) {
    if (wanted.isDynamic) return isFirstArgument && isObservedDType(wanted.dtype);
    if (reusesInput || !isObservedDType(wanted.dtype)) return false;
    return (isObservedDType(before) || before == "torch.float32") && wanted.dtype != before;
}

} // namespace

ObserverInsertion::ObserverInsertion(GraphModule& model, TargetDTypes& targets, const PatternMatches& matches,
                                     PreparedModel& result)
    : m_model(model), m_targets(targets), m_matches(matches), m_result(result) {
    const Module& root = *model.root;
    for (const auto& child : root.children) m_taken.insert(child.name);
    for (const auto& slot : root.parameters) m_taken.insert(slot.name);
    for (const auto& slot : root.buffers) m_taken.insert(slot.name);
    for (const auto& attribute : root.attributes) m_taken.insert(attribute.first);
}

void ObserverInsertion::run() {
    for (const NodeId id : graph().order()) visit(id);
    finish();
}

void ObserverInsertion::visit(NodeId id) {
    if (node(id).op() == Op::Output) return observeGraphOutput(id);
    if (!node(id).isCall()) return;
    const auto rule = m_result.state.qconfigs.find(node(id).name());
    const NodeQConfig known = rule == m_result.state.qconfigs.end() ? NodeQConfig() : rule->second;
    const PatternMatch* match = m_matches.of(id);
    using Reason = Unquantised::Reason;
    if (!match || !known.qconfig || !m_targets.isSupported(*match, known.qconfig)) {
        const Reason reason = !match ? Reason::NoPattern : !known.qconfig ? Reason::NoQConfig : Reason::NotSupported;
        m_result.unquantised.push_back({node(id).name(), reason, known, match ? match->config : nullptr});
        return;
    }
    if (reusesInputOnly(id)) {
        m_result.unquantised.push_back({node(id).name(), Reason::ReusesInput, known, match->config});
        m_result.warnings.push_back({Message("quant.reuses_input"), node(id).name(), {}, {}});
    }
    std::vector<std::string> names;
    match->matched.forEachNode([&](NodeId each) { names.push_back(node(each).name()); });
    m_result.state.observed.insert(names.begin(), names.end());
    if (names.size() > 1) m_result.state.patterns.emplace(node(id).name(), std::move(names));
    if (id == match->root) observeInputs(id);
    if (id == match->lastNode && !match->standalone) observeOutput(id, *match);
}

/// Whether a layer has weights, and a QConfig that says nothing of them but that the input's observer is shared:
/// torch.ao inserts observers as for a call without weights, and converts nothing.
bool ObserverInsertion::reusesInputOnly(NodeId id) {
    if (!m_targets.knows(id) || !m_targets.of(id).reusesInput) return false;
    if (node(id).op() == Op::CallFunction) return m_targets.of(id).weightIndex.has_value();
    if (node(id).op() != Op::CallModule) return false;
    const Module* module = resolvePath(*m_model.root, node(id).target()).module;
    if (!module) return false;
    return !module->parameters.empty() ||
           std::any_of(module->children.begin(), module->children.end(),
                       [](const Module::Child& child) { return child.module && !child.module->parameters.empty(); });
}

/// torch.ao `_get_output_act_obs_or_fq`: what a value is in the quantised graph, seen through its observer.
const ObserverTraits& ObserverInsertion::outputTraits(NodeId arg) {
    if (isObserverNode(arg)) arg = node(arg).args()[0].node();
    const ObserverPtr& spec = m_targets.knows(arg) ? m_targets.of(arg).output : TargetDTypes::floatPlaceholder();
    return m_targets.traits().of(spec);
}

NodeId ObserverInsertion::insert(NodeId after, const ObserverPtr& spec, NodeId cause, Placement::Role role) {
    std::string name;
    do name = "activation_post_process_" + std::to_string(m_number++);
    while (m_taken.contains(name));
    graph().setInsertPoint({InsertPoint::Side::After, after});
    const NodeId made = graph().createNode(Op::CallModule, name, {after});
    graph().setInsertPoint({});
    if (index(made) >= m_instanceOf.size()) m_instanceOf.resize(index(made) + 1, -1);
    m_instanceOf[index(made)] = static_cast<std::int64_t>(m_instances.size());
    m_instances.push_back({spec, name, {}});
    Placement placement;
    placement.observer = name, placement.observed = node(after).name(), placement.cause = node(cause).name();
    placement.role = role, placement.spec = spec;
    if (const PatternMatch* match = m_matches.of(cause)) placement.pattern = match->config->pattern.text();
    const auto rule = m_result.state.qconfigs.find(placement.cause);
    if (rule != m_result.state.qconfigs.end()) placement.rule = rule->second;
    m_placementOf[name] = m_result.placements.size();
    m_result.placements.push_back(std::move(placement));
    return made;
}

Argument ObserverInsertion::observedInput(NodeId id, const Argument& arg) {
    if (arg.isNode()) return observedNode(id, arg.node());
    const auto* list = arg.as<Sequence>();
    if (!list) return arg;
    Sequence copy = *list;
    for (Argument& item : copy.items) item = observedInput(id, item);
    return copy;
}

/// torch.ao `_maybe_insert_input_observer_for_arg_or_kwarg`.
Argument ObserverInsertion::observedNode(NodeId id, NodeId arg) {
    const TargetInfo& info = m_targets.of(id);
    const bool isWeight = TargetDTypes::isWeight(node(id), arg, info),
               isBias = !isWeight && TargetDTypes::isBias(node(id), arg, info);
    ObserverPtr wanted = isWeight ? info.weight : isBias ? info.bias : info.input;
    if (isWeight && node(id).op() == Op::CallFunction) // weights that no kernel takes quantised
        for (const std::string_view name :
             {"torch.nn.functional.layer_norm", "torch.nn.functional.group_norm", "torch.nn.functional.instance_norm"})
            if (node(id).target() == name) wanted = nullptr;
    const ObserverTraits& traits = m_targets.traits().of(wanted);
    const bool isFirst = !node(id).args().empty() && node(id).args()[0] == Argument(arg);
    const std::string& before = outputTraits(arg).dtype;
    if (traits.isDynamic && before.empty()) // as torch.ao asserts
        throw Error(ErrorKind::Refused, Message("quant.dynamic_input", {{"input", node(arg).name()}}))
            .onNode(node(id).name());
    if (!needsObserver(before, traits, info.reusesInput, isFirst)) return arg;
    return observedAs(arg, wanted, id, isWeight ? Placement::Role::Weight : Placement::Role::Input);
}

/// The value behind an observer of this kind: one that is there already, or a new one.
NodeId ObserverInsertion::observedAs(NodeId arg, const ObserverPtr& wanted, NodeId cause, Placement::Role role) {
    const ObserverTraits& traits = m_targets.traits().of(wanted);
    for (const NodeId user : node(arg).users()) {
        if (!isObserverNode(user)) continue;
        const ObserverPtr& other = m_instances[static_cast<std::size_t>(m_instanceOf[index(user)])].spec;
        const ObserverTraits& theirs = m_targets.traits().of(other);
        if (theirs.kind == traits.kind && theirs.dtype == traits.dtype) return user;
    }
    return insert(arg, wanted, cause, role);
}

/// A standalone module observes its own inputs, but for those that it is said to get quantised.
Argument ObserverInsertion::standaloneInput(NodeId id, const Argument& arg) {
    if (!arg.isNode()) return arg;
    const auto& args = node(id).args();
    const auto place = std::find(args.begin(), args.end(), arg);
    const std::vector<std::int64_t>& quantized = m_matches.of(id)->standalone->custom->quantizedInputs;
    const bool isQuantized =
        place != args.end() && std::find(quantized.begin(), quantized.end(), place - args.begin()) != quantized.end();
    if (!isQuantized || outputTraits(arg.node()).dtype == "torch.quint8") return arg;
    const ObserverPtr& wanted = m_result.state.qconfigs.at(node(id).name()).qconfig->activation;
    return observedAs(arg.node(), wanted, id, Placement::Role::Input);
}

void ObserverInsertion::observeInputs(NodeId id) {
    const bool isStandalone = m_matches.of(id)->standalone;
    const auto observed = [&](const Argument& arg) {
        return isStandalone ? standaloneInput(id, arg) : observedInput(id, arg);
    };
    std::vector<Argument> args;
    // The node's arguments stay as they are until all are observed.
    for (std::size_t i = 0; i < node(id).args().size(); ++i) args.push_back(observed(Argument(node(id).args()[i])));
    Kwargs kwargs = node(id).kwargs();
    for (auto& each : kwargs) each.second = observed(each.second);
    graph().setArgsKwargs(id, std::move(args), std::move(kwargs));
}

void ObserverInsertion::observeOutput(NodeId id, const PatternMatch&) {
    const TargetInfo& info = m_targets.of(id);
    const ObserverTraits& traits = m_targets.traits().of(info.output);
    if (traits.isDynamic || !needsObserver("torch.float32", traits, false, false)) return;
    const NodeId observer = insert(id, info.output, id, Placement::Role::Output);
    const std::vector<NodeId> users(node(id).users().begin(), node(id).users().end());
    for (const NodeId user : users) {
        if (user != observer) graph().replaceInput(user, id, observer);
    }
    // An input that is assumed to be quantised is observed elsewhere.
    const bool isUnsigned = traits.dtype == "torch.quint8" || traits.dtype == "torch.uint8";
    const auto& args = node(id).args();
    const bool isFromInput =
        !args.empty() && args[0].isNode() && node(args[0].node()).op() == Op::Placeholder && isUnsigned;
    if (((info.sharesInput && !isFromInput) || info.reusesInput) && !shareInputs(id)) removeOutputObserver(id);
}

/// The first observer on the way back from a value, or nothing.
std::optional<NodeId> ObserverInsertion::observerBefore(const Argument& first) {
    Argument at = first;
    for (int guard = 0; at.isNode() && guard <= 10000; ++guard) {
        if (isObserverNode(at.node())) return at.node();
        const Node& here = node(at.node());
        if (here.op() == Op::Placeholder || here.args().empty()) return {};
        const auto next =
            std::find_if(here.args().begin(), here.args().end(), [](const Argument& arg) { return arg.isNode(); });
        if (next == here.args().end()) return {};
        at = Argument(*next);
    }
    return {};
}

/// torch.ao `_maybe_make_input_output_share_observers`.
bool ObserverInsertion::shareInputs(NodeId id) {
    const auto& args = node(id).args();
    const auto first =
        std::find_if(args.begin(), args.end(), [](const Argument& arg) { return arg.isNode() || arg.as<Sequence>(); });
    if (first == args.end()) return false;
    const auto* list = first->as<Sequence>();
    if (list && list->items.empty()) return false;
    const auto from = observerBefore(list ? list->items[0] : *first);
    if (!from) return false;
    const std::int64_t instance = m_instanceOf[index(*from)];
    if (list) {
        for (std::size_t i = 1; i < list->items.size(); ++i) {
            Argument at = list->items[i];
            for (int guard = 0; at.isNode() && !isObserverNode(at.node()); ++guard) {
                if (node(at.node()).args().empty() || guard > 10000) return false;
                at = Argument(node(at.node()).args()[0]);
            }
            if (!at.isNode()) return false;
            m_instanceOf[index(at.node())] = instance;
        }
    }
    for (const NodeId user : node(id).users())
        if (isObserverNode(user)) m_instanceOf[index(user)] = instance;
    return true;
}

void ObserverInsertion::removeOutputObserver(NodeId id) {
    const std::vector<NodeId> users(node(id).users().begin(), node(id).users().end());
    for (const NodeId observer : users) {
        if (!isObserverNode(observer)) continue;
        const auto placement = m_placementOf.find(node(observer).target());
        if (placement != m_placementOf.end()) m_result.placements[placement->second].observer.clear();
        graph().replaceAllUses(observer, id);
        graph().erase(observer);
        m_instanceOf[index(observer)] = -1;
    }
}

Argument ObserverInsertion::observedResult(const Argument& value, NodeId output) {
    if (const auto* list = value.as<Sequence>()) {
        Sequence copy = *list;
        for (Argument& item : copy.items) item = observedResult(item, output);
        return copy;
    }
    if (const auto* dict = value.as<Dict>()) {
        Dict copy = *dict;
        for (auto& item : copy.items) item.second = observedResult(item.second, output);
        return copy;
    }
    if (value.isNone()) return value;
    if (!value.isNode()) throw Error(ErrorKind::Refused, Message("quant.output_kind")).onNode(node(output).name());
    if (isObserverNode(value.node()) || !m_targets.knows(value.node())) return value;
    const ObserverPtr& wanted = m_targets.of(value.node()).input;
    const std::string& dtype = m_targets.traits().of(wanted).dtype;
    if (!wanted || dtype == "torch.float32" || outputTraits(value.node()).dtype == dtype) return value;
    return insert(value.node(), wanted, output, Placement::Role::Input);
}

void ObserverInsertion::observeGraphOutput(NodeId id) {
    std::vector<Argument> args;
    for (std::size_t i = 0; i < node(id).args().size(); ++i)
        args.push_back(observedResult(Argument(node(id).args()[i]), id));
    graph().setArgs(id, std::move(args));
}

/// Gives the root its observers, those that share one instance the same module.
void ObserverInsertion::finish() {
    auto root = std::make_shared<Module>(*m_model.root);
    for (const Node& each : graph().nodes()) {
        if (!isObserverNode(each.id())) continue;
        Instance& instance = m_instances[static_cast<std::size_t>(m_instanceOf[index(each.id())])];
        if (!instance.module) instance.module = makeObserver(m_targets.traits().of(instance.spec));
        root->children.push_back({each.target(), instance.module});
        Placement& placement = m_result.placements[m_placementOf.at(each.target())];
        if (instance.name != each.target()) placement.sharedWith = instance.name;
        placement.spec = instance.spec;
        for (const NodeId user : each.users()) placement.users.push_back(node(user).name());
    }
    std::erase_if(m_result.placements, [](const Placement& each) { return each.observer.empty(); });
    m_model.root = std::move(root);
    const GraphModule from = m_model;
    copyModules(from, m_model);
}

} // namespace fx::quant

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/prepare.h"

#include "core/base/listed.h"
#include "core/diag/error.h"
#include "core/module/module_editor.h"
#include "core/quant/preparation/fuse_modules.h"
#include "core/quant/preparation/observer_insertion.h"
#include "core/quant/preparation/qat_modules.h"
#include "core/quant/preparation/standalone.h"
#include "core/quant/preserved.h"
#include "core/quant/quantised_part.h"

#include <algorithm>
#include <map>
#include <set>

namespace fx::quant {
namespace {

/// A model that has been prepared or converted is not quantised again.
void refuseQuantised(const GraphModule& model) {
    const auto part = quantisedPart(model);
    if (!part) return;
    const Error refused(ErrorKind::Refused, Message("quant.already_quantised"));
    throw part->node.empty() ? Error(refused).onModule(part->modulePath) : Error(refused).onNode(part->node);
}

PreparedModel prepared(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options);

/// torch.ao `_prepare_standalone_module_fx`.
PreparedModel preparedAlone(const Module& module, const std::string& path, const StandaloneModule& entry,
                            const NodeQConfig& rule, const PrepareOptions& outer) {
    PrepareOptions options = outer;
    options.custom = *entry.custom;
    if (entry.backend) options.backend = entry.backend;
    const QConfigMapping mapping = entry.mapping ? *entry.mapping : QConfigMapping().setGlobal(rule.qconfig);
    const std::vector<std::int64_t>& outputs = entry.custom->quantizedOutputs;
    if (!outputs.empty() && outputs.front() != 0)
        throw Error(ErrorKind::Refused, Message("quant.standalone_output")).onModule(path);
    PreparedModel result = prepared(standaloneGraph(module, path), mapping, options);
    const Node& output = result.model.graph.node(result.model.graph.last());
    if (output.args().empty() || !output.args()[0].isNode())
        throw Error(ErrorKind::Refused, Message("quant.standalone_value")).onModule(path);
    return result;
}

/// Prepares the standalone modules of a matched model and puts them into its tree.
void prepareStandalone(const NodeHeads& heads, const PatternMatches& matches, const PrepareOptions& options,
                       PreparedModel& result) {
    ModuleEditor editor(result.model);
    for (const PatternMatch& match : matches.matches) {
        if (!match.standalone) continue;
        const Node& node = heads.graph().node(match.lastNode);
        const std::string& path = node.target();
        PreparedModel alone = preparedAlone(*heads.module(node.id()), path, *match.standalone,
                                            result.state.qconfigs.at(node.name()), options);
        for (Placement& each : alone.placements) {
            for (std::string* name : {&each.observer, &each.observed, &each.cause}) *name = path + "." + *name;
            if (!each.sharedWith.empty()) each.sharedWith = path + "." + each.sharedWith;
            for (std::string& user : each.users) user = path + "." + user;
            result.placements.push_back(std::move(each));
        }
        editor.add(path, asChild(std::move(alone.model)));
        result.state.standalone[path] = std::make_shared<const PreparedState>(std::move(alone.state));
    }
}

/// What a backend has kernels for, for people: "activations of torch.qint8 and weights of torch.qint8, or …".
std::string supportedDTypes(const PatternConfig& pattern) {
    const auto text = [](const DTypeConstraint& each) {
        if (!each.quantMin || !each.quantMax) return each.dtype;
        return each.dtype + " from " + std::to_string(*each.quantMin) + " to " + std::to_string(*each.quantMax);
    };
    std::vector<std::string> known;
    for (const DTypeConfig& each : pattern.dtypes) {
        std::string one = (each.isDynamic ? "dynamic activations of " : "activations of ") + text(each.input);
        if (!each.weight.dtype.empty()) one += " and weights of " + text(each.weight);
        if (!each.input.dtype.empty() && std::find(known.begin(), known.end(), one) == known.end())
            known.push_back(std::move(one));
    }
    return joined(known, ", or ");
}

/// Whether a QConfig quantises activations while the model runs, and the backend has no such kernel for a pattern.
bool lacksDynamicKernel(const PatternConfig* pattern, const QConfig& qconfig) {
    return pattern && qconfig.activation && traitsOf(*qconfig.activation).isDynamic &&
           std::none_of(pattern->dtypes.begin(), pattern->dtypes.end(),
                        [](const DTypeConfig& each) { return each.isDynamic; });
}

/// Rules that have no effect, since the backend lacks their dtypes. torch.ao warns of each node; a rule that reaches
/// others, as the default ones do, is as it should be.
void warnOfUnsupportedRules(PreparedModel& result) {
    using Rule = std::pair<RuleKind, std::string>;
    std::set<Rule> effective;
    for (const Placement& each : result.placements) effective.emplace(each.rule.kind, each.rule.key);
    std::map<Rule, std::vector<const Unquantised*>> without;
    for (const Unquantised& each : result.unquantised)
        if (each.reason == Unquantised::Reason::NotSupported && !effective.contains({each.rule.kind, each.rule.key}))
            without[{each.rule.kind, each.rule.key}].push_back(&each);
    const auto dtype = [](const ObserverPtr& spec) { return spec ? traitsOf(*spec).dtype : std::string("None"); };
    for (const auto& each : without) {
        const std::vector<const Unquantised*>& nodes = each.second;
        const QConfig& qconfig = *nodes.front()->rule.qconfig;
        const PatternConfig* pattern = nodes.front()->pattern;
        if (lacksDynamicKernel(pattern, qconfig)) {
            const Message none("quant.no_dynamic_kernel",
                               {{"count", nodes.size()}, {"pattern", pattern->pattern.text()}});
            result.warnings.push_back({none, nodes.front()->node, {}, {}});
            continue;
        }
        const std::string supported = pattern ? supportedDTypes(*pattern) : "";
        const auto message = [&](MessageCode code) {
            return Message(code, {{"count", nodes.size()},
                                  {"activation", dtype(qconfig.activation)},
                                  {"weight", dtype(qconfig.weight)},
                                  {"supported", supported}});
        };
        result.warnings.push_back(
            {supported.empty() ? message("quant.dtypes_unsupported_here") : message("quant.dtypes_unsupported"),
             nodes.front()->node,
             {},
             {}});
    }
}

PreparedModel prepared(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options) {
    const BackendConfig& backend = options.backend ? *options.backend : *BackendConfig::find("native");
    TracedModel traced = traceForQuantisation(model, options.custom);
    fuseTraced(traced, backend, options.isQat);

    PreparedModel result;
    result.warnings = std::move(traced.warnings);
    result.linearFolds = std::move(traced.linearFolds);
    result.state.backend = &backend, result.state.isQat = options.isQat;
    result.state.mapping = mapping, result.state.custom = options.custom,
    result.state.scopes = std::move(traced.scopes);
    updateForFusion(NodeHeads(traced.model), result.state.mapping);
    result.state.moduleQConfigs = propagated(*traced.model.root, result.state.mapping, options.custom);
    if (options.isQat) {
        swapForQat(traced.model, backend, result.state.moduleQConfigs);
        updateForQat(backend, result.state.mapping);
    }
    const GraphModule before = traced.model; // what the heads and matches refer to
    const NodeHeads heads(before);
    result.state.qconfigs = NodeQConfigs(heads, before, result.state.mapping, result.state.scopes).all();
    for (const Node& node : before.graph.nodes())
        if (node.op() == Op::CallModule) {
            const auto rule = result.state.qconfigs.find(node.name());
            if (rule != result.state.qconfigs.end())
                result.state.moduleQConfigs.insert_or_assign(node.target(), rule->second.qconfig);
        }
    PatternMatches matches = findMatches(heads, backend);
    matchStandalone(heads, options.custom, matches);
    TargetDTypes targets(heads, backend, matches, result.state.qconfigs, options.custom);
    ObserverInsertion(traced.model, targets, matches, result).run();
    result.model = std::move(traced.model);
    if (!options.custom.standalone.empty()) prepareStandalone(heads, matches, options, result);
    preserveAttributes(*model.root, options.custom.preserved, result.model);
    warnOfUnsupportedRules(result);
    return result;
}

} // namespace

PreparedModel prepare(const GraphModule& model, const QConfigMapping& mapping, const PrepareOptions& options) {
    refuseQuantised(model);
    return prepared(model, mapping, options);
}

Warnings linearFoldWarnings(const PreparedModel& prepared, const GraphModule& model, const NodeShapes& shapes) {
    std::unordered_map<std::string_view, const std::vector<ValueInfo>*> values;
    for (const LinearFold& each : prepared.linearFolds)
        if (const NodeId id = model.graph.find(each.layer); id != kNoNode)
            values.emplace(each.layer, &model.graph.node(id).meta().values);
    for (const auto& [name, computed] : shapes.nodes)
        if (const auto known = values.find(name); known != values.end()) known->second = &computed;
    Warnings warnings;
    for (const LinearFold& each : prepared.linearFolds) {
        const auto known = values.find(each.layer);
        const bool isKnown = known != values.end() && known->second->size() == 1 && known->second->front().isTensor &&
                             !known->second->front().dtype.empty();
        if (isKnown && known->second->front().sizes.size() == 2) continue;
        warnings.push_back({Message(isKnown ? MessageCode("quant.norm_axis") : MessageCode("quant.norm_axis_assumed"),
                                    {{"layer", each.layer}, {"norm", each.norm}}),
                            each.norm,
                            {},
                            {}});
    }
    return warnings;
}

} // namespace fx::quant

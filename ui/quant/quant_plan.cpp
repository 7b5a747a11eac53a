// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_plan.h"

#include "core/quant/measure/fitting_qconfigs.h"
#include "core/quant/pt2e/exported_module.h"
#include "core/quant/pt2e/prepare_pt2e.h"
#include "core/quant/quantise.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>

namespace ui {
namespace {

using namespace fx::quant;

struct PlanText {
    Q_DECLARE_TR_FUNCTIONS(ui::QuantPlan)
};

/// "HistogramObserver"
QString shortType(std::string_view type) { return fromCore(type.substr(type.rfind('.') + 1)); }

QString kindText(RuleKind kind) {
    switch (kind) {
    case RuleKind::Global: return PlanText::tr("global");
    case RuleKind::ObjectType: return PlanText::tr("type");
    case RuleKind::Regex: return PlanText::tr("regular expression");
    case RuleKind::ModuleName: return PlanText::tr("module name");
    case RuleKind::Order: return PlanText::tr("call in a module");
    case RuleKind::None: break;
    }
    return PlanText::tr("none");
}

QString ruleText(const NodeQConfig& rule) {
    const QString key = rule.key.empty() ? QString() : u' ' + fromCore(rule.key);
    return kindText(rule.kind) + key + QStringLiteral(": ") + qconfigText(rule.qconfig);
}

QString whyText(const Unquantised& left) {
    switch (left.reason) {
    case Unquantised::Reason::NoPattern: return PlanText::tr("the backend has no quantised form of it");
    case Unquantised::Reason::NoQConfig: return PlanText::tr("left out by %1").arg(ruleText(left.rule));
    case Unquantised::Reason::ReusesInput: return PlanText::tr("its rule only shares the observer of its input");
    case Unquantised::Reason::NotSupported: return PlanText::tr("the backend does not support these dtypes");
    }
    return {};
}

/// Finds nodes of the version by the names that they have after fusion and insertion of observers.
class Places {
public:
    Places(const fx::Graph& shown, const fx::Graph& prepared) : m_shown(shown), m_prepared(prepared) {}
    fx::NodeId find(const std::string& name) const { return m_shown.find(name); }

    /// The node of the version whose value `user` takes: the last of what was fused into `name`.
    fx::NodeId source(const std::string& name, fx::NodeId user) const {
        fx::NodeId id = m_shown.find(name);
        while (id != fx::kNoNode && user != fx::kNoNode) {
            const auto& inputs = m_shown.node(user).inputs();
            if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) return id;
            const auto& users = m_shown.node(id).users();
            if (users.size() != 1 || m_prepared.find(m_shown.node(*users.begin()).name()) != fx::kNoNode) return id;
            id = *users.begin();
        }
        return id;
    }

private:
    const fx::Graph &m_shown, &m_prepared;
};

void addRules(const PreparedModel& prepared, const QuantChoices& choices, const Places& places, QuantPlan& plan) {
    std::map<std::pair<int, std::string>, QuantPlan::Rule> rows; // the weakest kind first
    const auto row = [&](RuleKind kind, const std::string& key, const QConfigPtr& qconfig) -> QuantPlan::Rule& {
        QuantPlan::Rule& rule = rows[{-static_cast<int>(kind), key}];
        if (rule.kind.isEmpty())
            rule.kind = kindText(kind), rule.key = fromCore(key), rule.qconfig = qconfigText(qconfig);
        return rule;
    };
    for (const QuantRule& own : choices.rules) {
        QuantPlan::Rule& rule = row(own.where.kind, own.where.key(), own.value());
        rule.where = own.where, rule.isOwn = true;
    }
    for (const fx::Node& node : prepared.model.graph.nodes()) {
        const auto known = prepared.state.qconfigs.find(node.name());
        const bool isCall = node.op() != fx::Op::Placeholder && node.op() != fx::Op::Output;
        if (!isCall || known == prepared.state.qconfigs.end() || known->second.kind == RuleKind::None) continue;
        QuantPlan::Rule& rule = row(known->second.kind, known->second.key, known->second.qconfig);
        // Those of backends are for types or global.
        if (!rule.isOwn) rule.where = {known->second.kind, {}, known->second.key, 0};
        const fx::NodeId here = places.find(node.name());
        if (here == fx::kNoNode) continue;
        rule.nodes.push_back(here);
        if (rule.isOwn && !known->second.qconfig) plan.excluded.emplace_back(here, rule.where);
    }
    for (auto& [key, rule] : rows) plan.rules.push_back(std::move(rule));
}

void addObservers(const PreparedModel& prepared, const Places& places, QuantPlan& plan) {
    const auto reach = nodeRules(prepared);
    for (const auto& [name, rule] : reach)
        if (const fx::NodeId node = places.find(name); node != fx::kNoNode) plan.reach.emplace(node, rule);
    for (const Placement& placement : prepared.placements) {
        QuantPlan::Observer observer;
        observer.name = fromCore(placement.observer), observer.observed = fromCore(placement.observed);
        observer.cause = fromCore(placement.cause), observer.sharedWith = fromCore(placement.sharedWith);
        observer.role = placement.role == Placement::Role::Input    ? PlanText::tr("input of")
                        : placement.role == Placement::Role::Weight ? PlanText::tr("weight of")
                                                                    : PlanText::tr("output of");
        observer.pattern = fromCore(placement.pattern), observer.rule = ruleText(placement.rule);
        if (placement.spec) {
            const ObserverTraits traits = traitsOf(*placement.spec);
            observer.type = shortType(placement.spec->type);
            observer.dtype = shortType(traits.dtype);
        }
        observer.of = places.find(placement.cause);
        for (const std::string& name : placement.users)
            if (const fx::NodeId user = places.find(name); user != fx::kNoNode) observer.users.push_back(user);
        observer.from =
            places.source(placement.observed, observer.users.empty() ? fx::kNoNode : observer.users.front());
        if (const auto rule = reach.find(placement.cause); rule != reach.end()) observer.where = rule->second;
        plan.observers.push_back(std::move(observer));
    }
}

PrepareOptions optionsOf(const QuantChoices& choices) {
    PrepareOptions options;
    options.isQat = choices.mode == Mode::Qat;
    return options;
}

/// Nodes that are not quantised. Those with a rule of the user can be clicked, to take it back.
void addUnquantised(const PreparedModel& prepared, const QuantChoices& choices, const Places& places, QuantPlan& plan) {
    for (const Unquantised& left : prepared.unquantised) {
        const fx::NodeId node = places.find(left.node);
        if (node == fx::kNoNode) continue;
        plan.left.push_back({node, whyText(left)});
        const auto own = std::find_if(choices.rules.begin(), choices.rules.end(), [&](const QuantRule& rule) {
            return rule.where.kind == left.rule.kind && rule.where.key() == left.rule.key;
        });
        if (left.reason == Unquantised::Reason::NotSupported && own != choices.rules.end())
            plan.excluded.emplace_back(node, own->where);
    }
    for (const fx::Warning& warning : prepared.warnings)
        if (warning.what.is("quant.dtypes_unsupported") || warning.what.is("quant.dtypes_unsupported_here") ||
            warning.what.is("quant.no_dynamic_kernel"))
            plan.warning =
                linesFromCore(warning.what.text()) + QStringLiteral("; ") + linesFromCore(warning.what.hint());
}

/// An exported program: torchao's X86InductorQuantizer annotates operators; it has no rules for single nodes.
QuantPlan exportedPlan(const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices) {
    QuantPlan plan;
    plan.version = version;
    pt2e::X86Quantizer quantizer;
    quantizer.setGlobal(pt2e::defaultX86Config(choices.mode == Mode::Qat, choices.mode == Mode::Dynamic));
    const pt2e::PreparedPt2e prepared = pt2e::preparePt2e(pt2e::exportedModule(*version), quantizer);
    const Places places(version->graph, prepared.model.graph);
    std::map<std::string, QuantPlan::Rule> rules;
    for (const pt2e::Placement& placement : prepared.placements) {
        QuantPlan::Observer observer;
        observer.name = fromCore(placement.observer), observer.observed = fromCore(placement.observed);
        observer.cause = fromCore(placement.cause), observer.sharedWith = fromCore(placement.sharedWith);
        observer.role = placement.isOutput ? PlanText::tr("output of") : PlanText::tr("input of");
        observer.pattern = fromCore(placement.pattern), observer.rule = fromCore(placement.rule);
        if (placement.spec)
            observer.type = shortType(placement.spec->observer.type), observer.dtype = shortType(placement.spec->dtype);
        observer.from = places.find(placement.observed), observer.of = places.find(placement.cause);
        if (observer.of != fx::kNoNode && !placement.isOutput) observer.users = {observer.of};
        else if (observer.from != fx::kNoNode)
            for (const fx::NodeId user : version->graph.node(observer.from).users()) observer.users.push_back(user);
        QuantPlan::Rule& rule = rules[placement.rule];
        rule.kind = PlanText::tr("annotation"), rule.key = fromCore(placement.rule);
        rule.qconfig = QStringLiteral("X86InductorQuantizer");
        if (observer.of != fx::kNoNode && (rule.nodes.empty() || rule.nodes.back() != observer.of))
            rule.nodes.push_back(observer.of);
        plan.observers.push_back(std::move(observer));
    }
    for (auto& [key, rule] : rules) plan.rules.push_back(std::move(rule));
    return plan;
}

} // namespace

std::vector<QuantPlan::Rule> ownRules(const QuantChoices& choices) {
    std::vector<QuantPlan::Rule> rules;
    for (const QuantRule& own : choices.rules) {
        QuantPlan::Rule& rule = rules.emplace_back();
        rule.kind = kindText(own.where.kind), rule.key = fromCore(own.where.key());
        rule.qconfig = qconfigText(own.value());
        rule.where = own.where, rule.isOwn = true;
    }
    return rules;
}

QString qconfigText(const QConfigPtr& qconfig) {
    if (!qconfig) return PlanText::tr("not quantised");
    for (const std::string_view name : qconfigNames())
        if (equalQConfigs(namedQConfig(name), qconfig)) return fromCore(name);
    return PlanText::tr("of the backend");
}

const QuantPlan::Observer* QuantPlan::observer(const QString& name) const {
    const auto found =
        std::find_if(observers.begin(), observers.end(), [&](const Observer& each) { return each.name == name; });
    return found == observers.end() ? nullptr : &*found;
}

const QuantPlan::Observer* QuantPlan::on(fx::NodeId from, fx::NodeId to) const {
    for (const Observer& each : observers)
        if (each.from == from && std::find(each.users.begin(), each.users.end(), to) != each.users.end()) return &each;
    return nullptr;
}

QuantPlan quantPlan(const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices) {
    if (!version->lifted.empty()) return exportedPlan(version, choices);
    QuantPlan plan;
    plan.version = version;
    fx::Warnings warnings;
    const PreparedModel prepared =
        prepare(inModeFor(*version, choices.mode, warnings), choices.mapping(), optionsOf(choices));
    const Places places(version->graph, prepared.model.graph);
    addRules(prepared, choices, places, plan);
    addObservers(prepared, places, plan);
    plan.layers = quantisedLayers(prepared), plan.patterns = prepared.state.patterns;
    addUnquantised(prepared, choices, places, plan);
    return plan;
}

QuantFits quantFits(const fx::GraphModule& version, const QuantChoices& choices, const fx::Progress& progress) {
    QuantFits fits;
    if (!version.lifted.empty()) return fits;
    fx::Warnings warnings;
    const fx::GraphModule model = inModeFor(version, choices.mode, warnings);
    const PrepareOptions options = optionsOf(choices);
    const PreparedModel prepared = prepare(model, choices.mapping(), options);
    const Places places(version.graph, prepared.model.graph);
    for (auto& [name, names] : fittingQConfigs(model, prepared, choices.mode, options, progress))
        if (const fx::NodeId node = places.find(name); node != fx::kNoNode) fits.emplace(node, std::move(names));
    return fits;
}

} // namespace ui

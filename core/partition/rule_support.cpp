// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/rule_support.h"

#include "core/base/glob.h"
#include "core/ops/python_functions.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace fx {
namespace {

constexpr std::string_view kOps = "torch.ops.", kOperator = "_operator.", kModules = "torch.nn.modules.";

/// `torch.nn.modules.conv.Conv2d` as `torch.nn.Conv2d`.
std::string shortType(const std::string& type) {
    return type.starts_with(kModules) ? "torch.nn." + type.substr(type.rfind('.') + 1) : type;
}

/// A rule's target, brought to the form in which nodes are spelled.
struct TargetPattern {
    std::string glob;
    std::string resolved; ///< qualified name of the function that a name without wildcards leads to
    bool onlyOps = false; ///< it was written with `torch.ops.`

    explicit TargetPattern(std::string_view text) {
        onlyOps = text.starts_with(kOps);
        glob = onlyOps ? text.substr(kOps.size()) : text.starts_with(kOperator) ? text.substr(1) : text;
        if (isGlob(text)) return;
        if (const CallablePtr callable = resolveCallable(text); !callable->opaque) resolved = callable->qualifiedName;
    }

    bool matches(const Node& node) const {
        if (node.op() != Op::CallFunction) return !onlyOps && globMatches(glob, node.target());
        const std::string& name = node.target();
        if (name == resolved) return true;
        if (name.starts_with(kOps)) return globMatches(glob, std::string_view(name).substr(kOps.size()));
        if (onlyOps) return false;
        if (name.starts_with(kOperator)) return globMatches(glob, std::string_view(name).substr(1));
        if (globMatches(glob, name) || globMatches(glob, node.callable()->prettyName())) return true;
        const auto known = ops::findFunction(name);
        return known && globMatches(glob, known->path());
    }
};

} // namespace

std::string canonicalTarget(std::string_view name) { return resolveCallable(name)->qualifiedName; }

/// Judges the nodes of a model.
class RuleJudge {
public:
    RuleJudge(RuleSupport& support, const SupportRules& rules, const GraphModule& model)
        : m_support(support), m_rules(rules.rules()), m_root(rules.root()), m_graph(model.graph), m_paths(*model.root),
          m_named(m_rules.size(), 0), m_overruled(m_rules.size(), 0) {
        for (const SupportRule& rule : m_rules) m_targets.emplace_back(rule.target.value_or("*"));
        makeReasons();
    }

    void judge() {
        m_support.m_verdicts.assign(m_graph.idLimit(), 0);
        for (const Node& node : m_graph.nodes()) {
            if (!node.isCall() && node.op() != Op::GetAttr) continue;
            m_holds.clear(), m_otherDtypes.clear();
            for (const std::size_t rule : fitting(node))
                if (!m_rules[rule].name || globMatches(*m_rules[rule].name, node.name()))
                    (takesDtypes(m_rules[rule], node) ? m_holds : m_otherDtypes).push_back(rule);
            for (const std::size_t rule : m_holds) ++m_named[rule];
            const std::uint32_t verdict = decide(m_root);
            m_support.m_verdicts[index(node.id())] = verdict;
            m_support.m_supported += verdict == RuleSupport::kSupported;
        }
        warn();
    }

private:
    /// The rules whose op, target and module type are those of the node, in order; found once for each target.
    const std::vector<std::size_t>& fitting(const Node& node) {
        auto& known = m_fitting[static_cast<std::size_t>(node.op())];
        const auto [entry, isNew] = known.try_emplace(node.target());
        if (!isNew) return entry->second;
        std::string type;
        if (node.op() == Op::CallModule)
            if (const PathTarget target = m_paths.resolve(node.target()); target.module)
                type = target.module->qualifiedType();
        for (std::size_t i = 0; i < m_rules.size(); ++i) {
            const SupportRule& rule = m_rules[i];
            if (rule.op && *rule.op != node.op()) continue;
            if (rule.target && !m_targets[i].matches(node)) continue;
            if (rule.moduleType && (type.empty() || (!globMatches(*rule.moduleType, type) &&
                                                     !globMatches(*rule.moduleType, shortType(type)))))
                continue;
            entry->second.push_back(i);
        }
        return entry->second;
    }

    bool takesDtypes(const SupportRule& rule, const Node& node) {
        if (rule.dtypes.empty()) return true;
        const auto isWanted = [&](NodeId id) {
            return std::find(rule.dtypes.begin(), rule.dtypes.end(), dtypeOf(m_graph.node(id))) != rule.dtypes.end();
        };
        bool any = false;
        for (const NodeId input : node.inputs()) {
            if (isNumber(m_graph.node(input))) continue;
            any = true;
            if (!isWanted(input)) return false;
        }
        return any || isWanted(node.id());
    }
    static bool isNumber(const Node& node) {
        return !node.meta().values.empty() && !node.meta().values.front().isTensor;
    }

    std::string_view dtypeOf(const Node& node) {
        if (const auto known = knownDtype(node); !known.empty() || node.op() != Op::GetAttr) return known;
        const TensorPtr tensor = m_paths.resolve(node.target()).tensor;
        return tensor ? dtypeName(tensor->dtype) : std::string_view();
    }

    bool holds(std::size_t rule) const { return std::binary_search(m_holds.begin(), m_holds.end(), rule); }

    std::uint32_t decide(const SupportRules::Clause& clause) {
        using Kind = SupportRules::Clause::Kind;
        if (clause.kind == Kind::Lists) return decideLists(clause);
        std::uint32_t refusal = RuleSupport::kSupported;
        for (const auto& part : clause.parts) {
            const std::uint32_t verdict = decide(part);
            if (clause.kind == Kind::Any && verdict == RuleSupport::kSupported) return verdict;
            if (clause.kind == Kind::All && verdict != RuleSupport::kSupported) return verdict;
            if (refusal == RuleSupport::kSupported) refusal = verdict;
        }
        return refusal;
    }

    std::uint32_t decideLists(const SupportRules::Clause& clause) {
        for (const std::size_t rule : clause.unsupported) {
            if (!holds(rule)) continue;
            for (const std::size_t overruled : clause.supported) m_overruled[overruled] += holds(overruled);
            return static_cast<std::uint32_t>(1 + rule);
        }
        if (clause.everything) return RuleSupport::kSupported;
        const bool named = std::any_of(clause.supported.begin(), clause.supported.end(),
                                       [this](std::size_t rule) { return holds(rule); });
        if (named) return RuleSupport::kSupported;
        for (const std::size_t rule : clause.supported)
            if (std::binary_search(m_otherDtypes.begin(), m_otherDtypes.end(), rule))
                return static_cast<std::uint32_t>(1 + m_rules.size() + rule);
        return m_unnamed.at(&clause);
    }

    /// First that of nodes which no rule is asked for, then one for each rule that names it, and one for each that
    /// would if not for its dtypes, then one for each list of rules.
    void makeReasons() {
        auto& reasons = m_support.m_reasons;
        reasons = {Message("partition.never")};
        for (const SupportRule& rule : m_rules)
            reasons.push_back(
                rule.reason.empty()
                    ? Message("partition.declined_by", {{"rule", rule.text()}, {"place", rule.place}})
                    : Message("partition.declined_because", {{"reason", rule.reason}, {"place", rule.place}}));
        for (const SupportRule& rule : m_rules)
            reasons.push_back(Message("partition.other_dtypes", {{"rule", rule.text()}, {"place", rule.place}}));
        for (std::vector<const SupportRules::Clause*> open{&m_root}; !open.empty();) {
            const SupportRules::Clause* clause = open.back();
            open.pop_back();
            for (const auto& part : clause->parts) open.push_back(&part);
            m_unnamed.emplace(clause, static_cast<std::uint32_t>(reasons.size()));
            reasons.push_back(Message("partition.not_named", {{"place", clause->place}}));
        }
    }

    void warn() {
        const auto add = [this](const SupportRule& rule, Message what) {
            m_support.m_warnings.push_back({std::move(what), {}, {}, rule.place});
        };
        for (std::size_t i = 0; i < m_rules.size(); ++i) {
            if (!m_rules[i].profile.empty()) continue; // most of its operators are in no one model
            const MessageArgument rule("rule", m_rules[i].text());
            if (m_named[i] == 0)
                add(m_rules[i], m_rules[i].dtypes.empty() || hasDtypes()
                                    ? Message("partition.rule_names_nothing", {rule})
                                    : Message("partition.rule_without_dtypes", {rule}));
            else if (m_overruled[i] == m_named[i]) add(m_rules[i], Message("partition.rule_overruled", {rule}));
        }
    }
    bool hasDtypes() const {
        for (const Node& node : m_graph.nodes())
            if (!knownDtype(node).empty()) return true;
        return false;
    }

    RuleSupport& m_support;
    const std::vector<SupportRule>& m_rules;
    const SupportRules::Clause& m_root;
    const Graph& m_graph;
    PathResolver m_paths;
    std::vector<TargetPattern> m_targets;
    std::vector<std::size_t> m_named,
        m_overruled; ///< nodes that a rule names; of these those that "unsupported" names too
    std::vector<std::size_t> m_holds,
        m_otherDtypes; ///< rules that hold for the node at hand, and that would if not for its dtypes, ascending
    std::array<std::unordered_map<std::string, std::vector<std::size_t>>, 6> m_fitting;
    std::unordered_map<const SupportRules::Clause*, std::uint32_t>
        m_unnamed; ///< reason of a node that no rule of the clause names
};

RuleSupport::RuleSupport(const SupportRules& rules, const GraphModule& model) {
    RuleJudge(*this, rules, model).judge();
}

bool RuleSupport::isNodeSupported(const Module&, const Node& node) const {
    return index(node.id()) < m_verdicts.size() && m_verdicts[index(node.id())] == kSupported;
}

Message RuleSupport::refusal(const Module& root, const Node& node) const {
    return isNodeSupported(root, node) || index(node.id()) >= m_verdicts.size()
               ? Message()
               : m_reasons[m_verdicts[index(node.id())]];
}

} // namespace fx

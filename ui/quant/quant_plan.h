// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_choices.h"

#include <optional>

namespace ui {

/// What quantising a version would do, without values: which rules hit which nodes, and where observers go. Nodes are
/// those of the version, not of the model that quantisation makes of it.
struct QuantPlan {
    struct Rule {
        QString kind, key, qconfig;    ///< "module name", "layer1.0", "default_qconfig"
        std::vector<fx::NodeId> nodes; ///< that it hit, in graph order
        fx::quant::NodeRule where;
        bool isOwn = false; ///< it is one of the user's
    };
    struct Observer {
        QString name, type, dtype;                       ///< "activation_post_process_3", "HistogramObserver", "quint8"
        QString role, pattern, rule;                     ///< "output of", "ReLU, Conv2d", the rule that put it there
        QString observed, cause;                         ///< names of nodes
        QString sharedWith;                              ///< the observer whose instance it uses, or empty
        fx::NodeId from = fx::kNoNode, of = fx::kNoNode; ///< whose value it sees, and for which node it is there
        std::vector<fx::NodeId> users;                   ///< that read through it
        std::optional<fx::quant::NodeRule> where;        ///< a rule that reaches `cause`
    };
    /// A node that could be quantised and is not.
    struct Left {
        fx::NodeId node = fx::kNoNode;
        QString why;
    };

    std::shared_ptr<const fx::GraphModule> version; ///< null: there is no plan
    std::vector<Rule> rules;                        ///< by precedence, the strongest first
    std::vector<Observer> observers;
    std::vector<Left> left;
    /// Nodes that a rule of the user leaves in floating point, also by a QConfig that the backend has no kernel for.
    std::vector<std::pair<fx::NodeId, fx::quant::NodeRule>> excluded;

    std::unordered_map<fx::NodeId, fx::quant::NodeRule> reach; ///< a rule for each call
    std::vector<std::string> layers; ///< with weights, that are quantised: what a scan measures
    /// The nodes that are quantised together with a layer, by its name; not of those that are quantised alone.
    std::unordered_map<std::string, std::vector<std::string>> patterns;
    QString warning; ///< why rules of the user leave nodes in floating point, with what to do; or empty

    const Observer* observer(const QString& name) const;
    /// The observer on the edge between two nodes, or null.
    const Observer* on(fx::NodeId from, fx::NodeId to) const;
};

/// Not on the GUI thread. Throws Error{Refused, Cancelled} where quantisation does.
QuantPlan quantPlan(const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices);

/// For each node: the names of the QConfigs that would quantise it.
using QuantFits = std::unordered_map<fx::NodeId, std::vector<std::string_view>>;
/// Not on the GUI thread. Throws like `quantPlan`; empty for exported programs, which have no rules for single nodes.
QuantFits quantFits(const fx::GraphModule& version, const QuantChoices& choices, const fx::Progress& progress);

/// The user's rules alone, for when they cannot be applied.
std::vector<QuantPlan::Rule> ownRules(const QuantChoices& choices);

/// "default_qconfig", "not quantised", or "of the backend" for a QConfig that torch.ao has no name for.
QString qconfigText(const fx::quant::QConfigPtr& qconfig);

} // namespace ui

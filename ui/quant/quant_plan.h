// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_choices.h"

#include <optional>

namespace ui {

/// The effect of quantising a version, without values: which rules match which nodes, and the positions of observers.
/// Nodes are those of the version, not of the quantised model.
struct QuantPlan {
    /// A rule of backend, mode or user.
    struct Rule {
        QString kind, key, qconfig;    ///< "module name", "layer1.0", "default_qconfig"
        std::vector<fx::NodeId> nodes; ///< nodes that it matched, in graph order
        fx::quant::NodeRule where;     ///< the nodes that it can match
        bool isOwn = false;            ///< a rule of the user
    };
    /// An observer that quantisation inserts.
    struct Observer {
        QString name, type, dtype;   ///< "activation_post_process_3", "HistogramObserver", "quint8"
        QString role, pattern, rule; ///< "output of", "ReLU, Conv2d", the rule that inserted it
        QString observed, cause;     ///< names of nodes
        QString sharedWith;          ///< the observer whose instance it uses, or empty
        /// The node whose value it sees, and the node for which it exists.
        fx::NodeId from = fx::kNoNode, of = fx::kNoNode;
        std::vector<fx::NodeId> users;            ///< nodes that read through it
        std::optional<fx::quant::NodeRule> where; ///< a rule that matches `cause`
    };
    /// A node that could be quantised and is not.
    struct Left {
        fx::NodeId node = fx::kNoNode;
        QString why; ///< the reason
    };

    std::shared_ptr<const fx::GraphModule> version; ///< null: there is no plan
    std::vector<Rule> rules;                        ///< by precedence, the strongest first
    std::vector<Observer> observers;                ///< all observers
    std::vector<Left> left;                         ///< nodes that stay in floating point
    /// Nodes that a rule of the user keeps in floating point, also by a QConfig for which the backend has no kernel.
    std::vector<std::pair<fx::NodeId, fx::quant::NodeRule>> excluded;

    std::unordered_map<fx::NodeId, fx::quant::NodeRule> reach; ///< a rule that matches each call
    std::vector<std::string> layers; ///< layers with weights that are quantised; a scan measures these
    /// The nodes that are quantised together with a layer, by its name; without layers that are quantised alone.
    std::unordered_map<std::string, std::vector<std::string>> patterns;
    QString warning; ///< why rules of the user keep nodes in floating point, with the remedy; or empty

    const Observer* observer(const QString& name) const; ///< Returns an observer by name, or null.
    /// Returns the observer on the edge between two nodes, or null.
    const Observer* on(fx::NodeId from, fx::NodeId to) const;
};

/// Computes the plan. Call it off the GUI thread. Throws Error{Refused, Cancelled} like quantisation.
QuantPlan quantPlan(const std::shared_ptr<const fx::GraphModule>& version, const QuantChoices& choices);

/// The names of the QConfigs that would quantise each node.
using QuantFits = std::unordered_map<fx::NodeId, std::vector<std::string_view>>;
/// Computes the fitting QConfigs. Call it off the GUI thread. Throws like `quantPlan`. Empty for exported programs,
/// which have no rules for single nodes.
QuantFits quantFits(const fx::GraphModule& version, const QuantChoices& choices, const fx::Progress& progress);

/// Returns only the user's rules, for when they cannot be applied.
std::vector<QuantPlan::Rule> ownRules(const QuantChoices& choices);

/// Returns "default_qconfig", "not quantised", or "of the backend" for a QConfig without a name in torch.ao.
QString qconfigText(const fx::quant::QConfigPtr& qconfig);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <map>
#include <vector>

namespace ui {

/// An operator in a model, as seen by support rules: a function, method, module type, or reading an attribute.
struct MetOperator {
    /// The kind of node that has the operator.
    enum class Kind : std::uint8_t { Module, Function, Method, Attribute };
    Kind kind = Kind::Function;    ///< groups operators in the list
    std::string name;              ///< "torch.nn.Conv2d", "operator.add", "view"; "" for Attribute
    std::vector<fx::NodeId> nodes; ///< in graph order

    QString title() const; ///< The last part of the name: "Conv2d".
    /// A unique key among operators.
    std::string key() const { return std::to_string(static_cast<int>(kind)) + name; }
};

/// Returns the operators of a model by kind, each kind by decreasing count, then by name. Linear.
std::vector<MetOperator> operatorsOf(const fx::GraphModule& model);

/// The setting of an operator or node; ByRule is the absence of one.
enum class Support : std::uint8_t { ByRule, Supported, Unsupported };

/// The user's support settings: operators, single nodes, and rules from a file for everything else.
class SupportDraft {
public:
    void setOperator(const MetOperator& op, Support support); ///< Sets the support of an operator.
    Support of(const MetOperator& op) const;                ///< Returns the setting of an operator, without the rules.
    void setNode(const std::string& name, Support support); ///< Sets the support of a single node.
    /// Returns the setting of a single node, without operators and rules.
    Support ofNode(const std::string& name) const;
    std::size_t markedNodes() const { return m_nodes.size(); }              ///< The number of nodes with a setting.
    const std::map<std::string, Support>& nodes() const { return m_nodes; } ///< The settings of nodes, by name.
    /// Sets the rules from a file. `rules` is the text of a valid RULES.json, or empty. Clears the settings of
    /// operators and nodes.
    void setBase(const QByteArray& rules, const QString& name);
    const QString& baseName() const { return m_baseName; } ///< The name of the rules from a file.
    bool hasBase() const { return !m_base.isEmpty(); }     ///< True if there are rules from a file.
    /// True if there is no setting.
    bool isEmpty() const { return m_operators.empty() && m_nodes.empty() && m_base.isEmpty(); }

    /// Returns all settings and the rules from the file as JSON.
    QJsonObject remembered() const;
    void recall(const QJsonObject& json); ///< Restores the result of `remembered`.

    /// Returns the settings as RULES.json (docs/cli/partition.md). Nodes take precedence over operators, and both over
    /// the rules from the file.
    QByteArray rules() const;
    bool operator==(const SupportDraft&) const = default;

private:
    struct Said {
        MetOperator::Kind kind;
        std::string name;
        Support support;
        bool operator==(const Said&) const = default;
    };
    std::map<std::string, Said> m_operators; ///< by key
    std::map<std::string, Support> m_nodes;
    QByteArray m_base;
    QString m_baseName;
};

} // namespace ui

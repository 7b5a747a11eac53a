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
    enum class Kind : std::uint8_t { Module, Function, Method, Attribute };
    Kind kind = Kind::Function;
    std::string name;              ///< "torch.nn.Conv2d", "operator.add", "view"; "" for Attribute
    std::vector<fx::NodeId> nodes; ///< in graph order

    QString title() const; ///< "Conv2d"
    std::string key() const { return std::to_string(static_cast<int>(kind)) + name; }
};

/// The operators of a model by kind, each kind by decreasing count, then by name. Linear.
std::vector<MetOperator> operatorsOf(const fx::GraphModule& model);

enum class Support : std::uint8_t { ByRule, Supported, Unsupported };

/// The user's support settings: operators, single nodes, and rules from a file for everything else.
class SupportDraft {
public:
    void setOperator(const MetOperator& op, Support support);
    Support of(const MetOperator& op) const;
    void setNode(const std::string& name, Support support);
    Support ofNode(const std::string& name) const;
    std::size_t markedNodes() const { return m_nodes.size(); }
    const std::map<std::string, Support>& nodes() const { return m_nodes; } ///< by name
    /// `rules`: the text of a valid RULES.json, or empty. Clears the ticks.
    void setBase(const QByteArray& rules, const QString& name);
    const QString& baseName() const { return m_baseName; }
    bool hasBase() const { return !m_base.isEmpty(); }
    bool isEmpty() const { return m_operators.empty() && m_nodes.empty() && m_base.isEmpty(); }

    /// All settings and the rules from the file as JSON.
    QJsonObject remembered() const;
    void recall(const QJsonObject& json);

    /// As RULES.json (docs/cli.md). Nodes take precedence over operators, and both over the rules from the file.
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

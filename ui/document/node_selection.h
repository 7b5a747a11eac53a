// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace ui {

class DocumentPicture;

/// Returns all nodes of a module and of the modules in it, in graph order. Linear.
std::vector<fx::NodeId> nodesOfModule(const fx::Graph& graph, const QString& modulePath);

/// The selected nodes of a model, or the selected module with its nodes. Nothing can be selected before there is a
/// model. GUI thread only.
class NodeSelection final : public QObject {
    Q_OBJECT
public:
    /// `picture` opens the groups around the nodes of `goTo`.
    explicit NodeSelection(DocumentPicture& picture, QObject* parent = nullptr);
    ~NodeSelection() override;

    const std::vector<fx::NodeId>& nodes() const { return m_nodes; } ///< The selected nodes, in order.
    /// True if the node is selected. O(1).
    bool contains(fx::NodeId node) const {
        return fx::index(node) < m_isSelected.size() && m_isSelected[fx::index(node)];
    }
    /// Returns the selected nodes in graph order.
    std::vector<fx::NodeId> inGraphOrder() const;
    /// The module of `selectModule`, or nullopt.
    const std::optional<QString>& module() const { return m_modulePath; }

    /// Selects exactly these nodes, in this order. `source` is the originating view, which need not update itself.
    void select(std::vector<fx::NodeId> nodes, QObject* source) { replace(std::move(nodes), source, false); }
    /// Selects all nodes, in graph order.
    void selectAll();
    /// Selects the nodes of a module, which remains `module` until something else is selected.
    void selectModule(const QString& modulePath, QObject* source);
    /// Selects one node, opens the groups around it and asks the canvas to show it.
    void goTo(fx::NodeId node, QObject* source);
    /// Selects several nodes and opens the groups around them. The canvas moves only as far as needed to show them.
    void goTo(const std::vector<fx::NodeId>& nodes, QObject* source);
    /// True while `goTo` selects nodes that it is about to reveal.
    bool isGoing() const { return m_isGoing; }
    /// Selects the nodes that were selected when the project was saved.
    void restore(std::vector<fx::NodeId> nodes) { replace(std::move(nodes), nullptr, true); }
    /// True if the selection was restored from the project and the user has selected nothing since.
    bool isRestored() const { return m_isRestored; }

    /// Uses another model, in which nothing is selected. Does not emit `changed`.
    void reset(std::shared_ptr<const fx::GraphModule> model);
    /// Selects the counterparts of the nodes in another version of the model. Returns true if they differ; then the
    /// caller emits `changed` as soon as all views have the version.
    bool follow(std::shared_ptr<const fx::GraphModule> version);
    /// Selects the nodes with the same names in a new trace of the model. Returns true if anything was selected; then
    /// the caller emits `changed` as soon as all views have the trace.
    bool followNames(std::shared_ptr<const fx::GraphModule> trace);

Q_SIGNALS:
    /// Emitted when the selection changes; `source` is the originating view, or null.
    void changed(QObject* source);

private:
    void replace(std::vector<fx::NodeId> nodes, QObject* source, bool isRestored);
    void set(std::vector<fx::NodeId> nodes);
    void setModel(std::shared_ptr<const fx::GraphModule> model, std::vector<fx::NodeId> nodes);

    DocumentPicture& m_picture;
    std::shared_ptr<const fx::GraphModule> m_model;
    std::vector<fx::NodeId> m_nodes;
    std::vector<char> m_isSelected; ///< by node id
    std::optional<QString> m_modulePath;
    bool m_isGoing = false, m_isRestored = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

class QLineEdit;
class QTreeView;

namespace ui {

class ModuleTreeModel;

/// The Modules tab of the outline: filter and module tree. Selecting a module selects its nodes, and vice versa.
class ModulesPanel final : public QWidget {
    Q_OBJECT
public:
    explicit ModulesPanel(QWidget* parent = nullptr); ///< Creates a panel without a document.
    void setDocument(Document* document);             ///< Shows the modules of `document`; null clears the panel.
    QTreeView* view() const { return m_view; }        ///< The module tree.

private:
    void showModules();
    void keepExpanded();
    void restoreExpanded();
    void followSelection(QObject* source);
    void filter(const QString& text);
    void pick();

    QPointer<Document> m_document;
    ModuleTreeModel* m_model;
    QLineEdit* m_filter;
    QTreeView* m_view;
    QPointer<Document> m_listed;                   ///< the document whose modules the tree shows
    QHash<const QObject*, QStringList> m_expanded; ///< by document: the paths of expanded modules
    bool m_following = false;
};

} // namespace ui

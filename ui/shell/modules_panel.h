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
    explicit ModulesPanel(QWidget* parent = nullptr);
    void setDocument(Document* document);
    QTreeView* view() const { return m_view; }

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
    QPointer<Document> m_listed;                   ///< whose modules the tree has
    QHash<const QObject*, QStringList> m_expanded; ///< by document: the paths of open modules
    bool m_following = false;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/operator_model.h"

#include <QWidget>

class QMenu;
class QSortFilterProxyModel;
class QToolButton;
class QTreeView;

namespace ui {

/// The operators of a model with ticks: which of them the back end supports, and which compute nothing.
class OperatorsView final : public QWidget {
    Q_OBJECT
public:
    /// Creates an empty list. The user loads and saves rules in the menu `rules`.
    OperatorsView(QMenu* rules, QWidget* parent);

    void setOperators(std::vector<MetOperator> operators); ///< Replaces all operators.
    /// Shows the ticks of a draft, and which functions are non-compute.
    void setDraft(const SupportDraft& draft, const std::vector<std::string>& nonCompute);
    OperatorModel& model() { return *m_model; } ///< The list, without the filter.
    const MetOperator* current() const;         ///< The current operator, or null.
    void setAllEnabled(bool enabled);           ///< Enables the buttons that tick or clear all operators.
    void tickAll(bool on);                      ///< Ticks or clears all operators that the filter shows.

Q_SIGNALS:
    void draftChanged(const SupportDraft& draft);                      ///< Emitted when the user ticks operators.
    void nonComputeChanged(const std::vector<std::string>& functions); ///< Emitted when the user changes these.
    void currentChanged(const MetOperator* op);                        ///< Emitted when `current` changes.
    void chosen(const std::vector<fx::NodeId>& nodes); ///< Emitted when the user selects the nodes of an operator.

private:
    QWidget* makeHead(QMenu* rules);
    void makeTree();
    void tick(const std::vector<const MetOperator*>& operators, Support support);
    void showMenu(const QPoint& position);

    OperatorModel* m_model;
    QSortFilterProxyModel* m_filtered;
    QTreeView* m_tree;
    QToolButton *m_all, *m_nothing, *m_rules;
};

} // namespace ui

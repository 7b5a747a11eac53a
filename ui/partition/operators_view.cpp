// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/operators_view.h"

#include "ui/widgets/elided_label.h"
#include "ui/widgets/text_button.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

OperatorsView::OperatorsView(QMenu* rules, QWidget* parent)
    : QWidget(parent), m_model(new OperatorModel(this)), m_filtered(new QSortFilterProxyModel(this)) {
    QWidget* head = makeHead(rules);
    m_filtered->setSourceModel(m_model);
    m_filtered->setFilterRole(OperatorModel::TextRole);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_filtered->setRecursiveFilteringEnabled(true);
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText(tr("Filter operators"));
    filter->setClearButtonEnabled(true);
    filter->setAccessibleName(tr("Filter operators"));
    connect(filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filtered->setFilterFixedString(text);
        m_tree->expandAll();
    });
    connect(m_model, &OperatorModel::ticked, this, &OperatorsView::tick);
    makeTree();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(head);
    column->addWidget(filter);
    column->addWidget(m_tree, 1);
}

QWidget* OperatorsView::makeHead(QMenu* rules) {
    auto* bar = new QWidget(this);
    auto* title = new ElidedLabel(bar); // what gives way in a narrow panel
    title->setProperty("role", "heading");
    title->setText(tr("Supported"));
    m_all = textButton(tr("All"), tr("Support every listed operator"), bar);
    m_nothing = textButton(tr("None"), tr("Support no listed operator"), bar);
    m_rules = textButton(tr("Rules ▾"), tr("Load or save rules; ticks take precedence over them"), bar);
    m_rules->setPopupMode(QToolButton::InstantPopup);
    m_rules->setMenu(rules);
    connect(m_all, &QToolButton::clicked, this, [this] { tickAll(true); });
    connect(m_nothing, &QToolButton::clicked, this, [this] { tickAll(false); });
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(title, 1);
    for (QToolButton* button : {m_all, m_nothing, m_rules}) row->addWidget(button);
    return bar;
}

void OperatorsView::makeTree() {
    m_tree = new QTreeView(this);
    m_tree->setModel(m_filtered);
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(14);
    m_tree->setUniformRowHeights(true);
    m_tree->setTextElideMode(Qt::ElideLeft); // torch.ops.aten. is the same in many
    m_tree->setProperty("look", "field");
    m_tree->setMinimumHeight(96);
    m_tree->setAccessibleName(tr("Operators of the model; ticked ones are supported by the back end"));
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &OperatorsView::showMenu);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { Q_EMIT currentChanged(current()); });
}

void OperatorsView::setOperators(std::vector<MetOperator> operators) {
    m_model->setOperators(std::move(operators));
    m_tree->expandAll();
}

void OperatorsView::setDraft(const SupportDraft& draft, const std::vector<std::string>& nonCompute) {
    m_rules->setText(draft.hasBase() ? draft.baseName() + QStringLiteral(" ▾") : tr("Rules ▾"));
    m_model->setDraft(draft, nonCompute);
}

const MetOperator* OperatorsView::current() const {
    return m_model->at(m_filtered->mapToSource(m_tree->currentIndex()));
}

void OperatorsView::setAllEnabled(bool enabled) {
    for (QToolButton* button : {m_all, m_nothing}) button->setEnabled(enabled);
}

void OperatorsView::tick(const std::vector<const MetOperator*>& operators, Support support) {
    SupportDraft draft = m_model->draft();
    for (const MetOperator* op : operators) draft.setOperator(*op, support);
    Q_EMIT draftChanged(draft);
}

void OperatorsView::tickAll(bool on) {
    std::vector<const MetOperator*> listed;
    for (int g = 0; g < m_filtered->rowCount(); ++g) {
        const QModelIndex group = m_filtered->index(g, 0);
        for (int i = 0; i < m_filtered->rowCount(group); ++i)
            listed.push_back(m_model->at(m_filtered->mapToSource(m_filtered->index(i, 0, group))));
    }
    tick(listed, on ? Support::Supported : m_model->draft().hasBase() ? Support::Unsupported : Support::ByRule);
}

void OperatorsView::showMenu(const QPoint& position) {
    const MetOperator* op = m_model->at(m_filtered->mapToSource(m_tree->indexAt(position)));
    if (!op) return;
    QMenu menu;
    const auto say = [&](const QString& text, Support support) {
        QAction* action = menu.addAction(text, this, [this, op, support] { tick({op}, support); });
        action->setCheckable(true);
        action->setChecked(m_model->draft().of(*op) == support);
    };
    say(tr("Supported"), Support::Supported);
    if (m_model->draft().hasBase()) say(tr("Unsupported"), Support::Unsupported);
    say(m_model->draft().hasBase() ? tr("As in %1").arg(m_model->draft().baseName()) : tr("Unsupported"),
        Support::ByRule);
    menu.addSeparator();
    QAction* nothing = menu.addAction(tr("Non-Compute (non_compute_ops)"), this, [this, name = op->name] {
        std::vector<std::string> functions = m_model->nonCompute();
        if (std::erase(functions, name) == 0) functions.push_back(name);
        Q_EMIT nonComputeChanged(functions);
    });
    nothing->setCheckable(true);
    nothing->setChecked(std::ranges::find(m_model->nonCompute(), op->name) != m_model->nonCompute().end());
    nothing->setEnabled(op->kind == MetOperator::Kind::Function);
    menu.addAction(tr("Select Nodes"), this, [this, nodes = op->nodes] { Q_EMIT chosen(nodes); });
    menu.exec(m_tree->viewport()->mapToGlobal(position));
}

} // namespace ui

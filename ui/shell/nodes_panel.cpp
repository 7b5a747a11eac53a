// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/nodes_panel.h"

#include "ui/document/node_table_model.h"
#include "ui/shell/row_delegate.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QLocale>
#include <QTableView>
#include <QVBoxLayout>

namespace ui {

namespace {

/// Targets, arguments and shapes are code: monospaced, the rest in the window's font.
class CellDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

private:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (index.column() >= NodeTableModel::Target) option->font = monoFont();
        if (index.column() == NodeTableModel::Opcode) {
            const auto op = static_cast<fx::Op>(index.data(NodeRowsModel::OpRole).toInt());
            option->palette.setColor(QPalette::Text, theme().op(op).line);
        }
    }
};

} // namespace

NodesPanel::NodesPanel(Look look, QWidget* parent)
    : QWidget(parent), m_filter(new QLineEdit(this)), m_count(new QLabel(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_filter->setPlaceholderText(tr("Filter nodes"));
    m_filter->setToolTip(tr("Text in name, target, module, type, dtype or shape. Write target:relu or type:Conv2d to "
                            "look in one of them."));
    m_filter->setAccessibleName(tr("Filter nodes"));
    m_filter->setClearButtonEnabled(true);
    m_count->setProperty("role", "muted");
    if (look == Look::List) makeList();
    else makeTable();
    m_query = new RowQuery(m_model, this);
    setFocusProxy(m_view);

    connect(m_filter, &QLineEdit::textChanged, m_query, &RowQuery::setFilter);
    connect(m_query, &RowQuery::applied, this, [this](const QString& error) {
        m_filter->setProperty("invalid", !error.isEmpty());
        const QLocale locale;
        const qsizetype all =
            m_document && m_document->module() ? static_cast<qsizetype>(m_document->module()->graph.size()) : 0;
        m_count->setText(m_model->rowCount() == all
                             ? counted(qint64(all), tr("1 node"), tr("%1 nodes"))
                             : tr("%1 of %2").arg(locale.toString(m_model->rowCount()), locale.toString(all)));
        followSelection(nullptr);
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &NodesPanel::pick);
    // F2 is an action of the window, and a double click goes to the node.
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    connect(m_model, &NodeRowsModel::edited, this,
            [this](fx::NodeId node, NodeRowsModel::Field field, const QString& text) {
                if (m_document) Q_EMIT edited(m_document, node, field, text);
            });
    connect(m_view, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (m_document) m_document->selection().goTo(m_model->nodeAt(index.row()), this);
    });
}

void NodesPanel::makeList() {
    m_model = new NodeListModel(this);
    auto* list = new QListView(this);
    list->setUniformItemSizes(true);
    list->setItemDelegate(new RowDelegate({-1, NodeRowsModel::DetailRole, NodeRowsModel::OpRole}, list));
    list->setAccessibleName(tr("Nodes"));
    m_view = list;
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 8, 0, 0);
    column->setSpacing(6);
    auto* inset = new QHBoxLayout;
    inset->setContentsMargins(10, 0, 10, 0);
    inset->addWidget(m_filter);
    column->addLayout(inset);
    column->addWidget(list);
    m_count->hide(); // the tab says it
    list->setModel(m_model);
    list->setSelectionMode(QAbstractItemView::ExtendedSelection);
}

void NodesPanel::makeTable() {
    m_model = new NodeTableModel(this);
    auto* table = new QTableView(this);
    table->setItemDelegate(new CellDelegate(table));
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setSortingEnabled(false);
    table->setAlternatingRowColors(true);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setAccessibleName(tr("Table of nodes"));
    table->verticalHeader()->setDefaultSectionSize(25);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->hide();
    table->setModel(m_model);
    QHeaderView* header = table->horizontalHeader();
    header->setSectionsMovable(true);
    header->setStretchLastSection(true);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int widths[] = {110, 170, 210, 280, 160, 120, 130, 110};
    for (int column = 0; column < NodeTableModel::kColumns; ++column) header->resizeSection(column, widths[column]);
    // The first click sorts, the third goes back to graph order.
    header->setSortIndicatorShown(true);
    header->setSectionsClickable(true);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    connect(header, &QHeaderView::sortIndicatorChanged, m_model, &NodeRowsModel::sort);
    m_view = table;

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 4, 12, 4);
    m_filter->setMaximumWidth(320);
    bar->addWidget(m_filter);
    bar->addStretch();
    bar->addWidget(m_count);
    column->addLayout(bar);
    column->addWidget(table);
}

void NodesPanel::setDocument(Document* document) {
    if (QWidget* editor = m_view->indexWidget(m_view->currentIndex())) // what is being typed is of the old one
        Q_EMIT m_view->itemDelegate()->commitData(editor);
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) {
        connect(document, &Document::stateChanged, this, &NodesPanel::showNodes);
        connect(&document->shapes(), &DocumentShapes::changed, this,
                [this] { m_model->setNotes(m_document->shapes().shown()); });
        connect(&document->selection(), &NodeSelection::changed, this, &NodesPanel::followSelection);
    }
    showNodes();
    m_query->setDocument(document);
}

void NodesPanel::showNodes() {
    const GuiScope scope("nodes.show");
    m_following = true;
    m_model->setModule(m_document && m_document->state() == Document::State::Ready ? m_document->shapes().shown()
                                                                                   : nullptr);
    m_following = false;
    m_count->clear();
    followSelection(nullptr);
}

bool NodesPanel::editName(fx::NodeId node) {
    const int row = m_model->rowOf(node),
              column = m_model->columnCount() > 1 ? static_cast<int>(NodeTableModel::Name) : 0;
    if (!m_view->hasFocus() || row < 0) return false;
    // In the table the cell that has the keyboard, where that can be changed.
    const QModelIndex current = m_view->currentIndex();
    const bool there = current.isValid() && current.row() == row && m_model->fieldOf(current.column());
    m_view->edit(there ? current : m_model->index(row, column));
    return true;
}

void NodesPanel::pick() {
    if (m_following || !m_document) return;
    std::vector<fx::NodeId> nodes;
    for (const QItemSelectionRange& range : m_view->selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row) nodes.push_back(m_model->nodeAt(row));
    m_document->selection().select(std::move(nodes), this);
}

void NodesPanel::followSelection(QObject* source) {
    if (source == this || !m_document || m_document->state() != Document::State::Ready) return;
    const GuiScope scope("nodes.selection");
    std::vector<int> rows;
    for (const fx::NodeId node : m_document->selection().nodes())
        if (const int row = m_model->rowOf(node); row >= 0) rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    QItemSelection selection;
    const int lastColumn = m_model->columnCount() - 1;
    for (std::size_t at = 0; at < rows.size();) { // runs of rows are one range
        std::size_t end = at + 1;
        while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
        selection.append(QItemSelectionRange(m_model->index(rows[at], 0), m_model->index(rows[end - 1], lastColumn)));
        at = end;
    }
    m_following = true;
    m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (!rows.empty()) {
        m_view->selectionModel()->setCurrentIndex(m_model->index(rows.front(), 0), QItemSelectionModel::NoUpdate);
        m_view->scrollTo(m_model->index(rows.front(), 0));
    }
    m_following = false;
}

QByteArray NodesPanel::columnState() const {
    const auto* table = qobject_cast<QTableView*>(m_view);
    return table ? table->horizontalHeader()->saveState() : QByteArray();
}

void NodesPanel::restoreColumns(const QByteArray& state) {
    auto* table = qobject_cast<QTableView*>(m_view);
    if (!table || state.isEmpty()) return;
    table->horizontalHeader()->restoreState(state);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the panel and what they are connected to.
#include "ui/partition/partition_panel.h"

#include "ui/partition/drag_handle.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/wrapped_label.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace ui {

namespace {

QToolButton* tool(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

/// A row of widgets without margins; the one at `wide` takes the room.
QWidget* rowOf(QWidget* parent, std::initializer_list<QWidget*> widgets, int wide) {
    auto* bar = new QWidget(parent);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    int place = 0;
    for (QWidget* widget : widgets) layout->addWidget(widget, place++ == wide ? 1 : 0);
    return bar;
}

} // namespace

QWidget* PartitionPanel::makeOperators() {
    m_rules = tool(tr("Rules ▾"), tr("Load or save rules; ticks take precedence over them"), this);
    m_rules->setPopupMode(QToolButton::InstantPopup);
    m_rules->setMenu(makeRulesMenu());
    m_all = tool(tr("All"), tr("Support every listed operator"), this);
    m_nothing = tool(tr("None"), tr("Support no listed operator"), this);
    connect(m_all, &QToolButton::clicked, this, [this] { tickAll(true); });
    connect(m_nothing, &QToolButton::clicked, this, [this] { tickAll(false); });
    m_filter = new QLineEdit(this);
    m_filter->setPlaceholderText(tr("Filter operators"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter operators"));
    m_operators = new OperatorModel(this);
    m_filtered = new QSortFilterProxyModel(this);
    m_filtered->setSourceModel(m_operators);
    m_filtered->setFilterRole(OperatorModel::TextRole);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_filtered->setRecursiveFilteringEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filtered->setFilterFixedString(text);
        m_tree->expandAll();
    });
    connect(m_operators, &OperatorModel::ticked, this, &PartitionPanel::tick);
    m_tree = new QTreeView(this);
    m_tree->setModel(m_filtered);
    m_tree->setHeaderHidden(true);
    m_tree->setIndentation(14);
    m_tree->setUniformRowHeights(true);
    m_tree->setProperty("look", "field");
    m_tree->setMinimumHeight(96);
    m_tree->setAccessibleName(tr("Operators of the model; ticked ones are supported by the back end"));
    m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(m_tree, &QTreeView::customContextMenuRequested, this, &PartitionPanel::showOperatorMenu);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) { askWhatIf(m_operators->at(m_filtered->mapToSource(index))); });
    m_supported = tool(tr("Support"), tr("Mark the selected nodes as supported, whatever is ticked"), this);
    m_unsupported = tool(tr("Reject"), tr("Mark the selected nodes as unsupported, whatever is ticked"), this);
    m_byRule = tool(tr("As Ticked"), tr("Clear the marks of the selected nodes"), this);
    m_move = tool(tr("Move ▾"), tr("Move the selected nodes to another partition"), this);
    m_move->setPopupMode(QToolButton::InstantPopup);
    auto* moves = new QMenu(m_move);
    m_move->setMenu(moves);
    connect(moves, &QMenu::aboutToShow, this, [this, moves] {
        moves->clear();
        if (m_version && m_document && !m_document->selection().empty()) addMovesTo(*moves);
    });
    connect(m_supported, &QToolButton::clicked, this, [this] { markSelection(Support::Supported); });
    connect(m_unsupported, &QToolButton::clicked, this, [this] { markSelection(Support::Unsupported); });
    connect(m_byRule, &QToolButton::clicked, this, [this] { markSelection(Support::ByRule); });
    m_handle = new DragHandle(this);
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(4);
    auto* title = new ElidedLabel(box); // what gives way in a narrow panel
    title->setProperty("role", "heading");
    title->setText(tr("Supported"));
    column->addWidget(rowOf(box, {title, m_all, m_nothing, m_rules}, 0));
    column->addWidget(m_filter);
    column->addWidget(m_tree, 1);
    column->addWidget(flowOf(box, {m_handle, m_supported, m_unsupported, m_byRule, m_move}));
    return box;
}

/// Everything that matters without a mouse.
void PartitionPanel::makeActions() {
    const auto add = [this](const QString& text, auto then) {
        auto* action = new QAction(text, this);
        action->setProperty("path", tr("Partition: %1").arg(text)); // what the palette shows
        connect(action, &QAction::triggered, this, then);
        addAction(action);
        return action;
    };
    m_tickAllAction = add(tr("Support All Operators"), [this] { tickAll(true); });
    for (QCheckBox* box : {m_single, m_trim, m_vertical})
        add(tr("Toggle “%1”").arg(box->text()), [box] { box->toggle(); });
    m_supportAction = add(tr("Support Selected Nodes"), [this] { markSelection(Support::Supported); });
    m_refuseAction = add(tr("Reject Selected Nodes"), [this] { markSelection(Support::Unsupported); });
    m_moveAction = add(tr("Move Selected Nodes"), [this] { m_move->showMenu(); });
    m_nextAction = add(tr("Next Step of Cycle"), [this] { step(1); });
    m_previousAction = add(tr("Previous Step of Cycle"), [this] { step(-1); });
    m_timeAction = add(tr("Time"), [this] { measure(); });
    m_splitAction = add(tr("Split"), [this] { change(true); });
    m_fuseAction = add(tr("Fuse"), [this] { change(false); });
    add(tr("Show Stages"), [this] { showStages(true); });
    add(tr("Show Partitions by Rules"), [this] { showStages(false); });
}

QMenu* PartitionPanel::makeRulesMenu() {
    auto* menu = new QMenu(this);
    menu->addAction(tr("Load RULES.json…"), this, [this] {
        const QString path =
            FileDialog::openFile(this, tr("Load Rules"), QString(), tr("Rules (*.json);;All files (*)"));
        if (!path.isEmpty()) loadRules(path);
    });
    menu->addAction(tr("Save as RULES.json…"), this, [this] {
        const QString path =
            FileDialog::saveFile(this, tr("Save Rules"), QStringLiteral("RULES.json"), tr("Rules (*.json)"));
        if (!path.isEmpty()) saveRules(path);
    });
    m_profileAction = menu->addAction(tr("Use oneDNN Profile"), this, &PartitionPanel::takeProfile);
    m_profileAction->setProperty("path", tr("Partition: Use oneDNN Profile"));
    menu->setToolTipsVisible(true);
    addAction(m_profileAction);
    menu->addSeparator();
    menu->addAction(tr("Clear Rules, Ticks and Marks"), this, [this] { setDraft({}); });
    return menu;
}

QWidget* PartitionPanel::makeFlags() {
    m_single = new QCheckBox(tr("Allow single nodes"), this);
    m_single->setToolTip(tr("Keep partitions of one node (allows_single_node_partition)"));
    m_trim = new QCheckBox(tr("Trim ends"), this);
    m_trim->setToolTip(tr("Remove non-compute operators from the ends of partitions "
                          "(remove_bookend_non_compute_ops).\nRight-click an operator to mark it as non-compute."));
    m_vertical = new QCheckBox(tr("No horizontal fusion"), this);
    m_vertical->setToolTip(tr("Merge only nodes that feed each other (skip_horizontal_fusion)"));
    for (QCheckBox* box : {m_single, m_trim, m_vertical}) connect(box, &QCheckBox::toggled, this, &PartitionPanel::run);
    return flowOf(this, {m_single, m_trim, m_vertical}, FlowLayout::Rest::Empty, FlowLayout::kBetweenBoxes);
}

QWidget* PartitionPanel::makeStatus() {
    m_status = new WrappedLabel(this);
    m_status->setTextFormat(Qt::PlainText);
    m_status->setMinimumHeight(26);
    m_status->setIndent(8);
    m_hint = new WrappedLabel(this);
    m_hint->setProperty("role", "muted");
    m_whatIf = new WrappedLabel(this);
    m_whatIf->setTextFormat(Qt::RichText);
    m_whatIf->setProperty("role", "ok");
    m_whatIf->setMinimumHeight(26);
    m_whatIf->hide();
    m_handNote = new WrappedLabel(this);
    m_handNote->setTextFormat(Qt::RichText);
    m_handNote->hide();
    for (QLabel* label : {m_whatIf, m_handNote}) {
        label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(label, &QLabel::linkActivated, this, &PartitionPanel::follow);
    }
    m_why = new QLabel;
    m_why->setWordWrap(true);
    m_why->setTextFormat(Qt::RichText);
    m_why->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_why->setMargin(8);
    m_why->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_why, &QLabel::linkActivated, this, &PartitionPanel::follow);
    m_whyArea = new QScrollArea(this);
    m_whyArea->setWidget(m_why);
    m_whyArea->setWidgetResizable(true);
    m_whyArea->setProperty("look", "field");
    m_whyArea->setMinimumHeight(28); // it gives way to notes above it: what is above those is clicked
    m_whyArea->setAccessibleName(tr("Why"));
    m_previous = tool(QStringLiteral("◂"), tr("Previous step of the cycle"), this);
    m_next = tool(QStringLiteral("▸"), tr("Next step of the cycle"), this);
    m_place = new QLabel(this);
    m_place->setProperty("role", "muted");
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    m_whyBar = rowOf(this, {heading(tr("Why?"), this), m_previous, m_place, m_next}, 0);
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    for (QWidget* widget : {static_cast<QWidget*>(m_status), static_cast<QWidget*>(m_hint),
                            static_cast<QWidget*>(m_handNote), static_cast<QWidget*>(m_whatIf), m_whyBar})
        column->addWidget(widget);
    column->addWidget(m_whyArea, 1);
    return box;
}

QWidget* PartitionPanel::makeTable() {
    m_partitions = new PartitionTableModel(this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_partitions);
    m_sorted->setSortRole(PartitionTableModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(0, Qt::AscendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(26);
    m_table->horizontalHeader()->setStretchLastSection(true);
    int place = PartitionTableModel::Nodes; // time and bytes before the mere counts, which a narrow panel scrolls
    for (const int column : {PartitionTableModel::Time, PartitionTableModel::BytesIn, PartitionTableModel::BytesOut})
        m_table->horizontalHeader()->moveSection(m_table->horizontalHeader()->visualIndex(column), ++place);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &PartitionPanel::fitColumns);
    m_table->horizontalHeader()->setProperty("look", "dense");
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setProperty("look", "field");
    m_table->setMinimumHeight(62);
    m_table->setObjectName(QStringLiteral("partitions"));
    m_table->setAccessibleName(tr("Partitions"));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &PartitionPanel::showRowMenu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PartitionPanel::selectRows);
    m_table->setDragDropMode(QAbstractItemView::DragDrop);
    m_table->setDragDropOverwriteMode(true); // onto rows, not between them
    m_table->setDefaultDropAction(Qt::MoveAction);
    // Partitions change under the view, which is still at the drop: afterwards.
    connect(m_partitions, &PartitionTableModel::joined, this, &PartitionPanel::joinRows, Qt::QueuedConnection);
    connect(m_partitions, &PartitionTableModel::selectionDropped, this, &PartitionPanel::moveSelection,
            Qt::QueuedConnection);
    m_times = new QLabel(this);
    m_times->setWordWrap(true);
    m_times->setProperty("role", "muted");
    m_times->hide();
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_table, 1);
    column->addWidget(m_times);
    return box;
}

QWidget* PartitionPanel::makeButtons() {
    m_time = new QPushButton(tr("Time"), this);
    connect(m_time, &QPushButton::clicked, this, &PartitionPanel::measure);
    m_split = new QPushButton(tr("Split"), this);
    m_fuse = new QPushButton(tr("Fuse"), this);
    m_fuse->setProperty("primary", true);
    connect(m_split, &QPushButton::clicked, this, [this] { change(true); });
    connect(m_fuse, &QPushButton::clicked, this, [this] { change(false); });
    return flowOf(this, {m_time, m_split, m_fuse}, FlowLayout::Rest::Fill);
}

} // namespace ui

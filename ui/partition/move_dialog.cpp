// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/move_dialog.h"

#include "ui/document/node_facts.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/core_text.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kNameLength = 36; ///< rows are read without scrolling

enum MoveRole { NumberRole = Qt::UserRole, SearchRole };

/// "partition 12 · 31 nodes · conv1 to fc"
QStandardItem* itemFor(const fx::Graph& graph, const fx::Partition& partition, int number) {
    const auto name = [&](fx::NodeId node) { return fromCore(graph.node(node).name()); };
    const auto shown = [&](fx::NodeId node) { return elided(graph.node(node).name(), kNameLength); };
    const auto& nodes = partition.nodes;
    QString text = MoveDialog::tr("partition %1").arg(number) + QStringLiteral(" · ") +
                   (nodes.size() == 1 ? MoveDialog::tr("1 node") : MoveDialog::tr("%1 nodes").arg(nodes.size()));
    if (!nodes.empty())
        text += QStringLiteral(" · ") +
                (nodes.size() == 1 ? shown(nodes.front())
                                   : MoveDialog::tr("%1 to %2").arg(shown(nodes.front()), shown(nodes.back())));
    QString searched = text;
    for (const fx::NodeId node : nodes) searched += u' ' + name(node);
    auto* item = new QStandardItem(partitionSwatch(static_cast<std::size_t>(number)), text); // the model owns it
    item->setData(number, NumberRole);
    item->setData(searched, SearchRole);
    return item;
}

} // namespace

MoveDialog::MoveDialog(const fx::Graph& graph, const PartitionOutcome& outcome, int without,
                       const std::vector<int>& first, QWidget* parent)
    : QDialog(parent), m_search(new QLineEdit(this)), m_list(new QListView(this)),
      m_found(new QSortFilterProxyModel(this)) {
    setWindowTitle(tr("Move to Partition"));
    auto* model = new QStandardItemModel(this);
    const auto& partitions = outcome.report.partitions;
    const auto add = [&](int number) {
        if (number != without) model->appendRow(itemFor(graph, partitions[static_cast<std::size_t>(number)], number));
    };
    for (const int number : first) add(number);
    std::vector<bool> isListed(partitions.size(), false);
    for (const int number : first) isListed[static_cast<std::size_t>(number)] = true;
    for (std::size_t i = 0; i < partitions.size(); ++i)
        if (!isListed[i]) add(static_cast<int>(i));
    m_found->setSourceModel(model);
    m_found->setFilterRole(SearchRole);
    m_found->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_search->setPlaceholderText(tr("Number of the partition, or a node in it"));
    m_search->setAccessibleName(tr("Find partition"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this); // arrows go to the list
    m_list->setModel(m_found);
    m_list->setUniformItemSizes(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    constexpr int kBesideRow = 28; // px: frame and scroll bar
    m_list->setMinimumSize(std::max(360, m_list->sizeHintForColumn(0) + kBesideRow), 220);
    m_none = new QLabel(tr("No partition contains this text"), m_list);
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setProperty("role", "muted");
    auto* over = new QVBoxLayout(m_list);
    over->addWidget(m_none);
    m_list->setAccessibleName(tr("Partitions"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_move = buttons->addButton(tr("Move"), QDialogButtonBox::AcceptRole);
    m_move->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_search);
    column->addWidget(m_list, 1);
    column->addWidget(buttons);
    connect(m_search, &QLineEdit::textChanged, this, &MoveDialog::find);
    connect(m_list, &QListView::doubleClicked, this, &QDialog::accept);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &MoveDialog::updateButton);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    find({});
}

/// A number alone means the partition with this number, before those with it in a name.
void MoveDialog::find(const QString& text) {
    m_found->setFilterFixedString(text.trimmed());
    int row = 0;
    for (int i = 0; i < m_found->rowCount(); ++i)
        if (m_found->index(i, 0).data(NumberRole).toString() == text.trimmed()) row = i;
    m_list->setCurrentIndex(m_found->index(row, 0));
    updateButton();
}

void MoveDialog::updateButton() {
    m_move->setEnabled(partition() >= 0);
    m_none->setVisible(m_found->rowCount() == 0);
    m_move->setToolTip(partition() >= 0 ? QString() : tr("no partition contains this text"));
}

int MoveDialog::partition() const {
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? index.data(NumberRole).toInt() : -1;
}

bool MoveDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int by = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (by != 0) {
            const int row = std::clamp(m_list->currentIndex().row() + by, 0, std::max(0, m_found->rowCount() - 1));
            m_list->setCurrentIndex(m_found->index(row, 0));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/change_list.h"

#include "core/ir/print.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/theme.h"

#include <QHeaderView>

namespace ui {

namespace {

using Kind = VersionDifference::Kind;

const Theme::Role& roleOf(Kind kind) {
    return kind == Kind::Created ? theme().ok : kind == Kind::Erased ? theme().error : theme().warning;
}

/// As it is now; of an erased one as it was.
const fx::Node& shown(const VersionDifference& difference, fx::NodeId node) {
    return (difference.kindOf(node) == Kind::Erased ? difference.before : difference.after)->graph.node(node);
}

/// The line of the printed graph, before and after.
QString toolTipOf(const VersionDifference& difference, fx::NodeId id) {
    const auto line = [&](const fx::Graph& graph) { return elided(fx::formatNode(graph, graph.node(id)), 600); };
    const Kind kind = difference.kindOf(id);
    QString text = kind == Kind::Created ? QString() : QStringLiteral("− ") + line(difference.before->graph);
    if (kind == Kind::Changed) text += u'\n';
    if (kind != Kind::Erased) text += QStringLiteral("+ ") + line(difference.after->graph);
    return plainToolTip(text);
}

} // namespace

void ChangeModel::setDifference(std::shared_ptr<const VersionDifference> difference) {
    beginResetModel();
    m_difference = std::move(difference);
    endResetModel();
}

QString ChangeModel::textOf(int row, int column) const {
    const fx::NodeId id = nodeAt(row);
    const fx::Node& node = shown(*m_difference, id);
    const Kind kind = m_difference->kindOf(id);
    if (column == What && kind != Kind::Erased && m_difference->hasRandomWeights(id))
        return kind == Kind::Created ? tr("created, random weights") : tr("new random weights");
    if (column == What)
        return kind == Kind::Created            ? tr("created")
               : kind == Kind::Erased           ? tr("erased")
               : m_difference->hasNewModule(id) ? tr("new module")
                                                : tr("changed");
    if (column == Target) return elided(targetText(node), 200);
    const std::string& before = kind == Kind::Changed ? m_difference->before->graph.node(id).name() : node.name();
    return before == node.name() ? elided(node.name(), 200)
                                 : tr("%1, was %2").arg(elided(node.name(), 200), elided(before, 200));
}

QVariant ChangeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Kind kind = m_difference->kindOf(nodeAt(index.row()));
    if (role == Qt::DisplayRole) return textOf(index.row(), index.column());
    if (role == Qt::ToolTipRole) return toolTipOf(*m_difference, nodeAt(index.row()));
    if (role == Qt::ForegroundRole && index.column() != Name)
        return index.column() == What ? roleOf(kind).line : theme().muted;
    if (role != Qt::FontRole) return {};
    QFont font = index.column() == Name ? semiboldFont() : index.column() == Target ? monoFont() : QFont();
    font.setStrikeOut(index.column() == Name && kind == Kind::Erased);
    return index.column() == What ? QVariant() : font;
}

QVariant ChangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == What ? tr("change") : section == Name ? tr("node") : tr("calls");
}

ChangeList::ChangeList(QWidget* parent) : QTreeView(parent), m_model(new ChangeModel(this)) {
    setModel(m_model);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setHeaderHidden(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Changed nodes"));
    constexpr int kMeasured = 50; // rows from the first that is seen
    header()->setResizeContentsPrecision(kMeasured);
    header()->setStretchLastSection(true);
    header()->setSectionResizeMode(ChangeModel::What, QHeaderView::ResizeToContents);
    header()->setSectionResizeMode(ChangeModel::Name, QHeaderView::ResizeToContents);
    header()->setMaximumSectionSize(200);
    const auto choose = [this](const QModelIndex& index) {
        if (index.isValid()) Q_EMIT chosen(m_model->nodeAt(index.row()));
    };
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this, choose] { choose(selectionModel()->selectedRows().value(0)); });
    connect(this, &QTreeView::clicked, this, choose); // again, after one has looked elsewhere
}

} // namespace ui

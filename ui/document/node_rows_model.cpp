// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_rows_model.h"

#include <algorithm>
#include <numeric>

namespace ui {

void NodeRowsModel::setModule(std::shared_ptr<const fx::GraphModule> module) {
    m_module = std::move(module);
    moduleChanged();
    beginResetModel();
    m_isWhole = m_module != nullptr;
    m_rows.clear();
    m_rowOf.clear();
    endResetModel();
}

void NodeRowsModel::setNotes(std::shared_ptr<const fx::GraphModule> module) {
    m_module = std::move(module);
    moduleChanged();
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void NodeRowsModel::setRows(std::vector<fx::NodeId> rows) {
    beginResetModel();
    m_isWhole = false;
    m_rows = std::move(rows);
    number();
    endResetModel();
}

void NodeRowsModel::collect() const {
    m_isWhole = false;
    m_rows = m_module->graph.order();
    number();
}

void NodeRowsModel::number() const {
    m_rowOf.assign(m_module ? m_module->graph.idLimit() : 0, -1);
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[fx::index(m_rows[row])] = static_cast<std::int32_t>(row);
}

int NodeRowsModel::rowOf(fx::NodeId node) const {
    known();
    return fx::index(node) < m_rowOf.size() ? m_rowOf[fx::index(node)] : -1;
}

int NodeRowsModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return static_cast<int>(m_isWhole ? m_module->graph.size() : m_rows.size());
}

QVariant NodeRowsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const fx::Node& node = m_module->graph.node(nodeAt(index.row()));
    if (role == NodeIdRole) return fx::index(node.id());
    if (role == OpRole) return static_cast<int>(node.op());
    return cell(node, index.column(), role);
}

Qt::ItemFlags NodeRowsModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return index.isValid() && fieldOf(index.column()) ? flags | Qt::ItemIsEditable : flags;
}

bool NodeRowsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const auto field = index.isValid() && role == Qt::EditRole ? fieldOf(index.column()) : std::nullopt;
    if (!field || value.toString() == data(index, Qt::EditRole).toString()) return false;
    Q_EMIT edited(nodeAt(index.row()), *field, value.toString());
    return true;
}

void NodeRowsModel::sort(int column, Qt::SortOrder order) { Q_EMIT sortRequested(column, order); }

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The end of the run of digits at `at`, and its first digit that is not zero.
std::pair<std::size_t, std::size_t> digitRun(std::string_view text, std::size_t at) {
    std::size_t start = at, end = at;
    while (end < text.size() && isDigit(text[end])) ++end;
    while (start + 1 < end && text[start] == '0') ++start;
    return {start, end};
}

} // namespace

bool naturalLess(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const auto [startA, endA] = digitRun(a, i);
            const auto [startB, endB] = digitRun(b, j);
            if (endA - startA != endB - startB) return endA - startA < endB - startB;
            const int compared = a.substr(startA, endA - startA).compare(b.substr(startB, endB - startB));
            if (compared != 0) return compared < 0;
            i = endA;
            j = endB;
        } else {
            if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

FindResult orderedRows(const fx::GraphModule& module, const FindIndex& index, const RowOrder& order,
                       const std::function<std::string(const fx::Node&)>& key, const fx::Progress& progress) {
    FindResult rows;
    if (order.filter.text.isEmpty()) rows.nodes = index.order();
    else rows = index.find(order.filter, progress);
    if (key) {
        std::vector<std::string> keys;
        keys.reserve(rows.nodes.size());
        for (const fx::NodeId node : rows.nodes) {
            if (keys.size() % 1024 == 0) progress.check();
            keys.push_back(key(module.graph.node(node)));
        }
        std::vector<std::uint32_t> permutation(keys.size());
        std::iota(permutation.begin(), permutation.end(), 0u);
        const bool descending = order.order == Qt::DescendingOrder;
        std::stable_sort(permutation.begin(), permutation.end(), [&](std::uint32_t a, std::uint32_t b) {
            return descending ? naturalLess(keys[b], keys[a]) : naturalLess(keys[a], keys[b]);
        });
        std::vector<fx::NodeId> sorted;
        sorted.reserve(permutation.size());
        for (const std::uint32_t at : permutation) sorted.push_back(rows.nodes[at]);
        rows.nodes = std::move(sorted);
    }
    return rows;
}

} // namespace ui

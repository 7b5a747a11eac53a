// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_table_model.h"

#include "ui/document/op_explanation.h"
#include "ui/widgets/core_text.h"

namespace ui {

QVariant NodeTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    if (orientation == Qt::Vertical) return section + 1;
    if (section < 0 || section >= kColumns) return {};
    // The first five are words of torch.fx and stay as they are in every language.
    if (section <= Kwargs) return QString::fromLatin1(fx::kTabularHeaders[static_cast<std::size_t>(section)]);
    const QString headers[] = {tr("type"), tr("shape"), tr("dtype")};
    return headers[section - Type];
}

std::function<std::string(const fx::Node&)> NodeTableModel::sortKey(int column) const {
    const fx::GraphModule* graphModule = module();
    if (column < 0 || column >= kColumns || !graphModule) return {};
    switch (column) {
    case Name: return [](const fx::Node& node) { return node.name(); };
    case Type:
        return [lookup = std::make_shared<ModuleLookup>(*graphModule->root)](const fx::Node& node) {
            return typeText(node, *lookup);
        };
    case Shape: return shapeText;
    case DType: return dtypeText;
    default:
        return [graphModule, column](const fx::Node& node) {
            return std::move(fx::tabularRow(graphModule->graph, node)[static_cast<std::size_t>(column)]);
        };
    }
}

void NodeTableModel::moduleChanged() {
    m_cells.clear();
    m_modules = module() ? std::make_unique<ModuleLookup>(*module()->root) : nullptr;
}

QString NodeTableModel::text(const fx::Node& node, int column) const {
    switch (column) {
    case Type: return elided(typeText(node, *m_modules));
    case Shape: return elided(shapeText(node));
    case DType: return elided(dtypeText(node));
    default: break;
    }
    const std::uint32_t key = fx::index(node.id());
    fx::TabularRow* row = m_cells.object(key);
    if (!row) {
        row = new fx::TabularRow(fx::tabularRow(module()->graph, node)); // owned by the cache
        m_cells.insert(key, row);
    }
    return elided((*row)[static_cast<std::size_t>(column)]);
}

std::optional<NodeRowsModel::Field> NodeTableModel::fieldOf(int column) const {
    switch (column) {
    case Name: return Field::Name;
    case Args: return Field::Args;
    case Kwargs: return Field::Kwargs;
    default: return {};
    }
}

QVariant NodeTableModel::cell(const fx::Node& node, int column, int role) const {
    if (role == Qt::EditRole)
        return fromCore(column == Name ? node.name()
                                       : fx::tabularRow(module()->graph, node)[static_cast<std::size_t>(column)]);
    if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return text(node, column);
    if (role == Qt::ToolTipRole) return column == Opcode ? opExplanation(node.op()) : plainToolTip(text(node, column));
    return {};
}

std::function<std::string(const fx::Node&)> NodeListModel::sortKey(int column) const {
    if (column != 0) return {};
    return [](const fx::Node& node) { return node.name(); };
}

QVariant NodeListModel::cell(const fx::Node& node, int, int role) const {
    switch (role) {
    case Qt::DisplayRole: return elided(node.name());
    case Qt::EditRole: return QString::fromStdString(node.name());
    case DetailRole: return elided(targetText(node));
    case Qt::ToolTipRole: return plainToolTip(elided(node.name()) + u'\n' + elided(targetText(node)));
    case Qt::AccessibleTextRole:
        return elided(node.name() + ", " + std::string(fx::opName(node.op())) + " " + targetText(node));
    default: return {};
    }
}

} // namespace ui

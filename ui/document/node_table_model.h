// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/node_facts.h"
#include "ui/document/node_rows_model.h"

#include "core/codegen/tabular.h"

#include <QCache>

namespace ui {

/// Model of the Table panel: the columns of torch.fx's `print_tabular`, then additional columns of Lancet.
class NodeTableModel final : public NodeRowsModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column { Opcode, Name, Target, Args, Kwargs, Type, Shape, DType, kColumns };

    using NodeRowsModel::NodeRowsModel;

    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    std::function<std::string(const fx::Node&)> sortKey(int column) const override;
    std::optional<Field> fieldOf(int column) const override;

private:
    QVariant cell(const fx::Node& node, int column, int role) const override;
    void moduleChanged() override;
    QString text(const fx::Node& node, int column) const;

    mutable QCache<std::uint32_t, fx::TabularRow> m_cells{512}; ///< the rows painted last
    mutable std::unique_ptr<ModuleLookup> m_modules;
};

/// Model of the Nodes tab of the outline: name, and the target as detail.
class NodeListModel final : public NodeRowsModel {
    Q_OBJECT
public:
    using NodeRowsModel::NodeRowsModel;

    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : 1; }
    std::function<std::string(const fx::Node&)> sortKey(int column) const override;
    std::optional<Field> fieldOf(int column) const override {
        return column == 0 ? std::optional(Field::Name) : std::nullopt;
    }

private:
    QVariant cell(const fx::Node& node, int column, int role) const override;
};

} // namespace ui

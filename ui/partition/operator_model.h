// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_run.h"

#include <QAbstractItemModel>

namespace ui {

/// The operators in a model, by kind, with a check box: supported (checked) or unsupported (unchecked), according to
/// the user's setting or else to the rules of the file.
///
/// An operator is partially checked only if rules or marks support some of its nodes and not others; a kind, if its
/// operators differ.
class OperatorModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    /// Roles besides Qt's.
    enum Role { TextRole = Qt::UserRole, KeyRole };
    using QAbstractItemModel::QAbstractItemModel;

    void setOperators(std::vector<MetOperator> operators); ///< Replaces all rows.
    /// Updates the check boxes, and the number of nodes of each operator that the rules support.
    void setDraft(const SupportDraft& draft, const std::vector<std::string>& nonCompute);
    const SupportDraft& draft() const { return m_draft; }                       ///< The draft that is shown.
    const std::vector<std::string>& nonCompute() const { return m_nonCompute; } ///< The non-compute functions.
    /// Updates the numbers of nodes that partitions contain.
    void setOutcome(const PartitionOutcome& outcome);
    const std::vector<MetOperator>& operators() const { return m_operators; } ///< The operators, by kind.
    /// The operator of a row; null for a kind.
    const MetOperator* at(const QModelIndex& index) const;
    QModelIndex indexOf(const MetOperator& op) const; ///< The row of an operator.
    /// The operator of a node, or null.
    const MetOperator* of(fx::NodeId node) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& = {}) const override { return 2; }
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    /// Emitted when the user changes the support of operators.
    void ticked(const std::vector<const MetOperator*>& operators, Support support);

private:
    struct Group {
        MetOperator::Kind kind;
        std::size_t first = 0, count = 0; ///< index in `m_operators`
    };
    QVariant groupData(const Group& group, int column, int role) const;
    Qt::CheckState stateOf(const MetOperator& op) const;
    Qt::CheckState stateOf(const Group& group) const;
    QString countOf(const MetOperator& op) const;
    Support next(const MetOperator& op) const;

    std::vector<MetOperator> m_operators;
    std::vector<Group> m_groups;
    std::vector<std::uint32_t> m_supported; ///< by operator: number of supported nodes
    std::vector<std::int32_t> m_of;         ///< by node id
    SupportDraft m_draft;
    std::vector<std::string> m_nonCompute;
    bool m_hasOutcome = false;
};

} // namespace ui

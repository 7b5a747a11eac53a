// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"
#include "ui/document/shape_notes.h"

#include <QAbstractTableModel>

namespace ui {

/// One row of the Problems panel.
struct Problem {
    /// Notes are not counted as problems.
    enum class Severity { Note, Warning, Error };
    Severity severity = Severity::Warning;
    QString what;                  ///< the text
    fx::NodeId node = fx::kNoNode; ///< kNoNode: no node
    QString place;                 ///< node, module path or position in the file, as text
    bool isShape = false;          ///< from shape inference; replaced with the next result
};

/// Returns all problems reported by the reader of a module and by lint, with their nodes, then notes on the import of
/// the file.
std::vector<Problem> problemsOf(const fx::GraphModule& module);

/// Returns the number of warnings and errors.
qsizetype problemCount(const std::vector<Problem>& problems);

/// True if shapes or dtypes of the operands may be the cause: only errors that LibTorch raises while it computes can be
/// due to them.
bool isShapeMismatch(const fx::ShapeFailure& failure);

/// Describes a shape failure: the input shapes, their origins and the likely cause. The cause is an edit before the
/// node if the original accepts the same inputs. `guessed` are the guessed inputs, which may be the cause if it does
/// not.
Problem problemOf(const fx::ShapeFailure& failure, fx::NodeId node, const QString& guessed,
                  OriginalTakes original = OriginalTakes::Unknown);

/// Model of the problems of a document, one row each.
class ProblemsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column { What, Place, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces all rows.
    void setProblems(std::vector<Problem> problems);
    const Problem& at(int row) const { return m_problems[static_cast<std::size_t>(row)]; } ///< The problem of a row.

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_problems.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<Problem> m_problems;
};

} // namespace ui

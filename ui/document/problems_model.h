// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"
#include "ui/document/shape_notes.h"

#include <QAbstractTableModel>

namespace ui {

/// One line of the Problems panel.
struct Problem {
    enum class Severity { Note, Warning, Error };
    Severity severity = Severity::Warning;
    QString what;
    fx::NodeId node = fx::kNoNode;
    QString place;        ///< node, module path or position in the file, as text
    bool isShape = false; ///< found while inferring shapes; replaced with the next result
};

/// All problems reported by a module's reader and by lint, with their nodes, then notes on what became of the file.
std::vector<Problem> problemsOf(const fx::GraphModule& module);

/// Without notes.
qsizetype problemCount(const std::vector<Problem>& problems);

/// Whether shapes of the operands may be at fault: only what LibTorch refuses while it computes can be due to them.
bool isShapeMismatch(const fx::ShapeFailure& failure);

/// A shape mismatch: the input shapes, their origins, and the likely cause: an edit that leads to the node, where the
/// original takes the same inputs. `guessed`: the guessed inputs, which may be the real cause where it does not.
Problem problemOf(const fx::ShapeFailure& failure, fx::NodeId node, const QString& guessed,
                  OriginalTakes original = OriginalTakes::Unknown);

/// Warnings and errors of a document as rows.
class ProblemsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, Place, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    void setProblems(std::vector<Problem> problems);
    const Problem& at(int row) const { return m_problems[static_cast<std::size_t>(row)]; }

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

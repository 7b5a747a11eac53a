// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_instrument.h"

#include <QAbstractTableModel>
#include <QDialog>

class QLabel;
class QPushButton;
class QTableView;

namespace ui {

/// The result of the pass `onednn` for one layer.
struct LayerReport {
    /// Folded: a normalisation, into the weights of a layer. Unused: possible, but not shown to be faster.
    enum class Outcome { Fused, Folded, Unused, Refused };
    Outcome outcome = Outcome::Fused;     ///< the result
    QString layer;                        ///< "conv1 + bn1 + relu", or the layer that stays as it is
    std::string node;                     ///< a node of the layer
    QString kernel, why;                  ///< "oneDNN"; `why`: why the layer stays as it is, or is fused nevertheless
    double plainMs = 0, ms = 0;           ///< milliseconds before and after fusing; 0: not measured
    double factor = 0, low = 0, high = 0; ///< speed-up with its interval; 0: unknown
};
/// The layers of a report, and the result for the whole model.
struct OptimiseFacts {
    /// The result for the whole model.
    enum class Whole { NotMeasured, Faster, NotFaster, TooFew };
    std::vector<LayerReport> layers;  ///< in the order of the report
    Whole whole = Whole::NotMeasured; ///< selects the valid fields below
    int rounds = 0;                   ///< with TooFew: the number of measurements
    /// Times, and the speed-up with its 95 % interval.
    double beforeMs = 0, afterMs = 0, factor = 0, low = 0, high = 0;
};
OptimiseFacts optimiseFacts(const fx::Warnings& notes); ///< Extracts the facts from the notes of a report.
/// Describes the result for the whole model in sentences.
QString wholeText(const OptimiseFacts& facts);

/// The layers as a table: fused and unchanged layers with the reason, and milliseconds of each.
class LayerReportModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `Columns` is their number.
    enum Column { Layer, Kernel, Before, After, Outcome, Columns };
    /// The rows never change.
    explicit LayerReportModel(std::vector<LayerReport> layers, QObject* parent = nullptr);
    /// The layer of a row.
    const LayerReport& at(int row) const { return m_layers[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_layers.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<LayerReport> m_layers;
};

/// Window with the report of "Optimise for This CPU".
class OptimiseReport final : public QDialog {
    Q_OBJECT
public:
    /// `warnings` include reasons why the times are unreliable.
    OptimiseReport(const QString& title, const fx::PassReport& report, const fx::Warnings& warnings, QWidget* parent);
    QTableView* table() const { return m_table; }        ///< The layers.
    QLabel* count() const { return m_count; }            ///< The numbers of fused and unchanged layers.
    QLabel* whole() const { return m_whole; }            ///< The result for the whole model.
    QLabel* doubts() const { return m_doubts; }          ///< The warnings.
    QPushButton* heatBefore() const { return m_before; } ///< Requests the heat map of the times before.
    QPushButton* heatAfter() const { return m_after; }   ///< Requests the heat map of the times after.

Q_SIGNALS:
    /// Emitted when the user chooses a layer; `node` is a node of it.
    void nodeChosen(const std::string& node);
    /// Emitted when the heat map of the times before or after should be shown.
    void heatRequested(bool after);

private:
    void fitColumns();

    QTableView* m_table;
    QLabel *m_count, *m_whole, *m_doubts;
    QPushButton *m_before, *m_after;
};

} // namespace ui

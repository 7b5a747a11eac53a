// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_instrument.h"

#include <QAbstractTableModel>
#include <QDialog>

class QLabel;
class QPushButton;
class QTableView;

namespace ui {

/// What the pass `onednn` says of one layer.
struct LayerReport {
    /// Folded: a normalisation, into the weights of a layer. Unused: possible, but not shown to be faster.
    enum class Outcome { Fused, Folded, Unused, Refused };
    Outcome outcome = Outcome::Fused;
    QString layer;                        ///< "conv1 + bn1 + relu", or the layer that stays as it is
    std::string node;                     ///< a node of it
    QString kernel, why;                  ///< "oneDNN"; why it stays as it is, or is fused all the same
    double plainMs = 0, ms = 0;           ///< as it was and fused; 0: not measured
    double factor = 0, low = 0, high = 0; ///< how many times as fast; 0: not known
};
/// The layers of a report, and what it says of the whole model.
struct OptimiseFacts {
    enum class Whole { NotMeasured, Faster, NotFaster, TooFew };
    std::vector<LayerReport> layers;
    Whole whole = Whole::NotMeasured;
    int rounds = 0; ///< if there were too few
    double beforeMs = 0, afterMs = 0, factor = 0, low = 0, high = 0;
};
OptimiseFacts optimiseFacts(const fx::Warnings& notes);
/// What came out for the whole model, as sentences.
QString wholeText(const OptimiseFacts& facts);

/// The layers as a table: what was fused, what not and why, milliseconds of each.
class LayerReportModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Layer, Kernel, Before, After, Outcome, Columns };
    explicit LayerReportModel(std::vector<LayerReport> layers, QObject* parent = nullptr);
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

/// The report of "Optimise for This CPU".
class OptimiseReport final : public QDialog {
    Q_OBJECT
public:
    /// `warnings`: what makes the times unreliable, among others.
    OptimiseReport(const QString& title, const fx::PassReport& report, const fx::Warnings& warnings, QWidget* parent);
    QTableView* table() const { return m_table; }
    QLabel* count() const { return m_count; }
    QLabel* whole() const { return m_whole; }
    QLabel* doubts() const { return m_doubts; }
    QPushButton* heatBefore() const { return m_before; }
    QPushButton* heatAfter() const { return m_after; }

Q_SIGNALS:
    void nodeChosen(const std::string& node);
    /// The heat map of the times before or after is to be shown.
    void heatRequested(bool after);

private:
    void fitColumns();

    QTableView* m_table;
    QLabel *m_count, *m_whole, *m_doubts;
    QPushButton *m_before, *m_after;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/timing/frozen_table.h"
#include "ui/timing/heat_map.h"
#include "ui/timing/timing_session.h"

#include <QPointer>
#include <QWidget>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QTabWidget;
class QTextBrowser;
class QToolButton;

namespace ui {

class CurveChart;
class NodeTimesModel;
class TimeBars;
class TypeTimesModel;

/// The Timing panel: the original against the current version with interval and verdict, times by node and by type, the
/// history over edits, and a sweep over batch sizes. Everything can be copied as text, CSV and JSON.
class TimingPanel final : public QWidget {
    Q_OBJECT
public:
    explicit TimingPanel(QWidget* parent = nullptr); ///< Creates a panel without a session.
    /// Shows another session; null if no file is open.
    void setSession(TimingSession* session);
    TimingSession* session() const { return m_session; } ///< The session, or null.
    /// Returns threads, seconds and batch sizes as JSON.
    QByteArray remembered() const;
    void recall(const QByteArray& json); ///< Restores the result of `remembered`.
    /// The times as colours of the canvas; empty if nothing was timed.
    const HeatMap& heat() const { return m_heatMap; }

    QLabel* verdict() const { return m_verdict; }         ///< The verdict as a badge.
    QPushButton* starts() const { return m_start; }       ///< Starts or stops timing.
    QComboBox* threads() const { return m_threads; }      ///< The number of threads.
    QDoubleSpinBox* seconds() const { return m_seconds; } ///< The duration.
    QToolButton* heatButton() const { return m_heat; }    ///< The button of the heat map; the window sets its action.
    QToolButton* copies() const { return m_copy; }        ///< The menu of copies.
    QTextBrowser* page() const { return m_page; }         ///< The description of the result.
    FrozenTable* nodes() const { return m_nodes; }        ///< The times by node.
    QTableView* types() const { return m_types; }         ///< The times by type.
    QTabWidget* tabs() const { return m_tabs; }           ///< The tabs of the details.
    CurveChart* history() const { return m_history; }     ///< The times over edits.
    CurveChart* curve() const { return m_curve; }         ///< The times over batch sizes.
    QLineEdit* batches() const { return m_batches; }      ///< The batch sizes of a sweep.
    QPushButton* sweeps() const { return m_sweep; }       ///< Starts or stops a sweep.
    /// The text shown while there are no results.
    QLabel* emptyText() const { return m_emptyText; }
    QPushButton* emptyButton() const { return m_emptyButton; } ///< The button below that text.

public Q_SLOTS:
    void copyText(); ///< Copies the result as text.
    void copyCsv();  ///< Copies the result as CSV.
    void copyJson(); ///< Copies the result as JSON.

Q_SIGNALS:
    void inputsRequested(); ///< Emitted when the user wants to edit the inputs.
    /// Emitted with messages for the status bar.
    void notified(const QString& what);
    /// Emitted when `heat` changes.
    void heatChanged();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeEmpty();
    QWidget* makeNodes();
    QWidget* makeSweep();
    void setUpTable(QTableView& table, QAbstractItemModel* model, QSortFilterProxyModel*& sorted, const QString& name);
    void show();
    void showHeat();
    void showHead();
    void showProgress();
    void showVerdict();
    void showNodes();
    void fitNames();
    void showSelected();
    void showHistory();
    void showSweep();
    /// Parses sizes and returns them in ascending order; empty if the text is invalid.
    static std::vector<std::int64_t> batchesFrom(const QString& text);
    /// Shows a hint if there are no results. Returns false if there are results.
    bool showEmpty();
    void startOrStop();
    void startSweep();
    void takeSettings();
    void goToNode(const QModelIndex& index);
    void selectType(const QModelIndex& index);
    const fx::timing::BenchResult* result() const;
    const std::vector<SweepPoint>& sweep() const;

    QPointer<TimingSession> m_session;
    HeatMap m_heatMap;
    TaskSlot<std::unordered_map<std::string, double>> m_groups{"timing.groups"};
    NodeTimesModel* m_nodeTimes;
    TypeTimesModel* m_typeTimes;
    QSortFilterProxyModel *m_sortedNodes, *m_sortedTypes;
    QLabel *m_verdict, *m_detail, *m_emptyText, *m_whose, *m_sweepText;
    QComboBox* m_threads;
    QDoubleSpinBox* m_seconds;
    QToolButton *m_heat, *m_copy;
    QPushButton *m_inputs, *m_start, *m_emptyButton, *m_sweep;
    QProgressBar* m_progress;
    QStackedWidget* m_body;
    TimeBars* m_bars;
    QTextBrowser* m_page;
    QTabWidget* m_tabs;
    FrozenTable* m_nodes;
    QTableView* m_types;
    CurveChart *m_history, *m_curve;
    QLineEdit* m_batches;
    int m_namesWidth = 0; ///< width of the longest name, used for the column
};

} // namespace ui

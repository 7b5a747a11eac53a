// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/values/values_session.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QSplitter;
class QStackedLayout;
class QTableView;
class QTextBrowser;

namespace ui {

class HistogramView;
class SliceModel;

/// The Values panel: a slice of the selected node's tensor as a table, statistics, a histogram, and the difference from
/// the same node in the original. While it is visible, the model runs up to the node whenever the selection or the
/// model changes. The worker computes the statistics and sends only the slice.
class ValuesPanel final : public QWidget {
    Q_OBJECT
public:
    /// `worker` must outlive the panel.
    explicit ValuesPanel(WorkerService& worker, QWidget* parent = nullptr);
    /// Shows the values of another session; null if no file is open.
    void setSession(RunSession* session);

    /// The shown values; null until a value was requested.
    const fx::NodeValues* values() const { return m_values ? &*m_values : nullptr; }
    /// The message shown instead of values.
    QString message() const;
    SliceModel* model() const { return m_model; }             ///< The shown slice.
    QTextBrowser* statistics() const { return m_statistics; } ///< The statistics of the value.
    /// One field for each dimension before the last two.
    const QList<QSpinBox*>& indices() const { return m_indices; }
    QSpinBox* row() const { return m_row; }       ///< The first row of the slice.
    QComboBox* shows() const { return m_show; }   ///< The choice between value, original and difference.
    QComboBox* part() const { return m_part; }    ///< The element of a list or tuple that is shown.
    QPushButton* stops() const { return m_stop; } ///< The button that stops the run.

public Q_SLOTS:
    /// Copies the selected cells, or all cells, separated by tabs.
    void copy();

Q_SIGNALS:
    void inputsRequested(); ///< Emitted when the user wants to edit the inputs of the model.

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QHBoxLayout* makeHead();
    void makeChooser();
    QWidget* makeBody();
    void refresh();
    void inputsChanged();
    void tellRunning();
    std::optional<std::string> selectedNode();
    void ask();
    void showAnswer();
    void take(const fx::NodeValues& values);
    void fail(const fx::Error& error);
    void setBusy(bool busy);
    void tell(const QString& html);
    void showValues();
    void showChooser();
    void showPart();
    void readChooser();
    void follow(const QUrl& link);

    WorkerService& m_worker;
    QPointer<RunSession> m_session;
    QPointer<ValuesSession> m_looking;     ///< the session of `m_session`
    ValuesSession::Asked m_asked, m_shown; ///< values for other nodes, versions or inputs are outdated
    fx::ValueSlice m_slice;
    std::optional<fx::NodeValues> m_values;
    std::int64_t m_wantedPart = 0;
    bool m_filling = false;
    QTimer m_soon{this}, m_patience{this}; ///< `m_patience`: delay before a run is shown as slow
    QStackedLayout* m_stack;
    SliceModel* m_model;
    QLabel *m_name, *m_facts;
    QComboBox *m_part, *m_show;
    QProgressBar* m_progress;
    QPushButton *m_stop, *m_editInputs;
    QWidget* m_chooser;
    QList<QSpinBox*> m_indices;
    QSpinBox *m_row, *m_column;
    QTextBrowser *m_message, *m_statistics;
    QTableView* m_table;
    HistogramView* m_histogram;
    QSplitter* m_splitter;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_tables.h"

#include <QPointer>
#include <QWidget>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace ui {

class RunCenter;

/// The Quantise panel: backend, mode, form and calibration data of the document in front, and a button that quantises
/// it. The document stores the settings.
class QuantPanel final : public QWidget {
    Q_OBJECT
public:
    explicit QuantPanel(RunCenter& run, QWidget* parent = nullptr); ///< `run` must outlive the panel.
    /// Shows another session; null if no file is open.
    void setSession(QuantSession* session);
    QuantSession* session() const { return m_session; } ///< The session, or null.

    QComboBox* backends() const { return m_backend; } ///< The choice of the backend.
    QComboBox* modes() const { return m_mode; }       ///< The choice of the mode.
    QComboBox* forms() const { return m_form; }       ///< The choice of the form.
    QComboBox* data() const { return m_data; }        ///< The choice between random inputs and a file.
    QPushButton* starts() const { return m_start; }   ///< The button that quantises.
    QToolButton* cancels() const { return m_cancel; } ///< The button that cancels.
    QLabel* told() const { return m_told; }           ///< The message of the last run.
    /// The text shown while no model is open.
    QLabel* emptyText() const { return m_empty; }
    QLabel* dataWarning() const { return m_dataWarning; } ///< The warning about the calibration data.
    QuantTables* tables() const { return m_tables; }      ///< The tables below the settings.
    /// Sets whether the panel is in front. Only then does it compute plans, and the canvas shows observers and errors.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; }                        ///< True while the panel is in front.
    const QuantMarks& marks() const { return m_tables->marks(); } ///< The badges and colours for the canvas.
    /// Opens the menu of the badge between two nodes.
    void openBadge(const QPoint& at, fx::NodeId from, fx::NodeId to);
    /// Sets the file with the batches for calibration.
    void setDataFile(const QString& path);

Q_SIGNALS:
    /// Emitted when `marks` change.
    void marksChanged();

private:
    QWidget* makeSettings();
    QWidget* makeBusy();
    void change(const std::function<void(QuantChoices&)>& edit);
    void chooseData(int index);
    void show();
    void showData();
    void showProgress();

    RunCenter& m_run;
    QPointer<QuantSession> m_session;
    QComboBox *m_backend, *m_mode, *m_form, *m_data;
    QLabel *m_empty, *m_about, *m_dataWarning, *m_told, *m_doing;
    QWidget *m_settings, *m_busy;
    QProgressBar* m_bar;
    QPushButton *m_start, *m_inputs;
    QToolButton* m_cancel;
    QuantTables* m_tables;
    bool m_seen = false;
};

} // namespace ui

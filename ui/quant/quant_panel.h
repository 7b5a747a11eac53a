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
/// it. The settings are kept with the document.
class QuantPanel final : public QWidget {
    Q_OBJECT
public:
    explicit QuantPanel(RunCenter& run, QWidget* parent = nullptr);
    /// Null if no file is open.
    void setSession(QuantSession* session);
    QuantSession* session() const { return m_session; }

    QComboBox* backends() const { return m_backend; }
    QComboBox* modes() const { return m_mode; }
    QComboBox* forms() const { return m_form; }
    QComboBox* data() const { return m_data; } ///< random inputs, or a file
    QPushButton* starts() const { return m_start; }
    QToolButton* cancels() const { return m_cancel; }
    QLabel* told() const { return m_told; }
    /// The text shown while no model is open.
    QLabel* emptyText() const { return m_empty; }
    QLabel* dataWarning() const { return m_dataWarning; }
    QuantTables* tables() const { return m_tables; }
    /// Whether the panel is in front. Only then does it plan, and does the canvas show observers and errors.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; }
    const QuantMarks& marks() const { return m_tables->marks(); }
    /// Shows what the badge between two nodes offers.
    void openBadge(const QPoint& at, fx::NodeId from, fx::NodeId to);
    /// Sets the file with the batches of the calibration.
    void setDataFile(const QString& path);

Q_SIGNALS:
    /// What the canvas shows is another.
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

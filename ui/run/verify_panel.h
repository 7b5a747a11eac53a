// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QPointer>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTextBrowser;
class QToolButton;

namespace ui {

class ProbeBar;

/// Panel that compares the current version with the opened model: verdict, error per output, the first node that
/// differs, the verdicts of earlier edits. Inputs and tolerances can be changed here.
class VerifyPanel final : public QWidget {
    Q_OBJECT
public:
    explicit VerifyPanel(QWidget* parent = nullptr); ///< Creates a panel without a session.
    /// Shows another session; null if no file is open.
    void setSession(RunSession* session);
    QTextBrowser* page() const { return m_page; }          ///< The report.
    QLabel* verdict() const { return m_verdict; }          ///< The verdict as a badge.
    QPushButton* verifies() const { return m_verify; }     ///< The button that verifies.
    ProbeBar* probeBar() const { return m_probeBar; }      ///< The bar below the verdict.
    QToolButton* errorsButton() const { return m_errors; } ///< The button of the error map; the window sets its action.
    QComboBox* type() const { return m_type; }             ///< The dtype of the tolerances.
    QLineEdit* relative() const { return m_relative; }     ///< The relative tolerance.
    QLineEdit* absolute() const { return m_absolute; }     ///< The absolute tolerance.

Q_SIGNALS:
    void inputsRequested(); ///< Emitted when the user wants to edit the inputs.

protected:
    void changeEvent(QEvent* event) override;

private:
    void show();
    void showTolerance();
    void takeTolerance();
    void follow(const QUrl& link);
    QString inputsText() const;
    QString pageHtml() const;

    QPointer<RunSession> m_session;
    QLabel *m_verdict, *m_inputs;
    QPushButton *m_verify, *m_editInputs;
    QToolButton* m_errors;
    ProbeBar* m_probeBar;
    QTextBrowser* m_page;
    QComboBox* m_type;
    QLineEdit *m_relative, *m_absolute;
};

} // namespace ui

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

/// How the current version compares with the model that was opened: verdict, error per output, the first node that
/// differs, the verdicts of earlier edits; inputs and tolerances can be changed here.
class VerifyPanel final : public QWidget {
    Q_OBJECT
public:
    explicit VerifyPanel(QWidget* parent = nullptr);
    /// Null: no file is open.
    void setSession(RunSession* session);
    QTextBrowser* page() const { return m_page; }
    QLabel* verdict() const { return m_verdict; }
    QPushButton* verifies() const { return m_verify; }
    ProbeBar* probeBar() const { return m_probeBar; }
    QToolButton* errorsButton() const { return m_errors; } ///< the window gives it its action
    QComboBox* type() const { return m_type; }
    QLineEdit* relative() const { return m_relative; }
    QLineEdit* absolute() const { return m_absolute; }

Q_SIGNALS:
    void inputsRequested();

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

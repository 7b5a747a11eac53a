// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace ui {

/// While a file is read: what is being done, how far it is, and a way out.
class LoadingPage final : public QWidget {
    Q_OBJECT
public:
    explicit LoadingPage(const QString& fileName, QWidget* parent = nullptr);
    void setProgress(const QString& what, double done);

Q_SIGNALS:
    void cancelled();

private:
    QLabel* m_what;
    QProgressBar* m_bar;
};

/// When a file cannot be opened: what happened, where in it, why, what to do, and the part of it that the error quotes.
class ErrorPage final : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPage(QWidget* parent = nullptr);
    void setError(const fx::Error& error);
    /// The message as text, as "Copy" gives it.
    QString text() const;

Q_SIGNALS:
    void retryRequested();
    void otherRequested();
    void closeRequested();

private:
    QLabel *m_title, *m_what, *m_file, *m_where, *m_hint, *m_partTitle;
    QPlainTextEdit* m_part;
};

/// The window without a file: opens one, takes dropped ones, offers the samples and the recent files.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& files);

Q_SIGNALS:
    void openRequested();
    void fileChosen(const QString& path);

private:
    void addSamples(QVBoxLayout* column);
    QPushButton* fileButton(const QString& name, const QString& about, const QString& path);

    QVBoxLayout* m_recent;
    QLabel* m_recentTitle;
};

} // namespace ui

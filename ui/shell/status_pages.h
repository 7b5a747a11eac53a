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

/// Shown while a file is read: the current step, its progress, and a Cancel button.
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

/// Shown if a file cannot be opened: the error, its position, a hint, and the part of the file that the error quotes.
class ErrorPage final : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPage(QWidget* parent = nullptr);
    void setError(const fx::Error& error);
    /// The message as text, as copied by the Copy button.
    QString text() const;

Q_SIGNALS:
    void retryRequested();
    void otherRequested();
    void closeRequested();

private:
    QLabel *m_title, *m_what, *m_file, *m_where, *m_hint, *m_partTitle;
    QPlainTextEdit* m_part;
};

/// Shown without a file: opens files, accepts drops, and offers samples and recent files.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& files);

Q_SIGNALS:
    void openRequested();
    void newRequested();
    void fileChosen(const QString& path);

private:
    void addSamples(QVBoxLayout* column);
    QPushButton* fileButton(const QString& name, const QString& about, const QString& path);

    QVBoxLayout* m_recent;
    QLabel* m_recentTitle;
};

} // namespace ui

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

/// Page that is shown while a file is read: the current step, its progress, and a Cancel button.
class LoadingPage final : public QWidget {
    Q_OBJECT
public:
    /// `fileName` is shown in the title.
    explicit LoadingPage(const QString& fileName, QWidget* parent = nullptr);
    /// Shows the current step and the fraction done, 0 to 1.
    void setProgress(const QString& what, double done);

Q_SIGNALS:
    void cancelled(); ///< Emitted when the user clicks Cancel.

private:
    QLabel* m_what;
    QProgressBar* m_bar;
};

/// Page that is shown if a file cannot be opened: the error, its position, a hint, and the part of the file that the
/// error quotes.
class ErrorPage final : public QWidget {
    Q_OBJECT
public:
    explicit ErrorPage(QWidget* parent = nullptr); ///< Creates an empty page.
    void setError(const fx::Error& error);         ///< Shows another error.
    /// The message as text, as the Copy button copies it.
    QString text() const;

Q_SIGNALS:
    void retryRequested(); ///< Emitted when the user wants to read the file again.
    void otherRequested(); ///< Emitted when the user wants to open another file.
    void closeRequested(); ///< Emitted when the user closes the page.

private:
    QLabel *m_title, *m_what, *m_file, *m_where, *m_hint, *m_partTitle;
    QPlainTextEdit* m_part;
};

/// Page that is shown without a file: it opens files, accepts drops, and offers samples and recent files.
class WelcomePage final : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr); ///< Creates a page without recent files.
    void setRecentFiles(const QStringList& files);   ///< Shows recent files, newest first.

Q_SIGNALS:
    void openRequested();                 ///< Emitted when the user wants to open a file.
    void newRequested();                  ///< Emitted when the user wants new Python source.
    void fileChosen(const QString& path); ///< Emitted when the user chooses a sample or a recent file.

private:
    void addSamples(QVBoxLayout* column);
    QPushButton* fileButton(const QString& name, const QString& about, const QString& path);

    QVBoxLayout* m_recent;
    QLabel* m_recentTitle;
};

} // namespace ui

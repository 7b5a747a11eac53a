// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

/// Banner above a graph that does not match the source (tracing stopped at an error, the text changed since, or the
/// graph was edited), or that the user's own Python traced by itself.
class SourceBanner final : public QFrame {
    Q_OBJECT
public:
    /// `document` must outlive the banner.
    explicit SourceBanner(Document& document, QWidget* parent = nullptr);
    /// The text of the banner.
    QString text() const;
    QPushButton* followButton() const { return m_follow; } ///< The button that makes the graph follow the source again.
    /// The button that traces the file with the user's own Python, shown if tracing stopped.
    QPushButton* pythonButton() const { return m_python; }
    /// The button that ends the user's own Python, shown while that traces by itself.
    QPushButton* cancelButton() const { return m_cancel; }

Q_SIGNALS:
    void pythonRequested(); ///< Emitted when the user asks for their own Python.

private:
    void giveUpEdits();
    QString aboutPython() const;
    void update();

    Document& m_document;
    QLabel* m_text;
    QPushButton *m_follow, *m_python, *m_cancel;
};

} // namespace ui

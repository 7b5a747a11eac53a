// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>

class QLabel;

namespace ui {

/// Bar with lasting notes on a document: that it is a copy of a part of another document, or that a crash would lose
/// its edits. Hidden if there are no notes.
class NoteBar final : public QFrame {
    Q_OBJECT
public:
    /// `document` must outlive the bar.
    explicit NoteBar(const Document& document, QWidget* parent = nullptr);
    QString text() const; ///< The notes; empty while hidden.

private:
    void update();

    const Document& m_document;
    QLabel* m_text;
};

} // namespace ui

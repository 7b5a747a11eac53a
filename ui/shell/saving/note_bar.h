// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>

class QLabel;

namespace ui {

/// What the user must know of a document as long as it is so: that it is a copy of a part of another one, or that a
/// crash would lose its edits. Hidden otherwise.
class NoteBar final : public QFrame {
    Q_OBJECT
public:
    explicit NoteBar(const Document& document, QWidget* parent = nullptr);
    QString text() const;

private:
    void update();

    const Document& m_document;
    QLabel* m_text;
};

} // namespace ui

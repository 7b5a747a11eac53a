// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

/// Above a graph that is not what the source says: it ends at an error, is of an earlier text, or was edited.
class SourceBanner final : public QFrame {
    Q_OBJECT
public:
    explicit SourceBanner(Document& document, QWidget* parent = nullptr);
    QString text() const;
    QPushButton* followButton() const { return m_follow; }

private:
    void giveUpEdits();
    void update();

    Document& m_document;
    QLabel* m_text;
    QPushButton* m_follow;
};

} // namespace ui

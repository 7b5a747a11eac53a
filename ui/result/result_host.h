// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QBoxLayout;

namespace ui {

class ResultCard;

/// A panel with a result card: above it, or beside it where there is more width than height. Where there is room for
/// neither, the card has its short form.
class ResultHost final : public QWidget {
    Q_OBJECT
public:
    /// Takes the panel as a child.
    explicit ResultHost(QWidget* panel, QWidget* parent = nullptr);
    ResultCard* card() const { return m_card; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    ResultCard* m_card;
    QWidget* m_room; ///< the margin around the card
    QBoxLayout* m_layout;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QBoxLayout;

namespace ui {

class CardRoom;
class ResultCard;

/// A panel with a result card above it, or beside it if the width suffices. Without room for both, the card has its
/// short form; if the user asks for the full form, it scrolls and replaces the panel.
class ResultHost final : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of the panel.
    explicit ResultHost(QWidget* panel, QWidget* parent = nullptr);
    ResultCard* card() const { return m_card; } ///< The result card.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    ResultCard* m_card;
    CardRoom* m_room;
    QBoxLayout* m_layout;
};

} // namespace ui

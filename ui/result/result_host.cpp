// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/result_host.h"

#include "ui/result/result_card.h"

#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {
constexpr int kBeside = 820;    ///< px from which the card stands beside the panel
constexpr int kCardWidth = 400; ///< there
constexpr int kPanelHeight = 160;
constexpr int kAround = 8; ///< px, the margin at the sides of the card and above it
} // namespace

/// The card with the margin around it; scrolls what has no room.
class CardRoom final : public QScrollArea {
public:
    CardRoom(QWidget* card, QWidget* parent) : QScrollArea(parent) {
        auto* inside = new QWidget(this);
        auto* around = new QVBoxLayout(inside);
        around->setContentsMargins(kAround, kAround, kAround, 0);
        around->setSpacing(0);
        around->addWidget(card);
        around->addStretch(1);
        setFrameShape(NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setWidget(inside);
        viewport()->setAutoFillBackground(false);
        inside->setAutoFillBackground(false);
        setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    }
    /// As high as the card needs in that width.
    void setWidth(int width) {
        const int height = heightFor(width);
        if (std::exchange(m_height, height) != height) updateGeometry();
    }
    QSize sizeHint() const override { return {widget()->sizeHint().width(), m_height}; }
    QSize minimumSizeHint() const override { return {0, std::min(m_height, kLeast)}; }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        fitCard();
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) fitCard();
        return QScrollArea::eventFilter(watched, event);
    }

private:
    /// As wide as there is room, and as high as that needs: QScrollArea asks for the least size, which for text that
    /// wraps is far too high.
    void fitCard() {
        const int width = viewport()->width();
        widget()->resize(width, std::max(heightFor(width), viewport()->height()));
    }
    int heightFor(int width) const {
        const QLayout& inside = *widget()->layout();
        return inside.hasHeightForWidth() ? inside.totalHeightForWidth(width) : inside.totalSizeHint().height();
    }
    static constexpr int kLeast = 64; ///< px, more than the short form
    int m_height = 0;
};

ResultHost::ResultHost(QWidget* panel, QWidget* parent)
    : QWidget(parent), m_card(new ResultCard(this)), m_room(new CardRoom(m_card, this)) {
    m_layout = new QBoxLayout(QBoxLayout::TopToBottom, this);
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    m_layout->addWidget(m_room);
    m_layout->addWidget(panel, 1);
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    connect(m_card, &ResultCard::formChanged, this, &ResultHost::arrange);
    arrange();
}

void ResultHost::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
    m_layout->activate(); // it was laid out for this size in the arrangement before
}

void ResultHost::arrange() {
    m_room->setVisible(!m_card->isHidden());
    const bool wide = width() >= kBeside;
    const bool cramped = wide ? height() < m_card->fullHeight(kCardWidth - 2 * kAround) + kAround
                              : height() < m_card->fullHeight(width() - 2 * kAround) + kPanelHeight;
    m_card->setCramped(cramped);
    const bool beside = wide && m_card->isFull();
    m_layout->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_room->setWidth(beside ? kCardWidth : width());
    m_layout->itemAt(1)->widget()->setVisible(m_card->isHidden() || beside || !cramped || !m_card->isFull());
    m_room->setMinimumWidth(beside ? kCardWidth : 0);
    m_room->setMaximumWidth(beside ? kCardWidth : QWIDGETSIZE_MAX);
}

} // namespace ui

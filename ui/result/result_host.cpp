// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/result_host.h"

#include "ui/result/result_card.h"

#include <QVBoxLayout>

namespace ui {

namespace {
constexpr int kBeside = 820;    ///< px from which the card stands beside the panel
constexpr int kCardWidth = 400; ///< there
constexpr int kPanelHeight = 160;
} // namespace

ResultHost::ResultHost(QWidget* panel, QWidget* parent)
    : QWidget(parent), m_card(new ResultCard(this)), m_room(new QWidget(this)) {
    auto* around = new QVBoxLayout(m_room);
    around->setContentsMargins(8, 8, 8, 0);
    around->setSpacing(0);
    around->addWidget(m_card);
    around->addStretch(1);
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
    constexpr int kAround = 16; // px, the margins of the room
    m_card->setCramped(wide ? height() < m_card->fullHeight(kCardWidth - kAround) + kAround / 2
                            : height() < m_card->fullHeight(width() - kAround) + kPanelHeight);
    const bool beside = wide && m_card->isFull();
    m_layout->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_room->setMinimumWidth(beside ? kCardWidth : 0);
    m_room->setMaximumWidth(beside ? kCardWidth : QWIDGETSIZE_MAX);
}

} // namespace ui

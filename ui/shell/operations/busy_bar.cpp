// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/busy_bar.h"

#include "ui/shell/operations/operation_list.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kPatience = 400; // ms: what ends sooner is not worth a flicker
}

BusyBar::BusyBar(QWidget* parent)
    : QWidget(parent), m_what(new QLabel(this)), m_done(new QProgressBar(this)), m_cancel(new QToolButton(this)),
      m_more(new QToolButton(this)) {
    m_what->setTextFormat(Qt::PlainText);
    m_what->setProperty("role", "muted");
    m_done->setFixedSize(120, 6);
    m_done->setTextVisible(false);
    m_done->setAccessibleName(tr("Progress"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop this operation; the model stays as it is"));
    m_more->setToolTip(tr("List all running operations"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 0, 8, 0);
    row->setSpacing(8);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_what, m_done, m_cancel, m_more}) row->addWidget(widget);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatience);
    connect(&m_patience, &QTimer::timeout, this, &QWidget::show);
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        if (m_front && !m_front->operations().running().empty())
            m_front->operations().cancel(m_front->operations().running().back().id);
    });
    connect(m_more, &QToolButton::clicked, this, &BusyBar::openList);
    hide();
}

void BusyBar::watch(Document& document) {
    m_documents << &document;
    connect(&document.operations(), &DocumentOperations::changed, this, &BusyBar::refresh);
    connect(&document, &QObject::destroyed, this, &BusyBar::refresh);
}

void BusyBar::setDocument(Document* document) {
    m_front = document;
    refresh();
}

QString BusyBar::text() const { return m_what->text(); }

void BusyBar::refresh() {
    m_documents.removeAll(nullptr);
    qsizetype own = 0, others = 0;
    bool asks = false;
    for (const auto& document : std::as_const(m_documents)) {
        const auto& running = document->operations().running();
        (document == m_front ? own : others) += static_cast<qsizetype>(running.size());
        asks |= document != m_front &&
                std::any_of(running.begin(), running.end(), [](const auto& each) { return each.asks; });
    }
    for (QWidget* widget : std::initializer_list<QWidget*>{m_what, m_done, m_cancel}) widget->setVisible(own > 0);
    if (own > 0) showNewest(m_front->operations().running().back());
    else m_what->clear();
    QStringList more;
    if (own > 1) more << tr("%1 operations").arg(own);
    if (others > 0) more << tr("%1 in other tabs").arg(others);
    if (asks) more << tr("a tab waits for an answer");
    m_more->setText(more.join(QStringLiteral(" · ")));
    m_more->setVisible(!more.isEmpty());
    if (own + others == 0) {
        m_patience.stop();
        hide();
    } else if (!isVisible() && !m_patience.isActive()) {
        m_patience.start();
    }
}

void BusyBar::showNewest(const DocumentOperations::Operation& operation) {
    m_what->setText(operation.waits ? tr("%1: waiting for the worker").arg(operation.label) : operation.label);
    m_what->setToolTip(operation.what);
    m_done->setRange(0, operation.done > 0 ? 1000 : 0);
    m_done->setValue(static_cast<int>(operation.done * 1000));
}

void BusyBar::openList() {
    auto* popup = new QFrame(this, Qt::Popup);
    popup->setObjectName(QStringLiteral("operations"));
    popup->setFrameShape(QFrame::StyledPanel);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    auto* list = new OperationList(nullptr, popup);
    list->setDocuments(m_documents);
    auto* column = new QVBoxLayout(popup);
    column->addWidget(list);
    popup->adjustSize();
    popup->move(m_more->mapToGlobal(QPoint(m_more->width() - popup->width(), -popup->height() - 4)));
    popup->show();
}

} // namespace ui

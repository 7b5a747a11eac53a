// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/document/node_facts.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_text.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"

#include <QDockWidget>
#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>

namespace ui {

namespace {

void setTitle(QDockWidget* dock, const QString& name, qsizetype count) {
    dock->setWindowTitle(
        count > 0 ? QStringLiteral("%1 %2").arg(name, QLocale().toString(static_cast<qlonglong>(count))) : name);
}

/// A dot in the colour of a verdict.
QIcon dotIcon(const QColor& color) {
    constexpr int kSide = 32, kDot = 20; // scaled down to the size of the tab's icons
    QPixmap pixmap(kSide, kSide);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(QRectF((kSide - kDot) / 2.0, (kSide - kDot) / 2.0, kDot, kDot));
    return pixmap;
}

} // namespace

/// The mark of a tab: unsaved changes as "•", and a verdict that needs a look as a dot in its colour.
void MainWindow::updateTabs() {
    for (int i = 0; i < m_tabs->count(); ++i) {
        const Document& each = static_cast<DocumentPage*>(m_tabs->widget(i))->document();
        const QString title = plainTabText(each.title());
        m_tabs->setTabText(i, each.isModified() ? title + QStringLiteral(" •") : title);
        const RunSession* session = m_run->sessionOf(each);
        const bool isKnown = session && session->current();
        const VerifyVerdict verdict = isKnown ? verdictOf(*session) : VerifyVerdict{};
        const bool isMarked = verdict.role && verdict.role != &Theme::ok;
        m_tabs->setTabIcon(i, isMarked ? dotIcon((theme().*verdict.role).line) : QIcon());
        const QString name = each.file().isEmpty() ? each.title() : each.file();
        m_tabs->setTabToolTip(i, plainToolTip(isMarked ? tr("%1\nVerification: %2").arg(name, verdict.word) : name));
    }
}

void MainWindow::updateStatus() {
    updateActions();
    Document* document = currentDocument();
    const bool ready = document && document->state() == Document::State::Ready;
    const QLocale locale;
    const auto nodes = ready ? static_cast<qlonglong>(document->module()->graph.size()) : 0;
    setTitle(m_nodesDock, tr("Nodes"), nodes);
    setTitle(m_problemsDock, tr("Problems"), ready ? static_cast<qsizetype>(document->problems().size()) : 0);
    m_fileLabel->setText(document ? document->title() : QString());
    m_fileLabel->setMaximumWidth(
        document ? QWIDGETSIZE_MAX : 0); // not hidden: the bar itself does that while it shows a message, and undoes it
    if (!ready) {
        m_countLabel->setText(!document                                       ? tr("No file is open")
                              : document->state() == Document::State::Loading ? tr("opening…")
                                                                              : tr("not opened"));
        m_pictureLabel->clear();
        return;
    }
    QString counts =
        tr("%1 nodes · %2 selected")
            .arg(locale.toString(nodes), locale.toString(static_cast<qlonglong>(document->selection().size())));
    const auto hidden = document->picture().options().hidden.size();
    if (hidden > 0) counts += tr(" · %1 hidden").arg(locale.toString(static_cast<qlonglong>(hidden)));
    m_countLabel->setText(counts);
    const auto& scene = document->picture().scene();
    m_pictureLabel->setText(scene ? tr("%1 drawn · layout %2 ms")
                                        .arg(locale.toString(static_cast<qlonglong>(scene->itemCount())))
                                        .arg(scene->picture().millis, 0, 'f', 0)
                                  : tr("laying out…"));
}

/// The find bar floats over the upper right corner of the page, so that opening it moves nothing.
void MainWindow::placeFindBar() {
    const int top = m_tabs->tabBar()->height() + 8;
    const int width = std::min(std::max(560, m_findBar->sizeHint().width()), m_centre->width() - 24);
    m_findBar->setGeometry(m_centre->width() - width - 12, top, width, m_findBar->sizeHint().height());
}

void MainWindow::openFind() {
    placeFindBar();
    m_findBar->open();
}

void MainWindow::closeFind() {
    if (!m_findBar->isVisible()) return;
    m_findBar->hide();
    if (currentPage()) currentPage()->canvas().setFocus();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_centre && event->type() == QEvent::Resize) placeFindBar();
    return QMainWindow::eventFilter(watched, event);
}

} // namespace ui

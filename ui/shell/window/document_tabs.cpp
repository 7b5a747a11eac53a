// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/document_tabs.h"

#include "ui/document/node_facts.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/save_path.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

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

/// Titles stay readable where there are many: then the bar scrolls. A middle click closes.
class TitleBar final : public QTabBar {
public:
    using QTabBar::QTabBar;

protected:
    void mousePressEvent(QMouseEvent* event) override {
        m_pressed = event->button() == Qt::MiddleButton ? tabAt(event->position().toPoint()) : -1;
        if (event->button() != Qt::MiddleButton) QTabBar::mousePressEvent(event);
    }
    void mouseReleaseEvent(QMouseEvent* event) override {
        if (event->button() != Qt::MiddleButton) return QTabBar::mouseReleaseEvent(event);
        const int tab = tabAt(event->position().toPoint());
        if (tab >= 0 && tab == std::exchange(m_pressed, -1)) Q_EMIT tabCloseRequested(tab);
    }
    QSize minimumTabSizeHint(int index) const override {
        constexpr int kCharacters = 18; // beside the few that Qt leaves, the mark and the button to close it
        const QSize least = QTabBar::minimumTabSizeHint(index), whole = tabSizeHint(index);
        const int readable = least.width() + kCharacters * fontMetrics().averageCharWidth();
        return {std::min(whole.width(), readable), least.height()};
    }

private:
    int m_pressed = -1; ///< tab under the middle button
};

/// "net.pt", with its folder or a number where another tab has the same title.
QString titleAmong(const Document& document, const QList<Document*>& all) {
    int sameFile = 0, place = 0;
    bool otherFile = false;
    for (const Document* each : all) {
        if (each == &document) place = sameFile;
        if (each->file().title() != document.file().title() || document.file().path().isEmpty()) continue;
        if (isSamePath(each->file().path(), document.file().path())) ++sameFile;
        else otherFile = true;
    }
    QString title = document.file().titleWithGraph(document.module().get());
    if (otherFile)
        title +=
            QStringLiteral(" – ") + visible(QFileInfo(QFileInfo(document.file().path()).absolutePath()).fileName());
    return place > 0 ? QStringLiteral("%1 (%2)").arg(title).arg(place + 1) : title;
}

} // namespace

QString withoutMnemonics(QString name) { return name.replace(u'&', QStringLiteral("&&")); }

DocumentTabs::DocumentTabs(QWidget* parent) : QTabWidget(parent) {
    setObjectName(QStringLiteral("documents"));
    setTabBar(new TitleBar(this));
    setUsesScrollButtons(true);
    setDocumentMode(true);
    setTabsClosable(true);
    setMovable(true);
    setElideMode(Qt::ElideMiddle);
    setAccessibleName(tr("Open files"));
    connect(this, &QTabWidget::tabCloseRequested, this,
            [this](int index) { Q_EMIT closeRequested({&pages()[index]->document()}); });
    tabBar()->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(tabBar(), &QWidget::customContextMenuRequested, this, &DocumentTabs::showMenu);
    makeList();
}

/// All tabs by name, for those that are out of sight.
void DocumentTabs::makeList() {
    auto* button = new QToolButton(this);
    m_listButton = button;
    button->setObjectName(QStringLiteral("tabList"));
    button->setText(QStringLiteral("▾"));
    button->setToolTip(tr("List of open files"));
    button->setAccessibleName(button->toolTip());
    button->setPopupMode(QToolButton::InstantPopup);
    button->setAutoRaise(true);
    m_list = new QMenu(button);
    button->setMenu(m_list);
    connect(m_list, &QMenu::aboutToShow, this, [this] {
        m_list->clear();
        for (int i = 0; i < count(); ++i) {
            QAction* action = m_list->addAction(tabText(i), this, [this, i] { setCurrentIndex(i); });
            action->setToolTip(tabToolTip(i));
            action->setCheckable(true);
            action->setChecked(i == currentIndex());
        }
    });
    m_list->setToolTipsVisible(true);
    button->hide(); // one tab needs no list
}

void DocumentTabs::showMenu(const QPoint& at) {
    const int index = tabBar()->tabAt(at);
    if (index < 0) return;
    QList<Document*> others = documents();
    Document* document = others.takeAt(index);
    QMenu menu;
    const QAction* close = menu.addAction(tr("Close"));
    QAction* closeOthers = menu.addAction(tr("Close Others"));
    const QAction* closeAll = menu.addAction(tr("Close All"));
    menu.addSeparator();
    QAction* copyPath = menu.addAction(tr("Copy Path"));
    closeOthers->setEnabled(!others.isEmpty());
    copyPath->setEnabled(!document->file().path().isEmpty());
    const QAction* chosen = menu.exec(tabBar()->mapToGlobal(at));
    if (!chosen || !documents().contains(document)) return; // it may have been closed meanwhile
    others = documents();
    others.removeOne(document);
    if (chosen == close) Q_EMIT closeRequested({document});
    else if (chosen == closeOthers) Q_EMIT closeRequested(others);
    else if (chosen == closeAll) Q_EMIT closeRequested(documents());
    else QGuiApplication::clipboard()->setText(document->file().path());
}

/// A corner widget that is only hidden would keep its room.
void DocumentTabs::showList() {
    setCornerWidget(count() > 1 ? m_listButton : nullptr, Qt::TopRightCorner);
    m_listButton->setVisible(count() > 1);
}

/// In line with the titles: with a style sheet Qt takes the pane to begin some pixels lower than it does.
bool DocumentTabs::event(QEvent* event) {
    const bool done = QTabWidget::event(event);
    const auto type = event->type();
    if (type != QEvent::Resize && type != QEvent::LayoutRequest && type != QEvent::Show) return done;
    const QRect bar = tabBar()->geometry();
    if (m_listButton && !m_listButton->isHidden())
        m_listButton->setGeometry(m_listButton->x(), bar.y(), m_listButton->width(), bar.height());
    return done;
}

void DocumentTabs::tabInserted(int index) {
    QTabWidget::tabInserted(index);
    showList();
}

void DocumentTabs::tabRemoved(int index) {
    QTabWidget::tabRemoved(index);
    showList();
}

QList<DocumentPage*> DocumentTabs::pages() const {
    QList<DocumentPage*> pages;
    for (int i = 0; i < count(); ++i) pages << static_cast<DocumentPage*>(widget(i));
    return pages;
}

QList<Document*> DocumentTabs::documents() const {
    QList<Document*> documents;
    for (const DocumentPage* page : pages()) documents << &page->document();
    return documents;
}

DocumentPage* DocumentTabs::pageOf(const Document& document) const {
    for (DocumentPage* page : pages())
        if (&page->document() == &document) return page;
    return nullptr;
}

DocumentPage* DocumentTabs::pageOf(const QString& path) const {
    for (DocumentPage* page : pages())
        if (isSamePath(page->document().file().path(), path)) return page;
    return nullptr;
}

DocumentPage* DocumentTabs::add(Document* document) {
    auto* page = new DocumentPage(document, this);
    const int index = addTab(page, withoutMnemonics(document->file().title()));
    setTabToolTip(index, plainToolTip(document->file().opened().isEmpty() ? document->file().title()
                                                                          : visible(document->file().opened())));
    return page;
}

void DocumentTabs::remove(DocumentPage* page) {
    removeTab(indexOf(page));
    page->deleteLater();
}

void DocumentTabs::step(int steps) { setCurrentIndex((currentIndex() + count() + steps) % count()); }

QString DocumentTabs::untitledTitle() const {
    QStringList taken;
    for (const Document* each : documents()) taken << each->file().title();
    QString title = tr("Untitled");
    for (int number = 2; taken.contains(title); ++number) title = tr("Untitled %1").arg(number);
    return title;
}

/// Unsaved changes as "•", and a verdict that needs a look as a dot in its colour.
void DocumentTabs::showTitles(const RunCenter& run) {
    for (int i = 0; i < count(); ++i) {
        const Document& each = pages()[i]->document();
        const QString title = withoutMnemonics(titleAmong(each, documents()));
        setTabText(i, each.isModified() ? title + QStringLiteral(" •") : title);
        const RunSession* session = run.sessionOf(each);
        const bool isKnown = session && session->current();
        const VerifyVerdict verdict = isKnown ? verdictOf(*session) : VerifyVerdict{};
        const bool isMarked = verdict.role && verdict.role != &Theme::ok;
        setTabIcon(i, isMarked ? dotIcon((theme().*verdict.role).line) : QIcon());
        const QString name = each.file().path().isEmpty() ? each.file().title() : visible(each.file().path());
        const QString graph = graphNameOf(each.module().get());
        const QString place = graph.isEmpty() ? name : tr("%1\nGraph: %2").arg(name, graph);
        setTabToolTip(i, plainToolTip(isMarked ? tr("%1\nVerification: %2").arg(place, verdict.word) : place));
    }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/document_tabs.h"

#include "ui/document/node_facts.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_text.h"
#include "ui/shell/saving/save_path.h"

#include <QPainter>
#include <QTabBar>

#include <algorithm>

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

/// Titles stay readable where there are many: then the bar scrolls.
class TitleBar final : public QTabBar {
public:
    using QTabBar::QTabBar;

protected:
    QSize minimumTabSizeHint(int index) const override {
        constexpr int kCharacters = 12; // beside the few that Qt leaves, the mark and the button to close it
        const QSize least = QTabBar::minimumTabSizeHint(index), whole = tabSizeHint(index);
        const int readable = least.width() + kCharacters * fontMetrics().averageCharWidth();
        return {std::min(whole.width(), readable), least.height()};
    }
};

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
            [this](int index) { Q_EMIT closeRequested(&pages()[index]->document()); });
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
        if (isSamePath(page->document().file(), path)) return page;
    return nullptr;
}

DocumentPage* DocumentTabs::add(Document* document) {
    auto* page = new DocumentPage(document, this);
    const int index = addTab(page, withoutMnemonics(document->title()));
    setTabToolTip(index, plainToolTip(document->path().isEmpty() ? document->title() : document->path()));
    return page;
}

void DocumentTabs::remove(DocumentPage* page) {
    removeTab(indexOf(page));
    page->deleteLater();
}

void DocumentTabs::step(int steps) { setCurrentIndex((currentIndex() + count() + steps) % count()); }

/// Unsaved changes as "•", and a verdict that needs a look as a dot in its colour.
void DocumentTabs::showTitles(const RunCenter& run) {
    for (int i = 0; i < count(); ++i) {
        const Document& each = pages()[i]->document();
        const QString title = withoutMnemonics(each.title());
        setTabText(i, each.isModified() ? title + QStringLiteral(" •") : title);
        const RunSession* session = run.sessionOf(each);
        const bool isKnown = session && session->current();
        const VerifyVerdict verdict = isKnown ? verdictOf(*session) : VerifyVerdict{};
        const bool isMarked = verdict.role && verdict.role != &Theme::ok;
        setTabIcon(i, isMarked ? dotIcon((theme().*verdict.role).line) : QIcon());
        const QString name = each.file().isEmpty() ? each.title() : each.file();
        setTabToolTip(i, plainToolTip(isMarked ? tr("%1\nVerification: %2").arg(name, verdict.word) : name));
    }
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/find_bar.h"

#include "ui/widgets/icon.h"
#include "ui/widgets/text_button.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace ui {

FindBar::FindBar(QWidget* parent) : QFrame(parent), m_text(new QLineEdit(this)), m_count(new QLabel(this)) {
    setObjectName(QStringLiteral("findBar"));
    m_text->setPlaceholderText(tr("Find nodes"));
    m_text->setAccessibleName(tr("Find nodes"));
    m_text->setToolTip(tr("Text in name, target, module, type, dtype or shape. Write target:relu or type:Conv2d to "
                          "look in one of them."));
    m_text->setMinimumWidth(110);
    m_count->setProperty("role", "muted");
    m_count->setMinimumWidth(64);
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const auto button = [this](const QString& text, const QString& tip, bool checkable) {
        QToolButton* tool = textButton(text, tip, this);
        tool->setCheckable(checkable);
        return tool;
    };
    m_case = button(tr("Aa"), tr("Match Case"), true);
    m_regex = button(tr(".*"), tr("Use Regular Expression"), true);
    m_previous = button(tr("▲"), tr("Previous (Shift+F3)"), false);
    m_next = button(tr("▼"), tr("Next (F3)"), false);
    m_selectAll = button(tr("Select All"), tr("Select all nodes found (Alt+Return)"), false);
    m_close = button(tr("✕"), tr("Close (Esc)"), false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 6, 6, 6);
    row->setSpacing(4);
    row->addWidget(m_text, 1);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_case), static_cast<QWidget*>(m_regex), static_cast<QWidget*>(m_count),
          static_cast<QWidget*>(m_previous), static_cast<QWidget*>(m_next), static_cast<QWidget*>(m_selectAll),
          static_cast<QWidget*>(m_close)})
        row->addWidget(widget);
    setFocusProxy(m_text);

    connect(m_text, &QLineEdit::textChanged, this, &FindBar::search);
    connect(m_regex, &QToolButton::toggled, this, &FindBar::search);
    connect(m_case, &QToolButton::toggled, this, &FindBar::search);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previous);
    connect(m_next, &QToolButton::clicked, this, &FindBar::next);
    connect(m_selectAll, &QToolButton::clicked, this, [this] {
        if (m_document && !m_found.empty()) m_document->selection().select(m_found, this);
    });
    connect(m_close, &QToolButton::clicked, this, &FindBar::closed);
    hide();
}

void FindBar::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) connect(&document->facts(), &VersionFacts::indexChanged, this, &FindBar::search);
    m_found.clear();
    if (isVisible()) search();
}

void FindBar::open() {
    show();
    raise();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
    search();
}

void FindBar::search() {
    m_task.cancel();
    m_error.clear();
    m_goesOn = false;
    const FindQuery query{m_text->text(), m_regex->isChecked(), m_case->isChecked()};
    if (!m_document || !m_document->facts().index() || query.text.isEmpty()) {
        m_found.clear();
        showCount();
        return;
    }
    m_task.start([index = m_document->facts().index(),
                  query](const fx::Progress& progress) { return index->find(query, progress); },
                 this,
                 [this](FindResult result) {
                     m_found = std::move(result.nodes);
                     m_error = result.error;
                     m_best = result.best;
                     m_at = m_found.size();
                     showCount();
                     Q_EMIT searched();
                     if (std::exchange(m_goesOn, false)) next();
                 });
}

void FindBar::next() {
    m_goesOn = m_task.running();
    if (m_goesOn || m_found.empty()) return;
    if (m_at >= m_found.size()) goTo(m_best);
    else goTo((m_at + 1) % m_found.size());
}

void FindBar::previous() {
    if (!m_found.empty()) goTo(m_at == 0 || m_at >= m_found.size() ? m_found.size() - 1 : m_at - 1);
}

void FindBar::goTo(std::size_t at) {
    m_at = at;
    showCount();
    if (m_document) m_document->selection().goTo(m_found[at], this);
}

void FindBar::showCount() {
    const QLocale locale;
    const bool bad = !m_error.isEmpty() || (!m_text->text().isEmpty() && m_found.empty());
    if (!m_error.isEmpty()) m_count->setText(tr("invalid regex"));
    else if (m_text->text().isEmpty()) m_count->clear();
    else if (m_found.empty()) m_count->setText(tr("none"));
    else if (m_at < m_found.size())
        m_count->setText(tr("%1 of %2")
                             .arg(locale.toString(static_cast<qulonglong>(m_at + 1)),
                                  locale.toString(static_cast<qulonglong>(m_found.size()))));
    else m_count->setText(tr("%1 found").arg(locale.toString(static_cast<qulonglong>(m_found.size()))));
    m_count->setToolTip(m_error);
    for (QToolButton* button : {m_previous, m_next, m_selectAll}) button->setEnabled(!m_found.empty());
    if (m_text->property("invalid").toBool() != bad) {
        m_text->setProperty("invalid", bad);
        m_text->style()->polish(m_text);
    }
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape) Q_EMIT closed();
    else if (enter && (event->modifiers() & Qt::AltModifier)) m_selectAll->click();
    else if (enter && (event->modifiers() & Qt::ShiftModifier)) previous();
    else if (enter) next();
    else QFrame::keyPressEvent(event);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/history/history_panel.h"

#include "core/edit/recipe.h"
#include "core/edit/rehearsal.h"
#include "ui/document/edit_text.h"
#include "ui/document/node_facts.h"
#include "ui/document/random_weights.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/pill_delegate.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {

/// The time of today's versions; others have their day.
QString timeText(std::chrono::system_clock::time_point when) {
    const auto time = QDateTime::fromSecsSinceEpoch(std::chrono::system_clock::to_time_t(when));
    return time.date() == QDate::currentDate() ? QLocale().toString(time.time(), QStringLiteral("HH:mm:ss"))
                                               : QLocale().toString(time, QStringLiteral("yyyy-MM-dd HH:mm"));
}

constexpr std::size_t kNamed = 20; ///< modules, and steps, in a tooltip

QString stepsInWords(const fx::StepList& steps) {
    QStringList lines;
    for (std::size_t i = 0; i < std::min(steps.size(), kNamed); ++i) lines << fromCore(fx::stepWords(steps[i]));
    if (steps.size() > kNamed) lines << QStringLiteral("…");
    return lines.join(u'\n');
}

} // namespace

HistoryPanel::HistoryPanel(QWidget* parent)
    : QWidget(parent), m_about(new QLabel(this)), m_copy(new QToolButton(this)), m_save(new QToolButton(this)),
      m_list(new QListWidget(this)) {
    m_about->setProperty("role", "muted");
    m_about->setWordWrap(true);
    m_copy->setText(tr("Copy as Recipe"));
    m_save->setText(tr("Save…"));
    m_save->setPopupMode(QToolButton::InstantPopup);
    auto* kinds = new QMenu(m_save);
    kinds->addAction(tr("Save as Recipe…"), this, [this] { Q_EMIT saveRequested(false); });
    kinds->addAction(tr("Save as torch.fx Script…"), this, [this] { Q_EMIT saveRequested(true); });
    m_save->setMenu(kinds);
    m_list->setAccessibleName(tr("Versions"));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setItemDelegate(new PillDelegate(m_list));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 8, 8, 4);
    bar->addWidget(m_about, 1);
    bar->addWidget(m_copy);
    bar->addWidget(m_save);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_list, 1);
    connect(m_copy, &QToolButton::clicked, this, &HistoryPanel::copyRecipe);
    connect(m_list, &QListWidget::itemClicked, this,
            [this] { m_document->versions().goTo(static_cast<std::size_t>(m_list->currentRow())); });
    connect(m_list, &QListWidget::itemActivated, this,
            [this] { m_document->versions().goTo(static_cast<std::size_t>(m_list->currentRow())); });
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setDocument(nullptr);
}

void HistoryPanel::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) {
        connect(&document->randomWeights(), &RandomWeights::changed, this, &HistoryPanel::showVersions);
        connect(document, &Document::versionChanged, this, &HistoryPanel::showVersions);
        connect(document, &Document::stateChanged, this, &HistoryPanel::showVersions);
    }
    showVersions();
}

void HistoryPanel::setSession(RunSession* session) {
    if (m_session) m_session->disconnect(this);
    m_session = session;
    if (session) connect(session, &RunSession::verifyChanged, this, &HistoryPanel::showVerdicts);
    showVerdicts();
}

/// A version keeps its verdict while another one is current.
void HistoryPanel::showVerdicts() {
    const fx::History* history =
        m_session && &m_session->document() == m_document ? m_session->document().versions().history() : nullptr;
    const QSignalBlocker quiet(m_list);
    for (int i = 1; i < m_list->count(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool there = history && place < history->entries().size();
        const Verification* known = there ? m_session->of(history->entries()[place].model.get()) : nullptr;
        const bool running = there && place == history->current() && m_session->state() == RunSession::State::Running;
        const VerifyVerdict verdict = known && !running ? verdictOf(*m_session, known) : VerifyVerdict{};
        QListWidgetItem& item = *m_list->item(i);
        item.setData(kPillTextRole, running ? tr("verifying…") : verdict.word);
        item.setData(kPillKindRole, static_cast<int>(verdict.role == &Theme::ok        ? PillKind::Ok
                                                     : verdict.role == &Theme::warning ? PillKind::Warning
                                                     : verdict.role == &Theme::error   ? PillKind::Error
                                                                                       : PillKind::Neutral));
        item.setData(Qt::AccessibleTextRole, verdict.word.isEmpty() ? item.text() : item.text() + u' ' + verdict.word);
    }
}

void HistoryPanel::showVersions() {
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    const fx::History* history = m_document ? m_document->versions().history() : nullptr;
    const bool any = history && history->canUndo();
    const QString why = any ? QString() : tr("Nothing has been changed yet");
    for (QToolButton* button : {m_copy, m_save}) button->setEnabled(any);
    m_copy->setToolTip(any ? tr("Copy the edits up to the current version as JSON, for “lancet apply”") : why);
    m_save->setToolTip(any ? tr("Save the edits up to the current version to a file") : why);
    m_about->setText(!m_document                                  ? tr("No file is open.")
                     : !history || history->entries().size() == 1 ? tr("Nothing has been changed yet.")
                     : history->current() == 1                    ? tr("1 edit")
                                                                  : tr("%1 edits").arg(history->current()));
    if (!history) return;
    for (std::size_t i = 0; i < history->entries().size(); ++i) {
        const auto& entry = history->entries()[i];
        // Edits of a recovered model or of a project are older than its opening.
        const bool isLate = i == 0 && history->entries().size() > 1 && entry.time > history->entries()[1].time;
        const QString name = i == 0 ? tr("Opened") : fromCore(entry.name);
        auto* item =
            new QListWidgetItem((isLate ? QString() : timeText(entry.time) + QStringLiteral("   ")) + name, m_list);
        QString steps = stepsInWords(entry.steps);
        if (const auto* modules = m_document->randomWeights().ofEdit(entry.model); modules && !modules->empty()) {
            item->setText(item->text() + QStringLiteral(" · ") + tr("new random weights"));
            steps.prepend(randomWeightsText(*modules, kNamed) + u'\n');
        }
        item->setToolTip(plainToolTip(steps));
        if (i > history->current()) item->setForeground(theme().edge);
        if (i == history->current()) item->setFont(semiboldFont());
    }
    m_list->setCurrentRow(static_cast<int>(history->current()));
    m_list->scrollToItem(m_list->currentItem());
    showVerdicts();
}

void HistoryPanel::copyRecipe() {
    QApplication::clipboard()->setText(QString::fromStdString(fx::recipeText(*m_document->versions().history())));
    Q_EMIT copied(tr("Copied the recipe. “lancet apply” repeats these edits."));
}

} // namespace ui

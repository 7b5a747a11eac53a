// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pattern/pattern_panel.h"

#include "core/match/pattern_source.h"
#include "ui/code/code_field.h"
#include "ui/document/document_operations.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/role.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QLoggingCategory>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kListedMatches = 2000; // more are counted and stepped through, not listed

/// Off by default; QT_LOGGING_RULES="lancet.pattern.debug=true" logs what is found.
Q_LOGGING_CATEGORY(patternLog, "lancet.pattern", QtWarningMsg)

} // namespace

void PatternPanel::setDocument(Document* document) {
    keepChoices(); // with what was typed just now
    if (m_document) m_document->release(this);
    if (m_session) m_session->disconnect(this);
    // What was typed before a file was open is for the first one that has no pattern of its own.
    const bool isForIt = !m_document && document && PatternSession::of(*document)->choices().pattern.isEmpty();
    m_document = document;
    m_session = document ? PatternSession::of(*document) : nullptr;
    if (document) {
        connect(m_session, &PatternSession::changed, this, &PatternPanel::showSearch);
        connect(m_session, &PatternSession::nearMissesFound, this, &PatternPanel::showMisses);
        connect(m_session, &PatternSession::choicesRestored, this, [this] {
            takeChoices();
            search();
        });
        connect(document, &Document::versionChanged, this, &PatternPanel::search);
        connect(&document->selection(), &NodeSelection::changed, this, &PatternPanel::showSource);
        connect(&document->operations(), &DocumentOperations::changed, this, &PatternPanel::showChoice);
    }
    isForIt ? keepChoices() : takeChoices();
    showSource();
    take({}); // matches of another document are of no use here
    search();
    if (m_session) showSearch();
}

void PatternPanel::keepChoices() {
    if (!m_session) return;
    m_session->setChoices({m_pattern->source(), m_replacement->source(), m_ignoreLiterals->isChecked(),
                           m_commutative->isChecked(), m_keepOverlapping->isChecked(), m_relaxations, m_unticked,
                           m_current});
}

void PatternPanel::takeChoices() {
    const PatternChoices choices = m_session ? m_session->choices() : PatternChoices();
    m_pattern->showSource(choices.pattern);
    m_replacement->showSource(choices.replacement);
    m_ignoreLiterals->setChecked(choices.ignoreLiterals);
    m_commutative->setChecked(choices.commutative);
    m_keepOverlapping->setChecked(choices.keepOverlapping);
    m_relaxations = choices.relaxations;
    m_unticked = choices.unticked;
    m_current = choices.current;
    m_timer.stop(); // these are no changes of the user
    showRelaxations();
}

void PatternPanel::showSource() {
    const bool any = m_document && !m_document->selection().nodes().empty();
    m_fromSelection->setEnabled(any);
    m_fromSelection->setToolTip(any ? tr("Create a pattern from the selected nodes") : tr("Nothing is selected"));
}

bool PatternPanel::takeSelection() {
    if (!m_document || m_document->state() != Document::State::Ready) return false;
    m_relaxations.clear(); // they name nodes of the old pattern
    showRelaxations();
    try {
        const auto nodes = m_document->selection().inGraphOrder();
        m_pattern->setSource(QByteArray::fromStdString(fx::patternSource(*m_document->module(), nodes)).trimmed());
        m_replacement->setSource(
            QByteArray::fromStdString(fx::patternSource(*m_document->module(), nodes, "replacement")).trimmed());
    } catch (const fx::Error& error) {
        setStatus("warning", linesFromCore(error.what()));
        return false;
    }
    m_timer.stop();
    search();
    keepChoices();
    return true;
}

void PatternPanel::focusReplacement() { m_replacement->setFocus(); }

PatternQuery PatternPanel::query() const {
    PatternQuery query{m_pattern->source(),        m_replacement->source(),        m_ignoreLiterals->isChecked(),
                       m_commutative->isChecked(), m_keepOverlapping->isChecked(), {}};
    for (const auto& [words, text] : m_relaxations) query.relaxations.push_back(text);
    return query;
}

/// Links have the theme's colours in their HTML. The labels are rebuilt after all widgets have received the event.
void PatternPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_misses) return;
    QTimer::singleShot(0, this, [this] {
        showMisses();
        showRelaxations();
    });
}

void PatternPanel::searchLater() { m_timer.start(); }

void PatternPanel::showMisses() {
    m_near = m_session ? m_session->nearMisses() : std::vector<PatternNearMiss>();
    const auto& misses = m_near;
    qDeleteAll(m_misses->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly));
    if (!misses.empty()) m_misses->layout()->addWidget(heading(tr("Near misses"), m_misses));
    for (std::size_t i = 0; i < misses.size(); ++i) {
        const PatternNearMiss& miss = misses[i];
        QString html = QStringLiteral("<a href='node:%1' style='color:%2;font-weight:600'>%3</a> · %4<br>%5")
                           .arg(i)
                           .arg(theme().warning.line.name(), fromCore(miss.name).toHtmlEscaped(),
                                fitInWords(miss.matched, miss.of), breakable(miss.why).toHtmlEscaped());
        for (std::size_t j = 0; j < std::min<std::size_t>(miss.remedies.size(), 2); ++j)
            html += QStringLiteral("<br><a href='relax:%1.%2' style='color:%3;font-weight:600'>%4</a>")
                        .arg(i)
                        .arg(j)
                        .arg(theme().warning.line.name(), breakable(miss.remedies[j].text).toHtmlEscaped());
        auto* card = new QLabel(html, m_misses);
        card->setProperty("role", "warning");
        card->setWordWrap(true);
        card->setMargin(4);
        card->setIndent(6);
        connect(card, &QLabel::linkActivated, this, &PatternPanel::follow);
        m_misses->layout()->addWidget(card);
    }
    m_missArea->setVisible(!misses.empty());
}

/// A near miss is gone to, or one of its relaxations taken; or a relaxation is given up.
void PatternPanel::follow(const QString& link) {
    const QStringList parts = link.section(u':', 1).split(u'.');
    const std::size_t at = parts.value(0).toUInt();
    if (link.startsWith(QLatin1String("node:")) && at < m_near.size() && m_document) {
        m_document->selection().goTo(m_near[at].anchor, this);
    } else if (link.startsWith(QLatin1String("relax:")) && at < m_near.size() &&
               parts.value(1).toUInt() < m_near[at].remedies.size()) {
        const auto& remedy = m_near[at].remedies[parts.value(1).toUInt()];
        m_relaxations.emplace_back(remedy.text, remedy.relaxations);
        showRelaxations();
        search();
    } else if (link.startsWith(QLatin1String("strict:")) && at < m_relaxations.size()) {
        m_relaxations.erase(m_relaxations.begin() + static_cast<std::ptrdiff_t>(at));
        showRelaxations();
        search();
    }
}

void PatternPanel::showRelaxations() {
    QStringList parts;
    for (std::size_t i = 0; i < m_relaxations.size(); ++i)
        parts << QStringLiteral("%1 <a href='strict:%2' style='color:%3'>%4</a>")
                     .arg(m_relaxations[i].first.toHtmlEscaped())
                     .arg(i)
                     .arg(theme().accent.name(), tr("Undo"));
    m_relaxed->setText(tr("Relaxed: ") + parts.join(QStringLiteral(" · ")));
    m_relaxed->setVisible(!parts.isEmpty());
}

void PatternPanel::search() {
    if (m_session) m_session->ask(query());
}

/// Matches of an earlier version or query stay until the new search ends.
void PatternPanel::showSearch() {
    using State = PatternSession::State;
    if (m_session->state() == State::Searching) return showStatus();
    take(m_session->state() == State::Done ? m_session->result() : PatternResult());
}

/// A replacement that contains its pattern matches again. Pressing the button twice should not replace twice.
void PatternPanel::untickMade() {
    const auto before = m_replaced.lock();
    if (!before || !m_document || m_document->module() == before) return;
    m_replaced.reset();
    for (const PatternMatch& match : m_result.matches)
        if (before->graph.find(match.anchor) == fx::kNoNode) m_made.insert(match.anchor);
    m_unticked.insert(m_made.begin(), m_made.end());
}

void PatternPanel::take(const PatternResult& result) {
    if (m_asked != query()) m_replaced.reset(), m_made.clear();
    m_asked = query();
    m_result = result;
    untickMade();
    m_at = -1;
    m_styleOf.assign(m_document && m_document->module() ? m_document->module()->graph.idLimit() : 0, -1);
    m_styles.clear();
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (std::size_t i = 0; i < m_result.matches.size(); ++i) {
        const PatternMatch& match = m_result.matches[i];
        for (std::size_t place = 0; place < match.nodes.size(); ++place) {
            while (m_styles.size() <= place) {
                NodeStyle style;
                style.marked = true;
                style.badge = std::to_string(m_styles.size() + 1);
                m_styles.push_back(style);
            }
            m_styleOf[fx::index(match.nodes[place])] = static_cast<std::int32_t>(place);
        }
        if (match.anchor == m_current) m_at = static_cast<int>(i);
        if (static_cast<int>(i) >= kListedMatches) continue;
        QStringList names;
        for (const fx::NodeId node : match.nodes) names << fromCore(m_document->module()->graph.node(node).name());
        m_list->addItem(names.join(QStringLiteral(" · ")));
        QListWidgetItem* item = m_list->item(m_list->count() - 1);
        item->setToolTip(names.join(u'\n'));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(m_unticked.contains(match.anchor) ? Qt::Unchecked : Qt::Checked);
    }
    listOverlapped();
    if (m_at >= 0) m_list->setCurrentRow(m_at);
    showStatus();
    qCDebug(patternLog, "matches: %zu", m_result.matches.size());
    qCDebug(patternLog).noquote()
        << "replacement:"
        << (m_result.replacementError ? linesFromCore(m_result.replacementError->what())
                                      : QString::fromUtf8(m_asked.replacement).trimmed().section(u'\n', -1).trimmed());
    qCDebug(patternLog, "overlapped: %zu", m_result.overlapped.size());
    Q_EMIT matchesChanged();
    showMisses();
}

int PatternPanel::listedMatches() const { return std::min(static_cast<int>(m_result.matches.size()), kListedMatches); }

/// Behind the matches: those that are dropped, and for which other one.
void PatternPanel::listOverlapped() {
    const fx::GraphModule* module = m_document ? m_document->module().get() : nullptr;
    for (const PatternOverlap& each : m_result.overlapped) {
        const QString why = tr("overlaps match %1 (both use node %2)")
                                .arg(each.with + 1)
                                .arg(fromCore(module->graph.node(each.shared).name()));
        auto* item = new QListWidgetItem(tr("%1 %2").arg(fromCore(each.match.anchor), why), m_list);
        QStringList names;
        for (const fx::NodeId node : each.match.nodes) names << fromCore(module->graph.node(node).name());
        item->setToolTip(tr("%1: not replaced because it %2").arg(names.join(QStringLiteral(" · ")), why));
        item->setForeground(palette().brush(QPalette::Disabled, QPalette::Text));
        item->setFlags(item->flags() & ~Qt::ItemIsUserCheckable);
    }
}

const NodeStyle* PatternPanel::styleOf(fx::NodeId node) const {
    const std::size_t id = fx::index(node);
    return id < m_styleOf.size() && m_styleOf[id] >= 0 ? &m_styles[static_cast<std::size_t>(m_styleOf[id])] : nullptr;
}

void PatternPanel::goToRow(int row) {
    const int matches = listedMatches();
    if (row < matches) return goTo(row);
    const auto at = static_cast<std::size_t>(row - matches);
    if (!m_document || at >= m_result.overlapped.size()) return;
    m_at = -1;
    m_current.clear();
    const PatternMatch& dropped = m_result.overlapped[at].match;
    m_document->selection().goTo(dropped.nodes.front(), this);
    m_document->selection().select(dropped.nodes, this);
    showStatus();
}

void PatternPanel::goTo(int match) {
    const int count = static_cast<int>(m_result.matches.size());
    if (count == 0 || !m_document) return;
    m_at = (match + count) % count;
    const QSignalBlocker quiet(m_list);
    m_list->setCurrentRow(m_at);
    const PatternMatch& chosen = m_result.matches[static_cast<std::size_t>(m_at)];
    m_current = chosen.anchor;
    m_document->selection().goTo(chosen.nodes.front(), this);
    m_document->selection().select(chosen.nodes, this);
    showStatus();
}

void PatternPanel::setStatus(const char* role, const QString& text) {
    constexpr int kLong = 2000; // of a text that a file or PyTorch made
    setRole(*m_status, role);
    m_status->setText(elidedLines(text.toStdString(), kLong));
    m_status->setToolTip(plainToolTip(text));
}

void PatternPanel::showStatus() {
    const int count = static_cast<int>(m_result.matches.size());
    const bool empty = m_pattern->source().trimmed().isEmpty();
    const fx::Error* error = m_result.patternError       ? &*m_result.patternError
                             : m_result.replacementError ? &*m_result.replacementError
                                                         : nullptr;
    m_pattern->markError(m_result.patternLine);
    m_replacement->markError(m_result.replacementLine);
    QString hint;
    if (empty) {
        setStatus("muted", m_document ? tr("No pattern yet") : tr("No file is open"));
        hint = tr("Select nodes and press From Selection, or write a function:");
    } else if (error) {
        const QString where = error->where.empty() ? QString() : fromCore(error->where) + QStringLiteral(": ");
        setStatus("error", (m_result.patternError ? tr("Pattern: ") : tr("Replacement: ")) + where +
                               linesFromCore(error->what()));
        hint = linesFromCore(error->hint);
    } else if (count == 0 && m_session && m_session->state() == PatternSession::State::Searching) {
        setStatus("muted", tr("Searching…"));
    } else if (count == 0 && m_session && m_session->state() == PatternSession::State::Cancelled) {
        setStatus("warning", tr("The search was cancelled"));
        hint = tr("Change the pattern or an option to search again.");
    } else if (count == 0) {
        setStatus("warning", tr("No match"));
    } else {
        const QString matches = counted(qint64(count), tr("1 match"), tr("%1 matches"));
        const auto dropped = static_cast<int>(m_result.overlapped.size());
        setStatus("ok", dropped == 0 ? matches : tr("%1, %2 overlapping").arg(matches).arg(dropped));
        m_status->setToolTip(tr("%1 of %2 nodes are in a match; searched in %3\u00a0ms")
                                 .arg(m_result.nodes)
                                 .arg(m_document->module()->graph.size())
                                 .arg(m_result.millis, 0, 'f', m_result.millis < 10 ? 1 : 0));
    }
    if (m_result.givenUp > 0)
        hint = counted(qint64(m_result.givenUp), tr("The search gave up at 1 node: it can match in too many ways"),
                       tr("The search gave up at %1 nodes: they can match in too many ways"));
    const auto isMade = [this](const PatternMatch& match) {
        return m_made.contains(match.anchor) && m_unticked.contains(match.anchor);
    };
    const auto made = std::ranges::count_if(m_result.matches, isMade);
    if (hint.isEmpty() && made > 0)
        hint = counted(qint64(made), tr("1 match is in what the replacement has just made, and is not ticked"),
                       tr("%1 matches are in what the replacement has just made, and are not ticked"));
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_hintCode->setVisible(empty);
    const QLocale locale;
    m_place->setText(count ? tr("%1 / %2").arg(m_at < 0 ? tr("–") : locale.toString(m_at + 1), locale.toString(count))
                           : QString());
    m_place->setVisible(count > 0);
    constexpr int kMany = 10000; // the words and the steps do not fit in a row of a narrow panel
    const bool below = (error && !empty) || count >= kMany;
    m_statusRow->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (QToolButton* button : {m_all, m_none, m_previous, m_next})
        button->setVisible(count > 0); // else the words need the room
    showChoice();
}

std::size_t PatternPanel::tickedCount() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < m_result.matches.size(); ++i) count += isTicked(i);
    return count;
}

/// Why `ticked` matches cannot be replaced now, or nothing.
QString PatternPanel::whyNot(std::size_t ticked) const {
    if (m_result.matches.empty()) return tr("There is no match");
    if (m_document->operations().isRunning(DocumentOperations::Kind::Edit)) return tr("An edit is still running");
    if (m_asked.keepOverlapping)
        return tr("Overlapping matches cannot all be replaced; untick “Keep overlapping” first");
    if (m_result.replacementError) return tr("The replacement has an error");
    if (m_replacement->source().trimmed().isEmpty()) return tr("There is no replacement");
    return ticked == 0 ? tr("Tick at least one match") : QString();
}

/// Every button that cannot work says why, and what it would do it says with a number.
void PatternPanel::showChoice() {
    const std::size_t count = m_result.matches.size(), ticked = tickedCount();
    const QString why = whyNot(ticked),
                  whyOne = whyNot(1).isEmpty() && m_at < 0 ? tr("Select a match first") : whyNot(1);
    for (QPushButton* button : {m_preview, m_replaceAll}) button->setEnabled(why.isEmpty());
    m_preview->setToolTip(why.isEmpty() ? tr("Preview the replacement (Ctrl+Shift+Return)") : plainToolTip(why));
    m_replaceAll->setToolTip(why.isEmpty() ? tr("Replace the ticked matches (Ctrl+Return)") : plainToolTip(why));
    m_replaceOne->setEnabled(whyOne.isEmpty());
    m_replaceOne->setToolTip(plainToolTip(whyOne));
    const auto number = [](std::size_t of) { return QLocale().toString(qulonglong(of)); };
    m_replaceAll->setText(count == 0        ? tr("Replace All")
                          : ticked == count ? tr("Replace All %1").arg(number(count))
                                            : tr("Replace %1 of %2").arg(number(ticked), number(count)));
    m_all->setEnabled(ticked < count);
    m_none->setEnabled(ticked > 0);
}

void PatternPanel::tickAll(bool ticked) {
    m_unticked.clear();
    if (!ticked)
        for (const PatternMatch& match : m_result.matches) m_unticked.insert(match.anchor);
    const QSignalBlocker quiet(m_list);
    for (int row = 0; row < listedMatches(); ++row)
        m_list->item(row)->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    showStatus();
}

void PatternPanel::replace(Which which, bool previews) {
    if (m_asked != query()) return; // the sources have changed since; their matches come in a moment
    std::vector<std::string> anchors;
    const bool all = which == Which::Ticked && tickedCount() == m_result.matches.size();
    for (std::size_t i = 0; i < m_result.matches.size() && !all; ++i)
        if (which == Which::Current ? static_cast<int>(i) == m_at : isTicked(i))
            anchors.push_back(m_result.matches[i].anchor);
    const std::size_t count = all ? m_result.matches.size() : anchors.size();
    const QString name =
        count == 1 ? tr("Replace at %1").arg(fromCore(all ? m_result.matches.front().anchor : anchors.front()))
                   : counted(count, QString(), tr("Replace %1 matches"));
    const fx::StepList steps = replaceStep(m_asked, anchors);
    if (previews) Q_EMIT previewRequested(name, steps);
    else m_made.clear(), m_replaced = m_document->module(), Q_EMIT replaceRequested(name, steps);
}

} // namespace ui

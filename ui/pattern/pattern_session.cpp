// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pattern/pattern_session.h"

namespace ui {

namespace {
constexpr std::size_t kNearMisses = 8;
using Kind = DocumentOperations::Kind;
const QString kPanel = QStringLiteral("pattern");
} // namespace

QJsonObject PatternChoices::toJson() const {
    return {{QStringLiteral("pattern"), QString::fromUtf8(pattern)},
            {QStringLiteral("replacement"), QString::fromUtf8(replacement)},
            {QStringLiteral("ignore_literals"), ignoreLiterals},
            {QStringLiteral("commutative"), commutative},
            {QStringLiteral("keep_overlapping"), keepOverlapping}};
}

PatternChoices PatternChoices::fromJson(const QJsonObject& json) {
    PatternChoices choices;
    choices.pattern = json[QLatin1String("pattern")].toString().toUtf8();
    choices.replacement = json[QLatin1String("replacement")].toString().toUtf8();
    choices.ignoreLiterals = json[QLatin1String("ignore_literals")].toBool();
    choices.commutative = json[QLatin1String("commutative")].toBool();
    choices.keepOverlapping = json[QLatin1String("keep_overlapping")].toBool();
    return choices;
}

PatternSession::PatternSession(Document& document)
    : QObject(&document), m_document(document), m_choices(PatternChoices::fromJson(document.panelViews().of(kPanel))) {
    connect(&document.panelViews(), &PanelViews::restored, this, [this] {
        m_choices = PatternChoices::fromJson(m_document.panelViews().of(kPanel));
        Q_EMIT choicesRestored();
    });
    connect(&document.operations(), &DocumentOperations::cancelled, this, [this](Kind, DocumentOperations::Id id) {
        if (id != m_operation) return;
        m_operation = 0;
        if (m_state == State::Searching) setState(State::Cancelled);
    });
}

PatternSession* PatternSession::of(Document& document) {
    auto* known = document.findChild<PatternSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new PatternSession(document);
}

void PatternSession::setChoices(PatternChoices choices) {
    m_choices = std::move(choices);
    m_document.panelViews().set(kPanel, m_choices.toJson());
}

void PatternSession::ask(const PatternQuery& query) {
    const auto version = m_document.state() == Document::State::Ready ? m_document.module() : nullptr;
    const bool searches = version && !query.pattern.trimmed().isEmpty();
    if (searches && m_state != State::Idle && version == m_version && query == m_query) return;
    m_document.operations().cancel(std::exchange(m_operation, 0));
    m_query = query;
    m_version = version;
    m_result = {};
    m_misses.clear();
    if (!searches) return setState(State::Idle);
    const QString title = m_document.file().title();
    m_operation = m_document.operations().start<PatternResult>(
        Kind::Search, {tr("Searching %1").arg(title), tr("Could not search %1").arg(title)},
        [version, query, readers = m_document.readers()](const fx::Progress& progress) {
            return searchPattern(*version, query, progress, readers);
        },
        [this](PatternResult result) {
            m_operation = 0;
            m_result = std::move(result);
            setState(State::Done);
            explain();
        });
    setState(State::Searching);
}

/// After the matches are there: this may take longer.
void PatternSession::explain() {
    if (m_operation || m_state != State::Done || m_result.patternError) return;
    const QString title = m_document.file().title();
    m_operation = m_document.operations().start<std::vector<PatternNearMiss>>(
        Kind::Search, {tr("Explaining near misses in %1").arg(title), {}},
        [version = m_version, query = m_query, readers = m_document.readers()](const fx::Progress& progress) {
            return explainPattern(*version, query, kNearMisses, progress, readers);
        },
        [this](std::vector<PatternNearMiss> misses) {
            m_operation = 0;
            m_misses = std::move(misses);
            Q_EMIT nearMissesFound();
        },
        [this](const fx::Error&) { m_operation = 0; });
}

void PatternSession::setState(State state) {
    m_state = state;
    Q_EMIT changed();
}

} // namespace ui

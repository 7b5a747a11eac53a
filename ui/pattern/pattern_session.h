// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/pattern/pattern_search.h"

#include <set>

namespace ui {

/// Sources and choices of the Pattern panel for one document. Sources and options are part of the document's view.
struct PatternChoices {
    QByteArray pattern, replacement;                                           ///< Python sources
    bool ignoreLiterals = false, commutative = false, keepOverlapping = false; ///< options, as in PatternQuery
    std::vector<std::pair<QString, std::string>> relaxations;                  ///< text for the user, and for the query
    std::set<std::string> unticked; ///< anchors of matches that should not be replaced
    std::string current;            ///< the anchor of the current match; may be empty

    /// Returns sources and options only.
    QJsonObject toJson() const;
    /// The counterpart of `toJson`; missing keys get defaults.
    static PatternChoices fromJson(const QJsonObject& json);
};

/// The pattern of one document: the choices, the last query and its matches. A search is an operation of the document
/// and continues while another document is in front. GUI thread only.
class PatternSession final : public QObject {
    Q_OBJECT
public:
    /// Idle: no pattern to search.
    enum class State { Idle, Searching, Cancelled, Done };

    /// Use `of` instead; `document` becomes the parent.
    explicit PatternSession(Document& document);
    /// Returns the session of a document. Creates it on first use; the document owns it.
    static PatternSession* of(Document& document);

    /// Searches the current version unless the last query was the same. An empty pattern ends the search.
    void ask(const PatternQuery& query);
    const PatternChoices& choices() const { return m_choices; } ///< The choices to show.
    /// Stores the choices in the view of the document.
    void setChoices(PatternChoices choices);

    State state() const { return m_state; }               ///< The state of the last query.
    const PatternQuery& query() const { return m_query; } ///< The last query.
    /// The matches in the queried version; only while Done.
    const PatternResult& result() const { return m_result; }
    /// The near misses, which are computed after the matches; see `nearMissesFound`.
    const std::vector<PatternNearMiss>& nearMisses() const { return m_misses; }

Q_SIGNALS:
    /// Emitted when choices were read from the view of the document.
    void choicesRestored();
    /// Emitted when `state` changes.
    void changed();
    /// Emitted when `nearMisses` changes.
    void nearMissesFound();

private:
    void explain();
    void setState(State state);

    Document& m_document;
    PatternChoices m_choices;
    State m_state = State::Idle;
    PatternQuery m_query;
    std::shared_ptr<const fx::GraphModule> m_version;
    PatternResult m_result;
    std::vector<PatternNearMiss> m_misses;
    DocumentOperations::Id m_operation = 0;
};

} // namespace ui

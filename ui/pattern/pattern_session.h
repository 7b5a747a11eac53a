// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/pattern/pattern_search.h"

#include <set>

namespace ui {

/// What the user typed and chose in the Pattern panel for one document. The sources and options are kept with its view.
struct PatternChoices {
    QByteArray pattern, replacement;
    bool ignoreLiterals = false, commutative = false, keepOverlapping = false;
    std::vector<std::pair<QString, std::string>> relaxations; ///< as text, and for the query
    std::set<std::string> unticked;                           ///< anchors of matches that should not be replaced
    std::string current;                                      ///< the anchor of the match that was gone to; or empty

    QJsonObject toJson() const;
    static PatternChoices fromJson(const QJsonObject& json);
};

/// The pattern of one document: what was chosen, the last query and its matches. A search is an operation of the
/// document: it continues while another document is in front. GUI thread only.
class PatternSession final : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Searching, Cancelled, Done };

    explicit PatternSession(Document& document);
    /// The session of a document; created on first use and destroyed with it.
    static PatternSession* of(Document& document);

    /// Searches the current version, unless the last query was the same. An empty pattern ends the search.
    void ask(const PatternQuery& query);
    const PatternChoices& choices() const { return m_choices; }
    void setChoices(PatternChoices choices);

    State state() const { return m_state; }
    const PatternQuery& query() const { return m_query; }
    /// The matches in the current version; while Done.
    const PatternResult& result() const { return m_result; }
    /// Found after the matches; see `nearMissesFound`.
    const std::vector<PatternNearMiss>& nearMisses() const { return m_misses; }

Q_SIGNALS:
    /// Choices were read with the view of the document.
    void choicesRestored();
    void changed();
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

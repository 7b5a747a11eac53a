// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/pattern/pattern_search.h"

namespace ui {

/// The pattern search of one document: the last query and its matches. A search is an operation of the document: it
/// continues while another document is in front. GUI thread only.
class PatternSession final : public QObject {
    Q_OBJECT
public:
    enum class State { Idle, Searching, Cancelled, Done };

    explicit PatternSession(Document& document);
    /// The session of a document; created on first use and destroyed with it.
    static PatternSession* of(Document& document);

    /// Searches the current version, unless the last query was the same. An empty pattern ends the search.
    void ask(const PatternQuery& query);
    State state() const { return m_state; }
    const PatternQuery& query() const { return m_query; }
    /// The matches in the current version; while Done.
    const PatternResult& result() const { return m_result; }
    /// Found after the matches; see `nearMissesFound`.
    const std::vector<PatternNearMiss>& nearMisses() const { return m_misses; }

Q_SIGNALS:
    void changed();
    void nearMissesFound();

private:
    void explain();
    void setState(State state);

    Document& m_document;
    State m_state = State::Idle;
    PatternQuery m_query;
    std::shared_ptr<const fx::GraphModule> m_version;
    PatternResult m_result;
    std::vector<PatternNearMiss> m_misses;
    DocumentOperations::Id m_operation = 0;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/pattern/pattern_session.h"
#include "ui/scene/node_style.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <set>

class QBoxLayout;
class QCheckBox;
class QLabel;
class QListWidget;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace ui {

class CodeField;

/// Panel that finds and replaces subgraphs: the source of a pattern, its matches as the user types, a replacement, and
/// actions.
class PatternPanel final : public QWidget {
    Q_OBJECT
public:
    /// Creates a panel without a document.
    explicit PatternPanel(QWidget* parent = nullptr);

    /// Shows the pattern of `document`, which keeps the sources, options and ticks; null clears the panel.
    void setDocument(Document* document);
    /// Creates the pattern and an initial replacement from the selected nodes. Returns false if that is not possible;
    /// the status then gives the reason.
    bool takeSelection();
    /// Moves the keyboard focus to the replacement.
    void focusReplacement();
    /// Returns the style of a node in a match; null for other nodes. Valid until `matchesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    const PatternResult& result() const { return m_result; } ///< The result of the last search.
    /// Stores sources and choices in the document. The panel also does so shortly after typing.
    void keepChoices();
    CodeField* pattern() const { return m_pattern; }         ///< The field of the pattern.
    CodeField* replacement() const { return m_replacement; } ///< The field of the replacement.

Q_SIGNALS:
    /// Emitted when `result` or the styles change.
    void matchesChanged();
    /// Emitted when the user requests a preview of `steps`.
    void previewRequested(const QString& name, const fx::StepList& steps);
    /// Emitted when the user replaces the current or all ticked matches.
    void replaceRequested(const QString& name, const fx::StepList& steps);

protected:
    void changeEvent(QEvent* event) override;

private:
    void makeFields();
    QWidget* makeStatus();
    QWidget* makeButtons();
    PatternQuery query() const;
    void takeChoices();
    void searchLater();
    void search();
    void showSearch();
    void untickMade();
    void take(const PatternResult& result);
    void goTo(int match);
    void goToRow(int row); ///< Goes to the match or dropped match in a row of the list.
    void listOverlapped();
    int listedMatches() const;
    void showMisses();
    void follow(const QString& link);
    void showRelaxations();
    void showStatus();
    void setStatus(const char* role, const QString& text);
    enum class Which { Ticked, Current };
    void replace(Which which, bool previews);
    void showChoice();
    void showSource();
    void tickAll(bool ticked);
    bool isTicked(std::size_t match) const { return !m_unticked.contains(m_result.matches[match].anchor); }
    std::size_t tickedCount() const;
    QString whyNot(std::size_t ticked) const;

    QPointer<Document> m_document;
    QPointer<PatternSession> m_session; ///< the session of `m_document`
    CodeField *m_pattern, *m_replacement;
    QBoxLayout* m_statusRow; ///< status and navigation; while an error is shown, these are below it
    QLabel *m_status, *m_place, *m_hint, *m_hintCode, *m_relaxed;
    QScrollArea* m_missArea;
    QWidget* m_misses = nullptr; ///< a label for each near miss
    std::vector<PatternNearMiss> m_near;
    std::vector<std::pair<QString, std::string>> m_relaxations; ///< text for the user, and for the query
    QToolButton *m_fromSelection, *m_copyPattern, *m_previous, *m_next, *m_all, *m_none;
    QCheckBox *m_ignoreLiterals, *m_commutative, *m_keepOverlapping;
    QPushButton *m_preview, *m_replaceOne, *m_replaceAll;
    QListWidget* m_list;
    PatternQuery m_asked; ///< the query of m_result
    PatternResult m_result;
    int m_at = -1;
    std::string m_current;                           ///< the anchor of the current match, also during a search
    std::set<std::string> m_unticked;                ///< anchors of matches that should not be replaced
    std::set<std::string> m_made;                    ///< anchors of matches in what the last replacement has made
    std::weak_ptr<const fx::GraphModule> m_replaced; ///< the version that is being replaced
    std::vector<std::int32_t> m_styleOf;             ///< by node id: index in m_styles, or -1
    std::vector<NodeStyle> m_styles;                 ///< one per node of the pattern
    QTimer m_timer{this};
};

} // namespace ui

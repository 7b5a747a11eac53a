// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/pattern/pattern_session.h"
#include "ui/scene/node_style.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

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

/// Find and replace of subgraphs: the source of a pattern, its matches while typing, a replacement, and actions.
class PatternPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PatternPanel(QWidget* parent = nullptr);

    /// Null for none. The sources, options and ticks belong to the document.
    void setDocument(Document* document);
    /// Creates the pattern and an initial replacement from the selected nodes. Returns false if that is not possible;
    /// the status explains why.
    bool takeSelection();
    void focusReplacement();
    /// The style of a node in a match; null for others. Valid until `matchesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    const PatternResult& result() const { return m_result; }
    /// Stores what is typed and chosen with the document; it does so itself a moment after typing.
    void keepChoices();
    CodeField* pattern() const { return m_pattern; }
    CodeField* replacement() const { return m_replacement; }

Q_SIGNALS:
    void matchesChanged();
    /// The user requests a preview of these steps.
    void previewRequested(const QString& name, const QByteArray& steps);
    void replaceRequested(const QString& name, const QByteArray& steps);

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
    void take(const PatternResult& result);
    void goTo(int match);
    void goToRow(int row); ///< of the list: a match, or a dropped match
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
    QPointer<PatternSession> m_session; ///< of m_document
    CodeField *m_pattern, *m_replacement;
    QBoxLayout* m_statusRow; ///< what is found, and the steps through it; of an error these are below it
    QLabel *m_status, *m_place, *m_hint, *m_hintCode, *m_relaxed;
    QScrollArea* m_missArea;
    QWidget* m_misses = nullptr; ///< a label for each near miss
    std::vector<PatternNearMiss> m_near;
    std::vector<std::pair<QString, std::string>> m_relaxations; ///< as text, and for the query
    QToolButton *m_fromSelection, *m_copyPattern, *m_previous, *m_next, *m_all, *m_none;
    QCheckBox *m_ignoreLiterals, *m_commutative, *m_keepOverlapping;
    QPushButton *m_preview, *m_replaceOne, *m_replaceAll;
    QListWidget* m_list;
    PatternQuery m_asked; ///< the query of m_result
    PatternResult m_result;
    int m_at = -1;
    std::string m_current;               ///< the anchor of the match that was gone to, also while it is searched
    std::set<std::string> m_unticked;    ///< anchors of matches that should not be replaced
    std::vector<std::int32_t> m_styleOf; ///< by node id: index in m_styles, or -1
    std::vector<NodeStyle> m_styles;     ///< one per node of the pattern
    QTimer m_timer;
};

} // namespace ui

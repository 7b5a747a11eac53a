// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/operator_model.h"
#include "ui/partition/partition_session.h"
#include "ui/partition/partition_styles.h"
#include "ui/partition/stages/stages_on_canvas.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace ui {

class DragHandle;
class OperatorsView;
class PartitionFlags;
class PartitionTableView;
class StagesView;
class WhyView;

/// The Partition panel: supported operators, the resulting partitions, reasons for unassigned nodes and unmerged
/// partitions, manual moves, and fused or split modules; or the stages of a pipeline. The user's choices belong to the
/// document.
class PartitionPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionPanel(QWidget* parent = nullptr); ///< Creates a panel without a document.

    /// Shows the partitions of `document`; null clears the panel.
    void setDocument(Document* document);
    /// Sets whether the panel is visible. It only works, and colours the canvas, while visible.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; } ///< True while the panel is visible.
    /// The last result; empty until there is one.
    const PartitionOutcome& outcome() const { return *m_outcome; }
    /// True if the canvas should be coloured by partition or stage.
    bool colours() const;
    /// True if stages are shown instead of partitions by rules.
    bool showsStages() const { return m_stages->isOn(); }
    void showStages(bool stages);                        ///< Switches between stages and partitions by rules.
    StagesOnCanvas& stages() const { return *m_stages; } ///< The stages on the canvas.
    const WhyView& why() const { return *m_why; }        ///< The explanation, with the displayed cycle.
    /// Returns the style of a node coloured by partition; null for the plain look. Valid until `stylesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// Returns the legend: the partitions, and nodes outside partitions.
    ColourLegend legend() const;
    /// Returns the shares of the partitions in the group with this path.
    RegionShares sharesOf(const std::string& groupPath) const;

    const SupportDraft& draft() const { return m_draft; } ///< The user's support settings.
    void setDraft(const SupportDraft& draft);             ///< Replaces the support settings and partitions again.
    /// Replaces the support settings by a RULES.json. Returns false if it is invalid; the status then shows the
    /// position of the error.
    bool loadRules(const QString& path);
    /// Writes the rules with all ticks and marks. Returns false on failure.
    bool saveRules(const QString& path);
    /// Replaces the support settings by the oneDNN profile of this machine. Creates it first if necessary.
    void takeProfile();
    /// Sets the support of the selected nodes only.
    void markSelection(Support support);
    /// Targets of moves besides partitions: no partition, a new partition.
    static constexpr int kNone = -1, kNew = -2;
    /// Moves the selected nodes to a partition, kNone or kNew. Returns false if that would create a cycle, which is
    /// then shown.
    bool moveSelection(int partition);
    /// Moves any nodes; see `moveSelection`.
    bool moveNodes(const std::vector<fx::NodeId>& nodes, int partition);
    void setTimer(PartitionTimer timer); ///< Sets the functions that time partitions.
    /// Adds the actions for the selected nodes to their context menu.
    void addTo(QMenu& menu);
    /// Adds only the moves of the selected nodes.
    void addMovesTo(QMenu& menu);
    PartitionQuery query() const; ///< Returns the current query.
    int flags() const;            ///< The options of the query, of `PartitionFlag`.
    void setFlags(int flags);     ///< Sets the options of the query.

Q_SIGNALS:
    void stylesChanged(); ///< Emitted when styles, legend, shares or bands change.
    /// Emitted when the user fuses or splits partitions: `steps` are one change.
    void changeRequested(const QString& name, const fx::StepList& steps);
    void notified(const QString& text); ///< Emitted with messages for the status bar.

protected:
    void changeEvent(QEvent* event) override;

private:
    // partition_panel.cpp
    void connectDocument(Document& document);
    void showMode();
    void takeChoices();
    void takeVersion();
    void run();
    void showProposal();
    void take(PartitionOutcome outcome);
    void takeShapes();
    std::shared_ptr<const fx::GraphModule> shown() const;
    QString guessed() const;
    std::vector<fx::NodeId> nodesOf(const std::vector<int>& partitions) const;
    void explain();
    void showStyles();
    void measure();
    void showTimes();
    void change(bool splits);
    // partition_widgets.cpp
    QWidget* makeMode();
    QWidget* makeOperators();
    QWidget* makeMarks();
    QWidget* makeStatus();
    void makeTable();
    QWidget* makeButtons();
    QMenu* makeRulesMenu();
    void makeActions();
    void showStatus();
    void updateButtons();
    // partition_choices.cpp
    void showDraft();
    void showProfile();
    void askWhatIf(const MetOperator* op);
    void follow(const QString& link);
    void showPartitionMenu(int partition, const QPoint& position);
    void askMove();

    QPointer<Document> m_document;
    QPointer<PartitionSession> m_session; ///< the session of `m_document`
    StagesOnCanvas* m_stages;
    SupportDraft m_draft;
    std::vector<std::string> m_nonCompute;
    std::vector<fx::NamedPartitions> m_hand; ///< manual partitions, the newest last; empty: those of the rules
    QString m_rulesError;
    std::shared_ptr<const PartitionOutcome> m_outcome = std::make_shared<const PartitionOutcome>();
    std::shared_ptr<const fx::GraphModule> m_version;       ///< the version of `m_outcome`
    std::shared_ptr<const fx::GraphModule> m_listedVersion; ///< the version whose operators are listed, or null
    std::shared_ptr<const DrawnGroups> m_groups;
    PartitionStyles m_styles;
    PartitionTimer m_timer;
    bool m_seen = false;

    QTabBar* m_mode;
    QStackedWidget* m_pages;
    StagesView* m_stagesView;
    OperatorsView* m_operators;
    DragHandle* m_handle;
    QToolButton *m_supported, *m_unsupported, *m_byRule, *m_move;
    PartitionFlags* m_flags;
    QLabel *m_status, *m_whatIf, *m_hint, *m_handNote;
    WhyView* m_why;
    PartitionTableView* m_table;
    QPushButton *m_time, *m_split, *m_fuse;
    /// Additional actions of the command palette; see `actions()`.
    QAction *m_tickAllAction, *m_supportAction, *m_refuseAction, *m_moveAction, *m_nextAction, *m_previousAction,
        *m_timeAction, *m_splitAction, *m_fuseAction, *m_profileAction;

    QString m_whatIfOperator;
    struct Difference {
        QString words;
        bool isAny = false; ///< partitions change
    };
    TaskSlot<Difference> m_asking{"partition.whatIf"};
    struct Listed {
        std::vector<MetOperator> operators;
        std::shared_ptr<const DrawnGroups> groups;
    };
    TaskSlot<Listed> m_listing{"partition.operators"};
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/partition/operator_model.h"
#include "ui/partition/partition_session.h"
#include "ui/partition/stages/stage_overlay.h"
#include "ui/scene/node_style.h"

#include <QLoggingCategory>
#include <QPointer>
#include <QWidget>

class QAction;
class QCheckBox;
class QLabel;
class QLineEdit;
class QMenu;
class QPushButton;
class QScrollArea;
class QSortFilterProxyModel;
class QStackedWidget;
class QTabBar;
class QTableView;
class QToolButton;
class QTreeView;

namespace ui {

Q_DECLARE_LOGGING_CATEGORY(partitionLog)

class DragHandle;
class GraphCanvas;
class PartitionTableModel;
class StagesSession;
class StagesView;

/// The Partition panel: supported operators, the resulting partitions, reasons for unassigned nodes and unmerged
/// partitions, manual moves, and fused or split modules; or the stages of a pipeline. What is chosen belongs to its
/// document.
class PartitionPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionPanel(QWidget* parent = nullptr);

    /// Null for none.
    void setDocument(Document* document);
    /// Whether the panel is visible. It is only active, and colours the canvas, while visible.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; }
    const PartitionOutcome& outcome() const { return *m_outcome; }
    /// Whether the canvas should currently be coloured by partition.
    bool colours() const;
    /// Whether stages are shown instead of partitions by rules.
    bool showsStages() const;
    void showStages(bool stages);
    /// The style of a node coloured by partition; null for the plain look. Valid until `stylesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// The legend: the partitions, and nodes outside partitions.
    ColourLegend legend() const;
    /// The shares of the partitions in the group with this path.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// The displayed cycle: the nodes on the path out of a partition and back, or empty.
    const std::vector<fx::NodeId>& way() const { return m_way; }
    /// The bands of the stages; null without stages.
    std::shared_ptr<const CanvasBands> bands() const;
    /// Lets the cuts between stages be changed on the canvas of a document.
    void connectCuts(GraphCanvas& canvas, const Document& document);

    const SupportDraft& draft() const { return m_draft; }
    void setDraft(const SupportDraft& draft);
    /// Loads a RULES.json for everything that is not ticked. Returns false if it is invalid; the status shows the
    /// position of the error.
    bool loadRules(const QString& path);
    bool saveRules(const QString& path);
    /// Uses the oneDNN profile of this machine for everything that is not ticked; creates it first if necessary.
    void takeProfile();
    /// Sets the support of the selected nodes only.
    void markSelection(Support support);
    static constexpr int kNone = -1, kNew = -2;
    /// Moves the selected nodes to another partition, to none or to a new one. Returns false if that would create a
    /// cycle, which is then shown.
    bool moveSelection(int partition);
    /// The same for any nodes.
    bool moveNodes(const std::vector<fx::NodeId>& nodes, int partition);
    void setTimer(PartitionTimer timer);
    /// Adds the actions for the selected nodes to their context menu.
    void addTo(QMenu& menu);
    /// Where the selected nodes can be moved to, for a menu of moves alone.
    void addMovesTo(QMenu& menu);
    PartitionQuery query() const;
    int flags() const;
    void setFlags(int flags);

Q_SIGNALS:
    void stylesChanged();
    /// The user requests these steps as one change.
    void changeRequested(const QString& name, const QByteArray& steps);
    void notified(const QString& text);
    /// A cut between stages was chosen or moved outside the canvas, which may not show it.
    void cutChosen(int cut);

protected:
    void changeEvent(QEvent* event) override;

private:
    // partition_widgets.cpp
    QWidget* makeOperators();
    QWidget* makeFlags();
    QWidget* makeStatus();
    QWidget* makeTable();
    QWidget* makeButtons();
    QMenu* makeRulesMenu();
    void makeActions();
    // partition_rules.cpp
    void tick(const std::vector<const MetOperator*>& operators, Support support);
    void tickAll(bool on);
    void showOperatorMenu(const QPoint& position);
    void toggleNonCompute(const MetOperator& op);
    void askWhatIf(const MetOperator* op);
    void showProfile();
    void endProfile(const QString& error);
    // partition_stages.cpp
    QWidget* makeMode();
    void showMode();
    void updateStages();
    void revealStage(int stage);
    void dragCut(int cut, double place);
    void cutBefore(fx::NodeId node);
    void addStagesTo(QMenu& menu);
    // partition_panel.cpp
    void keepChoices();
    void takeChoices();
    void showFlags(int flags);
    void showDraft();
    void takeVersion();
    void run();
    void showProposal();
    void take(PartitionOutcome outcome);
    void takeShapes();
    void fitColumns();
    void showBytes();
    const fx::GraphModule& shown() const;
    // partition_status.cpp
    void showStatus();
    void setStatus(const char* role, const QString& text);
    void updateButtons();
    // partition_change.cpp
    void change(bool splits);
    // partition_timing.cpp
    void measure();
    void showTimes();
    // partition_styles.cpp
    void makeStyles();
    // partition_why.cpp
    void explain();
    void explainNode(fx::NodeId node);
    void explainPair(int a, int b);
    void explainBorder(int partition);
    QString sourceOf(const fx::Node& node) const;
    QString readersOf(const fx::Node& node, int partition) const;
    void showWay(const QString& head, std::vector<fx::NodeId> way);
    void drawWhy();
    void step(int by);
    void follow(const QString& link);
    QString placeOf(fx::NodeId node) const;
    // partition_hand.cpp
    void joinRows(const std::vector<int>& rows, int to);
    void selectRows();
    void showRowMenu(const QPoint& position);
    int home() const;
    std::vector<int> neighbours() const;
    std::vector<int> nearest(int except) const;
    void askMove();

    QPointer<Document> m_document;
    QPointer<PartitionSession> m_session; ///< of m_document
    QPointer<StagesSession> m_stages;     ///< of m_document
    StageOverlay m_overlay;
    SupportDraft m_draft;
    std::vector<std::string> m_nonCompute;
    std::vector<fx::NamedPartitions> m_hand; ///< manual partitions, the newest last; empty for those of the rules
    QString m_rulesError;
    std::shared_ptr<const PartitionOutcome> m_outcome = std::make_shared<const PartitionOutcome>();
    std::shared_ptr<const fx::GraphModule> m_version;       ///< the version of m_outcome
    std::shared_ptr<const fx::GraphModule> m_listedVersion; ///< of which the operators are listed; null: none yet

    OperatorModel* m_operators;
    QSortFilterProxyModel* m_filtered;
    QLineEdit* m_filter;
    QTreeView* m_tree;
    QToolButton *m_rules, *m_all, *m_nothing, *m_supported, *m_unsupported, *m_byRule, *m_move;
    QCheckBox *m_single, *m_trim, *m_vertical;
    QLabel *m_status, *m_whatIf, *m_hint, *m_why, *m_handNote;
    QScrollArea* m_whyArea;
    QToolButton *m_previous, *m_next;
    QLabel* m_place;
    QWidget* m_whyBar;
    PartitionTableModel* m_partitions;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QLabel* m_times;
    QPushButton *m_time, *m_split, *m_fuse;
    QTabBar* m_mode;
    QStackedWidget* m_pages;
    StagesView* m_stagesView;
    DragHandle* m_handle;
    /// Additional actions of the command palette, see `actions()`.
    QAction *m_tickAllAction, *m_supportAction, *m_refuseAction, *m_moveAction, *m_nextAction, *m_previousAction,
        *m_timeAction, *m_splitAction, *m_fuseAction, *m_profileAction;
    PartitionTimer m_timer;

    std::vector<std::int32_t> m_styleOf; ///< by node id: index in m_styles, or -1 for the plain look
    std::vector<NodeStyle> m_styles;
    std::vector<NodeRegion> m_regions;
    std::shared_ptr<const DrawnGroups> m_groups;
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> m_shares; ///< by path of a group
    std::vector<fx::NodeId> m_way;
    QString m_whyHead, m_whatIfOperator;
    int m_at = -1; ///< the current step of the cycle
    bool m_selecting = false, m_seen = false;
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

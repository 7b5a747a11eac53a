// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"
#include "core/remote/partition_times.h"
#include "ui/canvas/colour_legend.h"
#include "ui/canvas/node_style.h"
#include "ui/document/document.h"
#include "ui/partition/operator_model.h"

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
class QTableView;
class QToolButton;
class QTreeView;

namespace ui {

Q_DECLARE_LOGGING_CATEGORY(partitionLog)

class DragHandle;
class PartitionTableModel;

/// The interface for timing partitions, provided by the window. All on the GUI thread.
struct PartitionTimer {
    /// Why timing is not possible now, or empty.
    std::function<QString()> missing;
    /// Calls `done` or `failed`, neither after `cancel`.
    std::function<void(std::shared_ptr<const fx::GraphModule> version, std::vector<fx::Partition> partitions,
                       std::function<void(const fx::remote::PartitionTimes&)> done,
                       std::function<void(const fx::Error&)> failed)>
        start;
    /// Times each node of the version. Calls `progressed`, then `done` or `failed`; none of them after `cancel`.
    std::function<void(std::shared_ptr<const fx::GraphModule> version, std::function<void(const fx::NodeTimes&)> done,
                       std::function<void(const fx::Error&)> failed,
                       std::function<void(const QString&, double)> progressed)>
        nodes;
    std::function<void()> cancel;
    /// Ensures that the profile with this name ("onednn") exists, running each operator once if necessary. Calls
    /// `progressed`, then `done` or `failed`; none of them after `cancelProfile`.
    std::function<void(const std::string& name, std::function<void()> done,
                       std::function<void(const fx::Error&)> failed,
                       std::function<void(const QString&, double)> progressed)>
        profile{};
    std::function<void()> cancelProfile{};
};

/// The Partition panel: supported operators, the resulting partitions, reasons for unassigned nodes and unmerged
/// partitions, manual moves, and fused or split modules.
class PartitionPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionPanel(QWidget* parent = nullptr);

    /// Null for none. Ticks are kept by operator.
    void setDocument(Document* document);
    /// Whether the panel is visible. It is only active, and colours the canvas, while visible.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; }
    const PartitionOutcome& outcome() const { return *m_outcome; }
    /// Whether the canvas should currently be coloured by partition.
    bool colours() const { return m_seen && m_document && !m_outcome->report.partitions.empty(); }
    /// The style of a node coloured by partition; null for the plain look. Valid until `stylesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// The legend: the partitions, and nodes outside partitions.
    ColourLegend legend() const;
    /// The shares of the partitions in the group with this path.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// The displayed cycle: the nodes on the path out of a partition and back, or empty.
    const std::vector<fx::NodeId>& way() const { return m_way; }

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
    /// Writes the model as `count` stages of a pipeline of processes, off the GUI thread; the result is reported by
    /// `notified`.
    void exportStages(int count, fx::StageBalance balance, const QString& folder, const fx::NodeTimes& times = {});
    PartitionQuery query() const;
    /// Flags, ticks and the rules from a file, as JSON.
    QByteArray remembered() const;
    void recall(const QByteArray& json);
    int flags() const;
    void setFlags(int flags);

Q_SIGNALS:
    void stylesChanged();
    /// The user requests these steps as one change.
    void changeRequested(const QString& name, const QByteArray& steps);
    void notified(const QString& text);

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
    void endProfile(const QString& error);
    // partition_panel.cpp
    void takeVersion();
    void run();
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
    void change(const char* then);
    void askStages();
    void showFailure(const fx::Error& error);
    // partition_timing.cpp
    void measure();
    void measureNodes(std::function<void(const fx::NodeTimes&)> then);
    void failTimes(const fx::Error& error);
    void stopMeasuring();
    void forgetTimes();
    void takeTimes(const fx::remote::PartitionTimes& times);
    void showTimes(const QString& text);
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

    QPointer<Document> m_document;
    SupportDraft m_draft;
    std::vector<std::string> m_nonCompute;
    std::vector<fx::NamedPartitions> m_hand; ///< manual partitions, the newest last; empty for those of the rules
    QString m_rulesError;
    QString m_finding; ///< progress of creating a profile, or empty
    std::shared_ptr<const PartitionOutcome> m_outcome = std::make_shared<const PartitionOutcome>();
    std::shared_ptr<const fx::GraphModule> m_version; ///< the version of m_outcome

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
    QPushButton *m_time, *m_stages, *m_split, *m_fuse;
    DragHandle* m_handle;
    /// Additional actions of the command palette, see `actions()`.
    QAction *m_tickAllAction, *m_supportAction, *m_refuseAction, *m_moveAction, *m_nextAction, *m_previousAction,
        *m_timeAction, *m_splitAction, *m_fuseAction, *m_profileAction;
    PartitionTimer m_timer;
    enum class Measured { Nothing, Partitions, Nodes };
    Measured m_measured = Measured::Nothing; ///< what the worker is timing
    QString m_stagesFolder;                  ///< of the last export

    std::vector<std::int32_t> m_styleOf; ///< by node id: index in m_styles, or -1 for the plain look
    std::vector<NodeStyle> m_styles;
    std::vector<NodeRegion> m_regions;
    std::shared_ptr<const DrawnGroups> m_groups;
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> m_shares; ///< by path of a group
    std::vector<fx::NodeId> m_way;
    QString m_whyHead, m_whatIfOperator;
    int m_at = -1; ///< the current step of the cycle
    bool m_selecting = false, m_seen = false;
    struct Ran {
        PartitionOutcome outcome;
        std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> shares;
    };
    TaskSlot<Ran> m_task{"partition.run"};
    TaskSlot<QString> m_asking{"partition.whatIf"};
    TaskSlot<QString> m_exporting{"partition.export"};
    struct Listed {
        std::vector<MetOperator> operators;
        std::shared_ptr<const DrawnGroups> groups;
    };
    TaskSlot<Listed> m_listing{"partition.operators"};
};

} // namespace ui

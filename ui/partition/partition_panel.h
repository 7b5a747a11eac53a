// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/node_style.h"
#include "ui/document/document.h"
#include "ui/partition/operator_model.h"

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

class PartitionTableModel;

/// Partitioning: what a back end supports, the partitions that follow while one ticks, why nodes and partitions do not go together,
/// partitions changed by hand, and modules made of them.
class PartitionPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionPanel(QWidget* parent = nullptr);

    /// Null: nothing to partition. What is ticked stays, by operator.
    void setDocument(Document* document);
    /// Whether somebody sees it: only then it works, and colours the canvas.
    void setSeen(bool seen);
    bool isSeen() const { return m_seen; }
    const PartitionOutcome& outcome() const { return *m_outcome; }
    /// Whether the canvas is to be coloured by partition now.
    bool colours() const { return m_seen && m_document && !m_outcome->report.partitions.empty(); }
    /// How a node looks when it is coloured by partition; null for the plain look. Valid until `stylesChanged`.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// What the group of that path holds of the partitions.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// The cycle that is explained: the nodes on the way out of a partition and back. Empty: none.
    const std::vector<fx::NodeId>& way() const { return m_way; }

    const SupportDraft& draft() const { return m_draft; }
    void setDraft(const SupportDraft& draft);
    /// Takes a RULES.json for all that is not ticked. False when it cannot be used; the status says where it is wrong.
    bool loadRules(const QString& path);
    bool saveRules(const QString& path);
    /// Says something about the selected nodes alone.
    void markSelection(Support support);
    static constexpr int kNone = -1, kNew = -2;
    /// Moves the selected nodes to another partition, to none or to a new one. False when that would close a cycle; it is shown then.
    bool moveSelection(int partition);
    /// What can be done with the selected nodes, for their context menu.
    void addTo(QMenu& menu);
    /// Writes the model as `count` stages that run as a pipeline of processes, off the GUI thread; what came of it is told by `notified`.
    void exportStages(int count, const QString& folder);
    PartitionQuery query() const;
    /// Flags as remembered between runs.
    int flags() const;
    void setFlags(int flags);

Q_SIGNALS:
    void stylesChanged();
    /// Steps that the user wants applied as one change.
    void changeRequested(const QString& name, const QByteArray& steps);
    void notified(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    // partition_panel.cpp
    QWidget* makeOperators();
    QWidget* makeFlags();
    QWidget* makeStatus();
    QWidget* makeTable();
    QWidget* makeButtons();
    QMenu* makeRulesMenu();
    void tick(const std::vector<const MetOperator*>& operators, Support support);
    void tickAll(bool on);
    void showOperatorMenu(const QPoint& position);
    void toggleNonCompute(const MetOperator& op);
    void takeVersion();
    void run();
    void take(PartitionOutcome outcome);
    void showStatus();
    void setStatus(const char* role, const QString& text);
    void updateButtons();
    void change(const char* then);
    void askStages();

    // partition_why.cpp
    void makeStyles();
    void explain();
    void explainNode(fx::NodeId node);
    void explainPair(int a, int b);
    void showWay(const QString& head, std::vector<fx::NodeId> way);
    void drawWhy();
    void step(int by);
    void follow(const QString& link);
    QString placeOf(fx::NodeId node) const;
    void askWhatIf(const MetOperator* op);
    void selectRows();
    void showRowMenu(const QPoint& position);
    std::vector<int> neighbours() const;

    QPointer<Document> m_document;
    SupportDraft m_draft;
    std::vector<std::string> m_nonCompute;
    std::vector<fx::NamedPartitions> m_hand; ///< partitions made by hand, the newest last; empty: those of the rules
    QString m_rulesError;
    std::shared_ptr<const PartitionOutcome> m_outcome = std::make_shared<const PartitionOutcome>();
    std::shared_ptr<const fx::GraphModule> m_version; ///< what m_outcome is of

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
    QPushButton *m_stages, *m_split, *m_fuse;

    std::vector<std::int32_t> m_styleOf; ///< by node id: index in m_styles, -1: plain
    std::vector<NodeStyle> m_styles;
    std::vector<NodeRegion> m_regions;
    std::shared_ptr<const DrawnGroups> m_groups;
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> m_shares; ///< by path of a group
    std::vector<fx::NodeId> m_way;
    QString m_whyHead, m_whatIfOperator;
    int m_at = -1; ///< the step of the way that is looked at
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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_run.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace ui {

/// Explains why a node is in no partition, why two partitions are not merged, or what crosses the border of one. A
/// cycle is listed, and its steps can be followed.
class WhyView final : public QWidget {
    Q_OBJECT
public:
    /// The partitions of a model, and what is selected of it.
    struct Subject {
        std::shared_ptr<const fx::GraphModule> version; ///< null without a model
        std::shared_ptr<const fx::GraphModule> shown;   ///< the version with known shapes
        std::shared_ptr<const PartitionOutcome> outcome;
        std::vector<fx::NodeId> selection;
        QString guessed;       ///< the inputs on which shapes are guessed, or empty
        bool hasRules = false; ///< something may be supported
        bool ticked = false;   ///< the rules consist only of ticks
    };

    explicit WhyView(QWidget* parent); ///< Creates a view without a subject.

    /// Explains the selection: one node, or one or two partitions. Forgets the cycle.
    void explain(Subject subject);
    /// Shows a cycle of the last subject instead, below an explanation.
    void showCycle(const QString& head, std::vector<fx::NodeId> cycle);
    /// The displayed cycle: the nodes on the path out of a partition and back, or empty.
    const std::vector<fx::NodeId>& cycle() const { return m_cycle; }
    int current() const { return m_current; } ///< The current step of the cycle, or -1.
    void step(int by);                        ///< Goes along the cycle.

Q_SIGNALS:
    void cycleChanged();                     ///< Emitted when `cycle` or `current` may have changed.
    void nodeChosen(fx::NodeId node);        ///< Emitted when the user goes to a node.
    void mergeRequested(int from, int into); ///< Emitted when the user merges two partitions.
    void unsupportedFound(fx::NodeId node);  ///< Emitted when the selected node is explained to be unsupported.

protected:
    void changeEvent(QEvent* event) override;

private:
    void explainNode(fx::NodeId node);
    void explainPair(int a, int b);
    void explainBorder(int partition);
    QString sourceOf(const fx::Node& node) const;
    QString readersOf(const fx::Node& node, int partition) const;
    QString placeOf(fx::NodeId node) const;
    QString invitation() const;
    void setCycle(const QString& head, std::vector<fx::NodeId> cycle);
    void draw();
    void follow(const QString& link);

    Subject m_subject;
    QString m_head;
    std::vector<fx::NodeId> m_cycle;
    int m_current = -1;
    QLabel *m_text, *m_place;
    QToolButton *m_previous, *m_next;
};

} // namespace ui

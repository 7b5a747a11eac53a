// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/run/run_session.h"
#include "ui/scene/node_style.h"

#include <QPointer>

#include <unordered_map>

namespace ui {

/// What the nodes in a closed group differ by.
struct GroupError {
    double worst = 0;                          ///< largest error of a node; infinite: one cannot be compared
    std::uint32_t differing = 0, compared = 0; ///< nodes
};

/// Errors as colours along the graph: how far each node of the current version is from the same node of the original,
/// on the inputs of the verification.
///
/// The colour tells the largest error against the largest value of the node in the original: nodes whose values are
/// small are not flattered, and one node can be compared with another. From 1e-8 to 1 on a logarithmic scale that is
/// the same for all models; white is equal bit for bit. Only for the version that was verified: what was found out
/// about another one stands nowhere.
class ErrorMap final : public QObject {
    Q_OBJECT
public:
    /// In the colours of the theme, anew when that of `widget` changes.
    explicit ErrorMap(QWidget* widget);
    /// Null: no file is open.
    void setSession(RunSession* session);
    /// Shows a report of that version, which is the one in the picture.
    void show(const fx::VerifyReport& report, std::shared_ptr<const fx::GraphModule> version);
    /// Nothing was compared node by node.
    bool empty() const { return m_styles.empty(); }
    /// Null: nothing was compared.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// What closed groups show: how many of their nodes differ, in the colour of the largest error.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// What the colours mean; also while there are none, with the reason.
    ColourLegend legend() const;

    /// Where an error stands on the ramp: 0..1.
    static double placeOf(double error);

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void make();
    void clear();
    void put(fx::NodeId node, NodeStyle style, double error);
    void countGroups();

    QPointer<RunSession> m_session;
    std::shared_ptr<const fx::GraphModule> m_version; ///< that is shown; null: none
    std::vector<NodeStyle> m_styles;                  ///< the first one: of nodes that were not compared
    std::vector<std::uint32_t> m_styleOf;
    std::vector<double> m_errors; ///< by node id; negative: not compared
    std::unordered_map<std::string, std::pair<NodeRegion, GroupError>> m_groups;
    TaskSlot<std::unordered_map<std::string, GroupError>> m_counting{"result.groups"};
    bool m_anyEqual = false, m_anyOther = false, m_anyUncompared = false;
};

/// What is in each group of the picture; `errors`: by node id, negative for nodes that were not compared. Any thread.
std::unordered_map<std::string, GroupError> groupErrors(const fx::GraphModule& model, const std::vector<double>& errors,
                                                        const fx::Progress& progress);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/run/run_session.h"
#include "ui/scene/node_style.h"

#include <QPointer>

#include <unordered_map>

namespace ui {

/// The differences of the nodes in a closed group.
struct GroupError {
    double worst = 0;                          ///< largest error of a node; infinite: a node cannot be compared
    std::uint32_t differing = 0, compared = 0; ///< numbers of nodes
};

/// Errors as colours along the graph: the distance of each node of the current version from the same node of the
/// original, on the inputs of the verification.
///
/// The colour shows the largest error relative to the largest value of the node in the original, so that small values
/// are not flattered and nodes are comparable. The scale is logarithmic from 1e-8 to 1 for all models; white is
/// bit-identical. Only for the verified version.
class ErrorMap final : public QObject {
    Q_OBJECT
public:
    /// Uses the colours of the theme, and updates them when those of `widget` change.
    explicit ErrorMap(QWidget* widget);
    /// Shows the errors of another session; null if no file is open.
    void setSession(RunSession* session);
    /// Shows a report of `version`, which is the displayed version.
    void show(const fx::VerifyReport& report, std::shared_ptr<const fx::GraphModule> version);
    /// True if no node was compared.
    bool empty() const { return m_styles.empty(); }
    /// Returns the style of a node; null if nothing was compared.
    const NodeStyle* styleOf(fx::NodeId node) const;
    /// Returns the shares of a closed group: the number of nodes that differ, in the colour of the largest error.
    RegionShares sharesOf(const std::string& groupPath) const;
    /// Returns the meaning of the colours; without colours, the reason.
    ColourLegend legend() const;

    /// Returns the position of an error on the ramp, 0..1.
    static double placeOf(double error);

Q_SIGNALS:
    void changed(); ///< Emitted when styles, shares or legend change.

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void make();
    void clear();
    void put(fx::NodeId node, NodeStyle style, double error);
    void countGroups();

    QPointer<RunSession> m_session;
    std::shared_ptr<const fx::GraphModule> m_version; ///< the displayed version; null: none
    std::vector<NodeStyle> m_styles;                  ///< the first is for nodes that were not compared
    std::vector<std::uint32_t> m_styleOf;
    std::vector<double> m_errors; ///< by node id; negative: not compared
    std::unordered_map<std::string, std::pair<NodeRegion, GroupError>> m_groups;
    TaskSlot<std::unordered_map<std::string, GroupError>> m_counting{"result.groups"};
    bool m_anyEqual = false, m_anyOther = false, m_anyUncompared = false;
};

/// Computes the errors of each group in the picture. `errors` is by node id, negative for nodes that were not compared.
/// Thread-safe.
std::unordered_map<std::string, GroupError> groupErrors(const fx::GraphModule& model, const std::vector<double>& errors,
                                                        const fx::Progress& progress);

} // namespace ui

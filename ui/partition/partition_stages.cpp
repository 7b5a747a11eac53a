// SPDX-License-Identifier: GPL-3.0-or-later
// The stages of a pipeline, in place of partitions by rules: which of the two is shown, and cuts on the canvas.
#include "ui/partition/partition_panel.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/partition/stages/stages_session.h"
#include "ui/partition/stages/stages_view.h"

#include <QMenu>
#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>

namespace ui {

QWidget* PartitionPanel::makeMode() {
    m_mode = new QTabBar(this);
    m_mode->setAccessibleName(tr("Partitions by rules, or stages"));
    m_mode->addTab(tr("By Rules"));
    m_mode->addTab(tr("Stages"));
    m_mode->setTabToolTip(0, tr("Partitions of operators that a back end supports"));
    m_mode->setTabToolTip(1, tr("The graph in order, cut into the stages of a pipeline"));
    m_mode->setExpanding(false);
    m_mode->setDrawBase(false);
    m_pages = new QStackedWidget(this);
    m_stagesView = new StagesView(this);
    connect(m_mode, &QTabBar::currentChanged, this, [this](int tab) { showStages(tab == 1); });
    connect(m_stagesView, &StagesView::stageChosen, this, &PartitionPanel::revealStage);
    connect(m_stagesView, &StagesView::cutChosen, this, &PartitionPanel::cutChosen);
    connect(m_stagesView, &StagesView::notified, this, &PartitionPanel::notified);
    return m_mode;
}

bool PartitionPanel::showsStages() const { return m_stages && m_stages->isOn(); }

bool PartitionPanel::colours() const {
    if (!m_seen || !m_document) return false;
    return showsStages() ? m_stages->plan() != nullptr : !m_outcome->report.partitions.empty();
}

std::shared_ptr<const CanvasBands> PartitionPanel::bands() const {
    return showsStages() && m_stages->plan() ? m_overlay.bands() : nullptr;
}

void PartitionPanel::showStages(bool stages) {
    if (m_stages) m_stages->setOn(stages);
    else showMode();
}

void PartitionPanel::showMode() {
    const bool stages = showsStages(), switches = m_pages->currentIndex() != (stages ? 1 : 0);
    const QSignalBlocker quiet(m_mode);
    m_mode->setCurrentIndex(stages ? 1 : 0);
    m_pages->setCurrentIndex(stages ? 1 : 0);
    if (switches) run();
    updateStages();
}

void PartitionPanel::updateStages() {
    if (!m_seen || !showsStages() || !m_stages->plan()) m_overlay.clear();
    else m_overlay.update(*m_stages->plan(), m_stages->cuts(), m_stages->current(), m_document->picture().scene());
    Q_EMIT stylesChanged();
}

/// Selects its calls and scrolls to them.
void PartitionPanel::revealStage(int stage) {
    const auto at = static_cast<std::size_t>(stage);
    const fx::StageLine::Cuts& cuts = m_stages->cuts();
    if (!m_stages->plan() || at > cuts.size()) return;
    const auto& calls = m_stages->plan()->line->calls();
    const auto [begin, end] = m_stages->plan()->line->extent(cuts, at);
    const std::vector<fx::NodeId> nodes(calls.begin() + static_cast<std::ptrdiff_t>(begin),
                                        calls.begin() + static_cast<std::ptrdiff_t>(end));
    if (!nodes.empty()) m_document->goTo(nodes, nullptr);
}

void PartitionPanel::dragCut(int cut, double place) {
    if (!showsStages() || !m_stages->plan() || !m_overlay.places() || cut < 0) return;
    const auto at = static_cast<std::size_t>(cut);
    if (at >= m_stages->cuts().size()) return;
    m_stages->moveCut(cut, m_overlay.places()->cutAt(place, m_stages->plan()->line->range(m_stages->cuts(), at)));
}

/// Moves the nearest cut to before this node.
void PartitionPanel::cutBefore(fx::NodeId node) {
    const std::size_t place = m_stages->plan()->line->placeOf(node);
    const auto& cuts = m_stages->cuts();
    const auto distance = [&](std::size_t cut) { return cut > place ? cut - place : place - cut; };
    const auto nearest = std::min_element(cuts.begin(), cuts.end(),
                                          [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
    if (nearest == cuts.end()) return;
    const int cut = static_cast<int>(nearest - cuts.begin());
    m_stages->choose(cut);
    m_stages->moveCut(cut, place);
    m_stages->endMove();
}

void PartitionPanel::addStagesTo(QMenu& menu) {
    const fx::NodeId node = m_document->selection().front();
    const bool can = m_document->selection().size() == 1 && m_stages->plan() && !m_stages->cuts().empty() &&
                     m_stages->plan()->line->placeOf(node) < m_stages->plan()->line->size();
    menu.addAction(tr("Move Nearest Cut Here"), this, [this, node] { cutBefore(node); })->setEnabled(can);
}

void PartitionPanel::connectCuts(GraphCanvas& canvas, const Document& document) {
    const auto here = [this, &document] { return m_document == &document && m_stages; };
    connect(&canvas, &GraphCanvas::cutChosen, this, [this, here](int cut) {
        if (here()) m_stages->choose(cut);
    });
    connect(this, &PartitionPanel::cutChosen, &canvas, [here, &canvas](int cut) {
        if (here()) canvas.revealCut(cut);
    });
    connect(&canvas, &GraphCanvas::cutDragged, this, [this, here](int cut, double place) {
        if (here()) dragCut(cut, place);
    });
    connect(&canvas, &GraphCanvas::cutReleased, this, [this, here](int) {
        if (here()) m_stages->endMove();
    });
    connect(&canvas, &GraphCanvas::cutStepped, this, [this, here](int cut, int by) {
        if (here()) m_stages->stepCut(cut, by);
    });
    connect(&canvas, &GraphCanvas::cutUndoRequested, this, [this, here](bool redo) {
        if (here()) redo ? m_stages->redo() : m_stages->undo();
    });
}

} // namespace ui

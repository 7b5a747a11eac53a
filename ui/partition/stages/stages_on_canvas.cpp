// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stages_on_canvas.h"

#include "ui/canvas/graph_canvas.h"

#include <QMenu>

#include <algorithm>

namespace ui {

void StagesOnCanvas::setDocument(Document* document) {
    if (m_session) m_session->disconnect(this);
    if (m_document) m_document->release(this);
    m_document = document;
    m_session = document ? StagesSession::of(*document) : nullptr;
    if (document) {
        connect(m_session, &StagesSession::changed, this, &StagesOnCanvas::update);
        connect(m_session, &StagesSession::cutsChanged, this, &StagesOnCanvas::update);
        connect(&document->picture(), &DocumentPicture::pictureChanged, this, &StagesOnCanvas::update);
    }
}

void StagesOnCanvas::setSeen(bool seen) {
    m_seen = seen;
    update();
}

void StagesOnCanvas::update() {
    if (!m_seen || !isPlanned()) m_overlay.clear();
    else m_overlay.update(*m_session->plan(), m_session->cuts(), m_session->current(), m_document->picture().scene());
    Q_EMIT changed();
}

void StagesOnCanvas::reveal(int stage) {
    const auto at = static_cast<std::size_t>(stage);
    const fx::StageLine::Cuts& cuts = m_session->cuts();
    if (!m_session->plan() || at > cuts.size()) return;
    const auto& calls = m_session->plan()->line->calls();
    const auto [begin, end] = m_session->plan()->line->extent(cuts, at);
    const std::vector<fx::NodeId> nodes(calls.begin() + static_cast<std::ptrdiff_t>(begin),
                                        calls.begin() + static_cast<std::ptrdiff_t>(end));
    if (!nodes.empty()) m_document->selection().goTo(nodes, nullptr);
}

void StagesOnCanvas::drag(int cut, double place) {
    if (!isPlanned() || !m_overlay.places() || cut < 0) return;
    const auto at = static_cast<std::size_t>(cut);
    if (at >= m_session->cuts().size()) return;
    m_session->moveCut(cut, m_overlay.places()->cutAt(place, m_session->plan()->line->range(m_session->cuts(), at)));
}

/// Moves the nearest cut to before this node.
void StagesOnCanvas::cutBefore(fx::NodeId node) {
    const std::size_t place = m_session->plan()->line->placeOf(node);
    const auto& cuts = m_session->cuts();
    const auto distance = [&](std::size_t cut) { return cut > place ? cut - place : place - cut; };
    const auto nearest = std::min_element(cuts.begin(), cuts.end(),
                                          [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
    if (nearest == cuts.end()) return;
    const int cut = static_cast<int>(nearest - cuts.begin());
    m_session->choose(cut);
    m_session->moveCut(cut, place);
    m_session->endMove();
}

void StagesOnCanvas::addTo(QMenu& menu) {
    const fx::NodeId node = m_document->selection().nodes().front();
    const bool can = m_document->selection().nodes().size() == 1 && m_session->plan() && !m_session->cuts().empty() &&
                     m_session->plan()->line->placeOf(node) < m_session->plan()->line->size();
    menu.addAction(tr("Move Nearest Cut Here"), this, [this, node] { cutBefore(node); })->setEnabled(can);
}

void StagesOnCanvas::connectCuts(GraphCanvas& canvas, const Document& document) {
    const auto here = [this, &document] { return m_document == &document && m_session; };
    connect(&canvas, &GraphCanvas::cutChosen, this, [this, here](int cut) {
        if (here()) m_session->choose(cut);
    });
    connect(this, &StagesOnCanvas::cutChosen, &canvas, [here, &canvas](int cut) {
        if (here()) canvas.revealCut(cut);
    });
    connect(&canvas, &GraphCanvas::cutDragged, this, [this, here](int cut, double place) {
        if (here()) drag(cut, place);
    });
    connect(&canvas, &GraphCanvas::cutReleased, this, [this, here](int) {
        if (here()) m_session->endMove();
    });
    connect(&canvas, &GraphCanvas::cutStepped, this, [this, here](int cut, int by) {
        if (here()) m_session->stepCut(cut, by);
    });
    connect(&canvas, &GraphCanvas::cutUndoRequested, this, [this, here](bool redo) {
        if (here()) redo ? m_session->redo() : m_session->undo();
    });
}

} // namespace ui

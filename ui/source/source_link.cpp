// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_link.h"

#include <algorithm>

namespace ui {

SourceLink::SourceLink(Document& document, CodeView* view) : QObject(view), m_document(document), m_view(view) {
    connect(&document, &Document::versionChanged, this, &SourceLink::build);
    connect(&document, &Document::stateChanged, this, &SourceLink::build);
    connect(&document.selection(), &NodeSelection::changed, this, &SourceLink::selected);
    connect(view, &CodeView::linesPicked, this, &SourceLink::pick);
    build();
}

void SourceLink::build() {
    if (m_document.state() != Document::State::Ready || m_version == m_document.module()) return;
    m_version = m_document.module();
    m_building.start([module = m_version](const fx::Progress&) { return SourceMap::of(module->graph); }, this,
                     [this, version = m_version](std::shared_ptr<const SourceMap> map) {
                         disposeLater(std::exchange(m_map, std::move(map)));
                         m_mapped = version;
                         Q_EMIT mapChanged();
                         follow(m_view);
                         pickAgain();
                     });
}

/// A text that is traced again has the same file: what is typed does not scroll away.
void SourceLink::setFile(int file) { follow(std::exchange(m_file, file) == file ? m_view : nullptr); }

void SourceLink::setActive(bool active) {
    if (std::exchange(m_active, active) == active) return;
    m_picksAgain |= !active && m_isPicked;
    pickAgain();
    follow(m_view);
}

/// What the document selects while there is no map of its version are the same nodes in another graph.
void SourceLink::selected(QObject* source) {
    if (source || isOfTheVersion()) {
        m_isPicked = source == m_view;
        m_picksAgain &= m_isPicked;
    }
    follow(source);
}

void SourceLink::follow(QObject* source) {
    const GuiScope scope("source.selection");
    if (!m_active || !isOfTheVersion()) return m_view->markLines({});
    const auto& selection = m_document.selection().nodes();
    std::vector<int> lines;
    for (const fx::NodeId node : selection)
        if (const int line = m_map->lineOf(node, m_file); line >= 0) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    if (lines.empty() && selection.size() == 1 && source != m_view && fx::index(selection[0]) < m_map->spots.size()) {
        const auto& spots = m_map->spots[fx::index(selection[0])];
        if (!spots.empty() && spots[0].file != m_file) return Q_EMIT fileWanted(spots[0].file);
    }
    m_view->markLines(lines);
    if (!lines.empty() && source != m_view) m_view->scrollToLine(lines.front());
}

std::vector<fx::NodeId> SourceLink::nodesAt(const std::vector<int>& lines) const {
    std::vector<fx::NodeId> nodes;
    std::vector<char> taken(m_map->spots.size(), 0);
    for (const int line : lines)
        for (const fx::NodeId node : m_map->nodesAt(m_file, line))
            if (!std::exchange(taken[fx::index(node)], 1)) nodes.push_back(node);
    return nodes;
}

void SourceLink::pick(const std::vector<int>& lines) {
    if (!m_active || !isOfTheVersion()) return;
    std::vector<fx::NodeId> nodes = nodesAt(lines);
    if (!nodes.empty()) m_document.selection().select(std::move(nodes), m_view);
}

/// Nodes that were picked by their line are not left behind while one types at another one.
void SourceLink::pickAgain() {
    if (!m_active || !isOfTheVersion() || !std::exchange(m_picksAgain, false) || m_document.isDetached()) return;
    std::vector<fx::NodeId> nodes = nodesAt({m_view->cursorLine()});
    if (nodes != m_document.selection().nodes()) m_document.selection().select(std::move(nodes), m_view);
}

} // namespace ui

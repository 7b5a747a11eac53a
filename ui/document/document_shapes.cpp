// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_shapes.h"

#include "ui/tasks/task_slot.h"

namespace ui {

DocumentShapes::~DocumentShapes() {
    disposeLater(std::move(m_shown));
    disposeLater(std::move(m_notes));
    disposeLater(std::move(m_version));
}

const fx::ShapeFailure* DocumentShapes::failureOf(fx::NodeId node) const {
    for (const auto& [failed, place] : m_failures)
        if (failed == node) return &m_notes->failures[place];
    return nullptr;
}

void DocumentShapes::set(std::shared_ptr<const ShapeNotes> notes) {
    if (!m_version || (notes && notes->version != m_version) || (!notes && !m_notes)) return;
    const GuiScope scope("document.shapes");
    const auto before = shown();
    m_notes = std::move(notes);
    m_shown = m_notes ? m_notes->shown : nullptr;
    m_failures.clear();
    for (std::size_t i = 0; m_notes && i < m_notes->failures.size(); ++i) {
        const fx::NodeId node = m_version->graph.find(m_notes->failures[i].node);
        if (node != fx::kNoNode && !m_notes->failures[i].needsValues) m_failures.emplace_back(node, i);
    }
    Q_EMIT changed(before != shown() && !sameShapes(*before, *shown()));
}

void DocumentShapes::follow(std::shared_ptr<const fx::GraphModule> version) {
    m_version = std::move(version);
    m_failures.clear();
    disposeLater(std::exchange(m_shown, noted(m_version, m_notes)));
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_marks.h"

#include "core/edit/version_marks.h"
#include "ui/document/document.h"
#include "ui/document/shape_notes.h"

#include <unordered_map>

namespace ui {

NodeMarker NodeMarks::of(const Document& document) {
    auto marks = std::make_shared<std::unordered_map<fx::NodeId, NodeMark>>();
    if (const fx::History* history = document.history(); history && history->current() > 0) {
        const auto versions = fx::versionMarks(*history->entries().front().model, *history->model());
        const NodeMark created{NodeMark::Kind::New, tr("new").toStdString(), {}};
        const NodeMark edited{NodeMark::Kind::Edited, tr("edited").toStdString(), {}};
        for (const fx::NodeId node : versions.created) marks->emplace(node, created);
        for (const fx::NodeId node : versions.edited) marks->emplace(node, edited);
    }
    if (const auto& shapes = document.shapes()) {
        const bool guessed = !shapes->guessed.isEmpty();
        const auto kind = guessed ? NodeMark::Kind::Suspect : NodeMark::Kind::Fails;
        const std::string word = (guessed ? tr("check") : tr("fails")).toStdString();
        for (const auto& [node, place] : document.shapeFailures())
            marks->insert_or_assign(node, NodeMark{kind, word, shapes->failures[place].what.text()});
    }
    if (marks->empty()) return {};
    return [marks](fx::NodeId node) {
        const auto found = marks->find(node);
        return found == marks->end() ? nullptr : &found->second;
    };
}

} // namespace ui

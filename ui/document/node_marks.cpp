// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_marks.h"

#include "core/edit/version_marks.h"
#include "ui/document/document.h"
#include "ui/document/shape_notes.h"

#include <unordered_map>

namespace ui {

namespace {

using Failing = std::unordered_map<fx::NodeId, NodeMark>;

/// A mark is looked up for each node that is drawn.
struct FoundMarks {
    enum class Is : std::uint8_t { Old, Created, Edited };
    NodeMark created, edited;
    std::vector<Is> versions; ///< by node id
    Failing failing;

    const NodeMark* of(fx::NodeId node) const {
        if (const auto found = failing.find(node); found != failing.end()) return &found->second;
        const Is is = fx::index(node) < versions.size() ? versions[fx::index(node)] : Is::Old;
        return is == Is::Created ? &created : is == Is::Edited ? &edited : nullptr;
    }
};

void compare(FoundMarks& marks, const fx::GraphModule& original, const fx::GraphModule& version,
             const fx::Progress& progress) {
    const auto differing = fx::versionMarks(original, version, progress);
    if (differing.created.empty() && differing.edited.empty()) return;
    marks.versions.assign(version.graph.idLimit(), FoundMarks::Is::Old);
    for (const fx::NodeId node : differing.created) marks.versions[fx::index(node)] = FoundMarks::Is::Created;
    for (const fx::NodeId node : differing.edited) marks.versions[fx::index(node)] = FoundMarks::Is::Edited;
}

} // namespace

NodeMarks::Make NodeMarks::makerFor(const Document& document) {
    Failing failing;
    if (const auto& shapes = document.shapes().notes()) {
        const bool isDoubt = suspectsInputs(shapes->original, shapes->guessed);
        const auto kind = isDoubt ? NodeMark::Kind::Suspect : NodeMark::Kind::Fails;
        const std::string word = (isDoubt ? tr("check") : tr("fails")).toStdString();
        for (const auto& [node, place] : document.shapes().failures())
            failing.insert_or_assign(node, NodeMark{kind, word, shapes->failures[place].what.text()});
    }
    const fx::History* history = document.versions().history();
    const bool isEdited = history && history->current() > 0;
    if (!isEdited && failing.empty()) return {};
    return [original = isEdited ? history->entries().front().model : nullptr,
            version = isEdited ? history->model() : nullptr, failing = std::move(failing),
            created = NodeMark{NodeMark::Kind::New, tr("new").toStdString(), {}},
            edited = NodeMark{NodeMark::Kind::Edited, tr("edited").toStdString(), {}}](
               const fx::Progress& progress) -> NodeMarker {
        auto marks = std::make_shared<FoundMarks>(FoundMarks{created, edited, {}, failing});
        if (version) compare(*marks, *original, *version, progress);
        if (marks->versions.empty() && marks->failing.empty()) return {};
        return [marks](fx::NodeId node) { return marks->of(node); };
    };
}

} // namespace ui

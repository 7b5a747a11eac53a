// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/inherited_path.h"

#include <algorithm>
#include <optional>

namespace fx {
namespace {

/// The modules that a call is in, outermost first; nothing if that is unknown.
std::optional<std::vector<ModuleFrame>> framesOf(const Node& node) {
    std::vector<ModuleFrame> frames = node.meta().moduleStack;
    if (node.op() == Op::CallModule && frames.empty()) {
        for (auto dot = node.target().find('.'); dot != std::string::npos; dot = node.target().find('.', dot + 1)) {
            const std::string path = node.target().substr(0, dot);
            frames.push_back({path, path, ""});
        }
        return frames;
    }
    if (node.op() == Op::CallModule && frames.back().path == node.target()) frames.pop_back();
    if (frames.empty()) return std::nullopt;
    return frames;
}

} // namespace

void inheritModulePath(Graph& graph, std::span<const NodeId> replaced, std::span<const NodeId> created) {
    std::optional<std::vector<ModuleFrame>> common;
    for (const NodeId id : replaced) {
        const auto frames = framesOf(graph.node(id));
        if (!frames) continue;
        if (!common) common = frames;
        const auto same = [](const ModuleFrame& a, const ModuleFrame& b) { return a.path == b.path; };
        const auto end = std::mismatch(common->begin(), common->end(), frames->begin(), frames->end(), same).first;
        common->erase(end, common->end());
    }
    if (!common || common->empty() || common->back().path.empty()) return;
    for (const NodeId id : created) {
        const Node& node = graph.node(id);
        if (!node.meta().moduleStack.empty() || node.op() == Op::CallModule) continue;
        NodeMeta meta = node.meta();
        meta.moduleStack = *common;
        graph.setMeta(id, std::make_shared<const NodeMeta>(std::move(meta)));
    }
}

} // namespace fx

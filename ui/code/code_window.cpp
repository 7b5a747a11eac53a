// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/code/code_window.h"

#include "ui/document/node_facts.h"

#include <algorithm>

namespace ui {

namespace {

bool isInside(const std::string& path, std::string_view module) {
    return module.empty() || (path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.'));
}

/// The run of lines around `line` whose nodes lie in `module`; lines of no node belong to the run.
CodeWindow runAround(const fx::Graph& graph, const fx::PythonCode& code, int line, std::string_view module, int limit) {
    const auto belongs = [&](int at) {
        const fx::NodeId node = code.lineNodes[static_cast<std::size_t>(at)];
        return node == fx::kNoNode || isInside(modulePathOf(graph.node(node)), module);
    };
    int first = line, last = line;
    while (first > 0 && last - first < limit && belongs(first - 1)) --first;
    while (last + 1 < static_cast<int>(code.lineNodes.size()) && last - first < limit && belongs(last + 1)) ++last;
    return {first, last - first + 1};
}

} // namespace

std::vector<std::size_t> lineStarts(std::string_view text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        starts.push_back(at + 1);
    starts.push_back(text.size());
    return starts;
}

CodeWindow codeWindowFor(const fx::Graph& graph, const fx::PythonCode& code, fx::NodeId node, int limit) {
    const int total = static_cast<int>(code.lineNodes.size());
    if (total <= limit) return {0, total};
    const int line =
        node == fx::kNoNode || fx::index(node) >= code.nodeLines.size() ? -1 : code.nodeLines[fx::index(node)];
    if (line < 0) return {0, limit};
    CodeWindow best{line, 1};
    std::string module = modulePathOf(graph.node(node));
    while (!module.empty()) {
        const CodeWindow run = runAround(graph, code, line, module, limit);
        if (run.count > limit) break;
        best = run;
        const auto dot = module.rfind('.');
        module.resize(dot == std::string::npos ? 0 : dot);
    }
    // Neighbours fill the window: half of the room before, the rest behind.
    const int room = limit - best.count;
    const int first = std::clamp(best.first - room / 2, 0, total - limit);
    return {first, limit};
}

} // namespace ui

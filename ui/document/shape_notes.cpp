// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/shape_notes.h"

#include "core/base/plain_number.h"
#include "core/shapes/annotate.h"

#include <algorithm>
#include <unordered_set>

namespace ui {

namespace {

constexpr std::size_t kCarried = 20'000; ///< more would hold up the window: a microsecond each

/// Whether `known` says the same as `found`, and more: a symbol stands for any number.
bool saysMore(const fx::ValueInfo& known, const fx::ValueInfo& found) {
    if (known.dtype != found.dtype || known.sizes.size() != found.sizes.size() || fx::plainNumbers(known.sizes))
        return false;
    return std::equal(known.sizes.begin(), known.sizes.end(), found.sizes.begin(),
                      [](const std::string& symbol, const std::string& number) {
                          return symbol == number || !fx::plainNumbers({symbol});
                      });
}

bool saysMore(const std::vector<fx::ValueInfo>& known, const std::vector<fx::ValueInfo>& found) {
    return std::equal(known.begin(), known.end(), found.begin(), found.end(),
                      [](const auto& a, const auto& b) { return saysMore(a, b); });
}

/// The numbers that were found where the file has symbols.
void noteSymbols(const std::vector<fx::ValueInfo>& known, const std::vector<fx::ValueInfo>& found,
                 std::unordered_map<std::string, std::string>& symbols) {
    for (std::size_t i = 0; i < known.size(); ++i)
        for (std::size_t d = 0; d < known[i].sizes.size(); ++d)
            if (known[i].sizes[d] != found[i].sizes[d]) symbols.emplace(known[i].sizes[d], found[i].sizes[d]);
}

/// Nodes that only wait for values, and those after them.
using Waiting = std::unordered_map<fx::NodeId, fx::Message>;

Waiting waitingNodes(const fx::Graph& graph, const std::vector<fx::ShapeFailure>& failures) {
    Waiting out;
    for (const fx::ShapeFailure& failure : failures)
        if (failure.needsValues) out.emplace(graph.find(failure.node), failure.what);
    if (out.empty()) return out;
    for (const fx::Node& node : graph.nodes())
        for (const fx::NodeId input : node.inputs())
            if (const auto found = out.find(input); found != out.end()) {
                out.emplace(node.id(), fx::Message(found->second));
                break;
            }
    return out;
}

/// Nodes of which nothing could be found out, although the file says something.
void takeBack(const fx::Graph& graph, const fx::NodeShapes& shapes, const Waiting& waiting,
              std::vector<std::pair<fx::NodeId, fx::MetaPtr>>& notes) {
    std::unordered_set<std::string_view> known;
    for (const auto& [name, infos] : shapes.nodes) known.insert(name);
    for (const fx::Node& node : graph.nodes()) {
        if (node.meta().values.empty() || known.contains(node.name()) || waiting.contains(node.id())) continue;
        auto meta = std::make_shared<fx::NodeMeta>(node.meta());
        meta->values.clear();
        notes.emplace_back(node.id(), std::move(meta));
    }
}

std::shared_ptr<const fx::GraphModule> withNotes(const fx::GraphModule& module,
                                                 const std::vector<std::pair<fx::NodeId, fx::MetaPtr>>& notes) {
    if (notes.empty()) return nullptr;
    auto shown = std::make_shared<fx::GraphModule>(module);
    for (const auto& [node, meta] : notes) shown->graph.setMeta(node, meta);
    return shown;
}

} // namespace

std::shared_ptr<const ShapeNotes> makeShapeNotes(std::shared_ptr<const fx::GraphModule> version, fx::NodeShapes shapes,
                                                 QString guessed, OriginalTakes original, ShapesFor whom,
                                                 QString batch) {
    const fx::Graph& graph = version->graph;
    auto notes = std::make_shared<ShapeNotes>();
    notes->notes = fx::shapeNotes(graph, shapes);
    std::erase_if(notes->notes, [&](const auto& note) {
        const std::vector<fx::ValueInfo>& known = graph.node(note.first).meta().values;
        if (!saysMore(known, note.second->values)) return false;
        noteSymbols(known, note.second->values, notes->symbols);
        return true;
    });
    const Waiting waiting = whom == ShapesFor::Opening ? waitingNodes(graph, shapes.failures) : Waiting();
    for (const fx::Node& node : graph.nodes())
        if (const auto found = waiting.find(node.id());
            found != waiting.end() && node.meta().values.empty() && node.op() != fx::Op::Output)
            notes->waiting.emplace_back(*found);
    if (!shapes.failures.empty()) takeBack(graph, shapes, waiting, notes->notes);
    if (whom == ShapesFor::Opening)
        std::erase_if(shapes.failures, [](const fx::ShapeFailure& failure) { return failure.needsValues; });
    notes->shown = withNotes(*version, notes->notes);
    notes->version = std::move(version);
    notes->failures = std::move(shapes.failures);
    notes->original = original;
    notes->guessed = std::move(guessed);
    notes->batch = std::move(batch);
    return notes;
}

const fx::Message* ShapeNotes::whyWaiting(fx::NodeId node) const {
    const auto found =
        std::find_if(waiting.begin(), waiting.end(), [&](const auto& each) { return each.first == node; });
    return found == waiting.end() ? nullptr : &found->second;
}

std::shared_ptr<const fx::GraphModule> noted(const std::shared_ptr<const fx::GraphModule>& module,
                                             const std::shared_ptr<const ShapeNotes>& notes) {
    if (!notes || notes->version == module) return notes ? notes->shown : nullptr;
    if (notes->notes.size() > kCarried) return nullptr;
    std::vector<std::pair<fx::NodeId, fx::MetaPtr>> common;
    common.reserve(notes->notes.size());
    for (const auto& note : notes->notes) {
        if (fx::index(note.first) >= module->graph.idLimit()) continue;
        const fx::Node& now = module->graph.node(note.first);
        if (!now.erased() && now.name() == notes->version->graph.node(note.first).name()) common.push_back(note);
    }
    return withNotes(*module, common);
}

bool sameShapes(const fx::GraphModule& a, const fx::GraphModule& b) {
    const auto same = [](const fx::ValueInfo& x, const fx::ValueInfo& y) {
        return x.sizes == y.sizes && x.dtype == y.dtype;
    };
    for (const fx::Node& node : a.graph.nodes()) {
        const std::vector<fx::ValueInfo>&mine = node.meta().values, &other = b.graph.node(node.id()).meta().values;
        if (&mine != &other && !std::equal(mine.begin(), mine.end(), other.begin(), other.end(), same)) return false;
    }
    return true;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/version_difference.h"

#include "core/codegen/python_code.h"
#include "core/edit/drawn_weights.h"
#include "core/edit/version_diff.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "ui/document/node_facts.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

using Line = VersionDifference::Line;
using Kind = VersionDifference::Kind;

std::vector<Line> linesOf(const fx::GraphModule& module) {
    std::vector<Line> lines;
    try {
        const fx::PythonCode code = fx::generatePython(module.graph);
        std::size_t start = 0;
        for (std::size_t i = 0; start < code.text.size(); ++i) {
            const std::size_t end = std::min(code.text.find('\n', start), code.text.size());
            lines.push_back({Kind::Same, QByteArray(code.text.data() + start, static_cast<qsizetype>(end - start)),
                             i < code.lineNodes.size() ? code.lineNodes[i] : fx::kNoNode});
            start = end + 1;
        }
    } catch (const fx::Error& error) {
        lines.push_back({Kind::Same, QByteArray("# no code: ") + error.what(), fx::kNoNode});
    }
    return lines;
}

/// Lines of the same node with the same text are one line; `isSame` also says so of lines of recreated nodes, which
/// have the node that they stand for. What was moved shows as erased and created.
template<class IsSame> std::vector<Line> merged(const std::vector<Line>& before, const std::vector<Line>& after,
                                                std::size_t idLimit, IsSame isSame) {
    std::vector<std::size_t> placeOf(idLimit, before.size());
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].node != fx::kNoNode && placeOf[fx::index(before[i].node)] == before.size())
            placeOf[fx::index(before[i].node)] = i;
    std::vector<char> survives(idLimit, 0);
    for (const Line& line : after)
        if (line.node != fx::kNoNode) survives[fx::index(line.node)] = 1;
    std::vector<Line> lines;
    std::size_t at = 0;
    const auto same = [&](const Line& a, const Line& b) {
        return a.node == b.node && (a.text == b.text || isSame(b.node));
    };
    const auto eraseUpTo = [&](std::size_t end) {
        for (; at < end; ++at) lines.push_back({Kind::Erased, before[at].text, before[at].node});
    };
    for (const Line& line : after) {
        if (at < before.size() && same(before[at], line)) {
            lines.push_back(line), ++at;
            continue;
        }
        const std::size_t place = line.node == fx::kNoNode || fx::index(line.node) >= placeOf.size()
                                      ? before.size()
                                      : placeOf[fx::index(line.node)];
        if (place < before.size() && place >= at) eraseUpTo(same(before[place], line) ? place : place + 1);
        if (place == before.size()) // a new line stands below those that it may stand for
            while (at < before.size() && before[at].node != fx::kNoNode && !survives[fx::index(before[at].node)])
                eraseUpTo(at + 1);
        if (at < before.size() && same(before[at], line)) lines.push_back(line), ++at;
        else lines.push_back({Kind::Created, line.text, line.node});
    }
    eraseUpTo(before.size());
    return lines;
}

/// "Linear(in_features=512, out_features=10)": what the path of a call does not tell. Empty for what is no module.
QString moduleText(const fx::Graph& graph, const fx::Module* module) {
    if (!module) return {};
    std::string settings;
    for (const fx::Setting& setting : fx::constructorSettings(*module))
        if (!setting.isDefault)
            settings += (settings.empty() ? "" : ", ") + setting.name + '=' + fx::reprOf(graph, setting.value);
    const std::string type = module->qualifiedType();
    return elided(type.substr(type.rfind('.') + 1) + '(' + settings + ')', 160);
}

/// Their lines are the same text; what differs stands behind it as a comment.
void noteNewModules(const VersionDifference& difference, const fx::GraphModule& before, const fx::GraphModule& after,
                    std::vector<Line>& linesBefore, std::vector<Line>& linesAfter) {
    if (difference.newModules.empty()) return;
    fx::PathResolver was(*before.root), is(*after.root);
    const auto textsOf = [&](fx::NodeId id) -> std::pair<QString, QString> {
        const std::string& path = after.graph.node(id).target();
        const QString old = moduleText(before.graph, was.resolve(path).module),
                      now = moduleText(after.graph, is.resolve(path).module);
        if (old != now) return {old, now};
        const auto say = [](const char* text) { return QCoreApplication::translate("VersionDifference", text); };
        return {{}, now.isEmpty() ? say("another tensor") : say("%1 with other weights").arg(now)};
    };
    const auto note = [&](std::vector<Line>& lines, bool isNew) {
        for (Line& line : lines) {
            if (line.node == fx::kNoNode || !difference.hasNewModule(line.node)) continue;
            const auto [old, now] = textsOf(line.node);
            if (const QString& text = isNew ? now : old; !text.isEmpty()) line.text += "  # " + text.toUtf8();
        }
    };
    note(linesBefore, false);
    note(linesAfter, true);
}

std::vector<fx::NodeId> inCodeOrder(const VersionDifference& difference) {
    std::vector<fx::NodeId> nodes;
    std::vector<char> met(difference.kinds.size(), 0);
    const auto take = [&](fx::NodeId node) {
        if (node != fx::kNoNode && difference.kindOf(node) != Kind::Same && !std::exchange(met[fx::index(node)], 1))
            nodes.push_back(node);
    };
    for (const Line& line : difference.lines) take(line.node);
    const fx::EditEffect& effect = difference.effect;
    for (const auto* each : {&effect.created, &effect.changed, &effect.erased})
        for (const fx::NodeId node : *each) take(node);
    return nodes;
}

} // namespace

bool VersionDifference::hasNewModule(fx::NodeId node) const {
    return std::binary_search(newModules.begin(), newModules.end(), node);
}

bool VersionDifference::hasRandomWeights(fx::NodeId node) const {
    if (randomWeights.empty() || fx::index(node) >= after->graph.idLimit()) return false;
    const fx::Node& is = after->graph.node(node);
    if (is.erased() || is.op() != fx::Op::CallModule) return false;
    return std::any_of(randomWeights.begin(), randomWeights.end(), [&](const std::string& path) {
        return path == is.target() || path.starts_with(is.target() + '.');
    });
}

VersionDifference differenceOf(const std::vector<fx::History::Entry>& versions, const fx::Progress& progress) {
    VersionDifference difference = differenceOf(versions.front().model, versions.back().model, progress);
    difference.randomWeights = fx::modulesWithRandomWeights(versions);
    return difference;
}

std::vector<fx::History::Entry> versionsOf(const fx::History& history) {
    const auto first = history.entries().begin();
    return {first, first + static_cast<std::ptrdiff_t>(history.current()) + 1};
}

VersionDifference differenceOf(std::shared_ptr<const fx::GraphModule> before,
                               std::shared_ptr<const fx::GraphModule> after, const fx::Progress& progress) {
    VersionDifference result;
    fx::VersionDiff diff(*before, *after, progress);
    result.effect = diff.effect();
    result.newModules = diff.withOtherModules();
    std::vector<fx::NodeId>& changed = result.effect.changed;
    changed.insert(changed.end(), result.newModules.begin(), result.newModules.end());
    std::sort(changed.begin(), changed.end(),
              [&](fx::NodeId a, fx::NodeId b) { return a != b && after->graph.isBefore(a, b); });
    std::sort(result.newModules.begin(), result.newModules.end());
    const std::size_t limit = std::max(before->graph.idLimit(), after->graph.idLimit());
    result.kinds.assign(limit, Kind::Same);
    const std::pair<const std::vector<fx::NodeId>*, Kind> parts[] = {{&result.effect.created, Kind::Created},
                                                                     {&result.effect.erased, Kind::Erased},
                                                                     {&result.effect.changed, Kind::Changed}};
    for (const auto& [nodes, kind] : parts)
        for (const fx::NodeId node : *nodes) result.kinds[fx::index(node)] = kind;
    std::vector<Line> linesAfter = linesOf(*after);
    for (Line& line : linesAfter)
        if (line.node != fx::kNoNode) line.node = diff.original(line.node);
    std::vector<Line> linesBefore = linesOf(*before);
    noteNewModules(result, *before, *after, linesBefore, linesAfter);
    result.lines = merged(linesBefore, linesAfter, limit, [&](fx::NodeId node) {
        return diff.mayRecreate() && node != fx::kNoNode && result.kindOf(node) == Kind::Same;
    });
    result.nodes = inCodeOrder(result);
    result.sameModules = diff.sameModules();
    result.before = std::move(before);
    result.after = std::move(after);
    return result;
}

std::vector<Line> shortened(const std::vector<Line>& lines, std::size_t context) {
    std::vector<char> kept(lines.size(), 0);
    std::size_t reach = 0; // lines behind the last difference that are still kept
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].kind != Kind::Same) {
            for (std::size_t j = i - std::min(i, context); j <= i; ++j) kept[j] = 1;
            reach = context;
        } else if (reach > 0) {
            kept[i] = 1, --reach;
        }
    }
    std::vector<Line> result;
    for (std::size_t i = 0; i < lines.size();) {
        if (kept[i]) {
            result.push_back(lines[i++]);
            continue;
        }
        std::size_t end = i;
        while (end < lines.size() && !kept[end]) ++end;
        result.push_back({Kind::Same,
                          (QStringLiteral("    # ") +
                           QCoreApplication::translate("VersionDifference", "… %1 unchanged").arg(end - i))
                              .toUtf8(),
                          fx::kNoNode});
        i = end;
    }
    return result;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_run.h"

#include "core/layout/hierarchy.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <map>

namespace ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("Partition", text); }

fx::PartitionRequest requestOf(const PartitionQuery& query) {
    fx::PartitionRequest request;
    request.assignment = query.assignment;
    if (query.assignment.empty()) request.rules = fx::SupportRules::parseText(query.rules.toStdString());
    request.options = {query.allowSingle, query.nonCompute, {}, query.noHorizontal};
    request.trimEnds = query.trimEnds;
    return request;
}

void index(const fx::Graph& graph, PartitionOutcome& outcome) {
    outcome.partitionOf.assign(graph.idLimit(), -1);
    outcome.refusalOf.assign(graph.idLimit(), -1);
    const auto& report = outcome.report;
    for (std::size_t i = 0; i < report.partitions.size(); ++i)
        for (const fx::NodeId node : report.partitions[i].nodes)
            outcome.partitionOf[fx::index(node)] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < report.unassigned.size(); ++i)
        outcome.refusalOf[fx::index(report.unassigned[i].node)] = static_cast<std::int32_t>(i);
}

std::size_t nodesIn(const PartitionOutcome& outcome) {
    std::size_t count = 0;
    for (const auto& partition : outcome.report.partitions) count += partition.nodes.size();
    return count;
}

QString listed(const std::vector<int>& numbers) {
    QStringList parts;
    for (const int number : numbers)
        if (parts.size() < 4) parts << QString::number(number);
    if (numbers.size() > 4) parts << say("%1 more").arg(numbers.size() - 4);
    const QString last = parts.takeLast();
    return parts.isEmpty() ? last : say("%1 and %2").arg(parts.join(QStringLiteral(", ")), last);
}

/// Of each partition of `to` the partitions of `from` that its nodes were in.
std::vector<std::vector<int>> origins(const PartitionOutcome& from, const PartitionOutcome& to) {
    std::vector<std::vector<int>> result;
    for (const auto& partition : to.report.partitions) {
        std::vector<int>& found = result.emplace_back();
        for (const fx::NodeId node : partition.nodes)
            if (const int was = from.partition(node); was >= 0) found.push_back(was);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    return result;
}

} // namespace

DrawnGroups drawnGroups(const fx::GraphModule& model, const fx::Progress& progress) {
    const fx::Hierarchy hierarchy = fx::Hierarchy::of(model, {}, progress);
    DrawnGroups result;
    for (const auto& group : hierarchy.groups) {
        result.paths.push_back(group.path);
        result.parents.push_back(group.parent == fx::kNone ? -1 : static_cast<std::int32_t>(group.parent));
    }
    for (const std::uint32_t group : hierarchy.groupOf)
        result.groupOf.push_back(group == fx::kNone ? -1 : static_cast<std::int32_t>(group));
    return result;
}

std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> DrawnGroups::shares(
    const fx::Graph& graph, const PartitionOutcome& outcome) const {
    std::vector<std::map<int, std::uint32_t>> counts(paths.size());
    for (const fx::Node& node : graph.nodes()) {
        if (!node.isCall() || fx::index(node.id()) >= groupOf.size()) continue;
        for (std::int32_t group = groupOf[fx::index(node.id())]; group >= 0;
             group = parents[static_cast<std::size_t>(group)])
            if (group > 0) ++counts[static_cast<std::size_t>(group)][outcome.partition(node.id())];
    }
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> result;
    for (std::size_t group = 1; group < paths.size(); ++group) {
        auto& list = result[paths[group]];
        list.assign(counts[group].begin(), counts[group].end());
        std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    }
    return result;
}

PartitionOutcome runPartition(const fx::GraphModule& model, const PartitionQuery& query, const fx::Progress& progress) {
    PartitionOutcome outcome;
    const auto start = std::chrono::steady_clock::now();
    try {
        outcome.report = fx::proposePartitions(model, requestOf(query), progress);
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        outcome.error = error;
    }
    outcome.millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    index(model.graph, outcome);
    return outcome;
}

void countBytes(fx::PartitionReport& report, const fx::GraphModule& shown) {
    fx::PathResolver paths(*shown.root);
    for (auto& traffic : report.traffic) {
        traffic.bytesKnown = true;
        const auto sum = [&](const std::vector<fx::NodeId>& values, std::int64_t& bytes) {
            bytes = 0;
            for (const fx::NodeId value : values) {
                const auto known = fx::valueBytes(shown.graph.node(value), paths);
                traffic.bytesKnown &= known.has_value();
                bytes += known.value_or(0);
            }
        };
        sum(traffic.boundary.inputs, traffic.bytesIn);
        sum(traffic.boundary.outputs, traffic.bytesOut);
    }
}

QString differenceInWords(const PartitionOutcome& before, const PartitionOutcome& after) {
    const auto count = [](std::size_t n) { return n == 1 ? say("1 partition") : say("%1 partitions").arg(n); };
    QStringList parts;
    const auto from = origins(before, after), to = origins(after, before);
    std::size_t more = 0, made = 0, madeNodes = 0;
    const auto add = [&](const QString& what) { parts.size() < 3 ? parts << what : (++more, parts); };
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto& partition = after.report.partitions[i];
        if (from[i].size() > 1) add(say("%1 merge").arg(listed(from[i])));
        else if (from[i].empty()) ++made, madeNodes += partition.nodes.size();
    }
    if (made > 0)
        add(say("%1 with %2")
                .arg(counted(made, say("1 new partition"), say("%1 new partitions")),
                     counted(madeNodes, say("1 node"), say("%1 nodes"))));
    std::vector<int> gone;
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (to[i].size() > 1) add(say("%1 splits into %2").arg(i).arg(to[i].size()));
        else if (to[i].empty()) gone.push_back(static_cast<int>(i));
    }
    if (!gone.empty()) add((gone.size() == 1 ? say("%1 disappears") : say("%1 disappear")).arg(listed(gone)));
    if (more > 0) parts << counted(more, say("and 1 more change"), say("and %1 more changes"));
    const auto nodes = static_cast<std::ptrdiff_t>(nodesIn(after)) - static_cast<std::ptrdiff_t>(nodesIn(before));
    if (nodes != 0)
        parts << (nodes == 1    ? say("1 more node")
                  : nodes == -1 ? say("1 fewer node")
                  : nodes > 0   ? say("%1 more nodes").arg(nodes)
                                : say("%1 fewer nodes").arg(-nodes));
    const std::size_t a = before.report.partitions.size(), b = after.report.partitions.size();
    const QString head = a == b ? count(a) + say(", unchanged") : count(a) + QStringLiteral(" → %1").arg(b);
    return parts.isEmpty() ? (a == b ? say("no change") : head)
                           : head + QStringLiteral(": ") + parts.join(QStringLiteral("; "));
}

QString refusalInWords(const fx::Graph& graph, const fx::UnassignedNode& refusal, bool ticked) {
    using Reason = fx::UnassignedNode::Reason;
    const bool said = ticked && refusal.reason == Reason::Unsupported;
    const QString rule = said && refusal.rule.is("partition.not_named")     ? say("it is not ticked")
                         : said && refusal.rule.is("partition.declined_by") ? say("it is marked as unsupported")
                                                                            : linesFromCore(refusal.rule.text());
    QString words;
    switch (refusal.reason) {
    case Reason::Unsupported:
        words = refusal.rule.is("partition.not_assigned") ? say("the manual moves put it in none")
                                                          : say("not supported: %1").arg(rule);
        break;
    case Reason::SingleNode: words = say("supported, but not enough for a partition: %1").arg(rule); break;
    case Reason::NonCompute: words = say("non-compute at the end of its partition: %1").arg(rule); break;
    case Reason::Cycle:
        words = say("supported, but merging it with its neighbour would create a cycle: %1").arg(rule);
        break;
    }
    if (refusal.follows != fx::kNoNode) words += say("; follows %1").arg(fromCore(graph.node(refusal.follows).name()));
    return words;
}

std::string badgeOf(fx::UnassignedNode::Reason reason) {
    using Reason = fx::UnassignedNode::Reason;
    switch (reason) {
    case Reason::Unsupported: return say("unsupported").toStdString();
    case Reason::SingleNode: return say("alone").toStdString();
    case Reason::NonCompute: return say("trimmed").toStdString();
    case Reason::Cycle: return say("cycle").toStdString();
    }
    return {};
}

fx::NamedPartitions namesOf(const fx::Graph& graph, const std::vector<fx::Partition>& partitions) {
    fx::NamedPartitions names;
    for (const auto& partition : partitions) {
        auto& list = names.emplace_back();
        for (const fx::NodeId node : partition.nodes) list.push_back(graph.node(node).name());
    }
    return names;
}

fx::StepList partitionStep(const PartitionQuery& query, bool splits) {
    fx::StepList::Partitioning what;
    what.rules = query.rules.trimmed().toStdString();
    what.assignment = query.assignment;
    what.nonCompute = query.nonCompute;
    what.allowSingle = query.allowSingle;
    what.noHorizontal = query.noHorizontal;
    what.trimEnds = query.trimEnds;
    what.splits = splits;
    return fx::StepList().partition(what);
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/torchscript.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/html_parts.h"
#include "ui/inspector/node_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <array>

namespace ui {

namespace {

QString numbered(std::int64_t count) { return QLocale().toString(static_cast<qlonglong>(count)); }

/// One row a node kind that occurs.
QString opRows(const std::array<std::size_t, 6>& counts) {
    QString rows;
    for (std::size_t op = 0; op < counts.size(); ++op)
        if (counts[op] > 0)
            rows += row(fromCore(fx::opName(static_cast<fx::Op>(op))), numbered(static_cast<std::int64_t>(counts[op])));
    return rows;
}

/// The most frequent targets, or classes for call_module.
QString targetRows(const CallCounts& sorted) {
    QString rows;
    for (std::size_t i = 0; i < sorted.size() && i < 12; ++i)
        rows += countRow(QStringLiteral("<code>%1</code>").arg(elided(sorted[i].first, 80).toHtmlEscaped()),
                         numbered(static_cast<std::int64_t>(sorted[i].second)));
    if (sorted.size() > 12)
        rows += countRow(InspectorText::tr("others"),
                         counted(sorted.size() - 12, InspectorText::tr("1 kind"), InspectorText::tr("%1 kinds")));
    return rows;
}

QString tensorTotals(const fx::TensorTotals& totals) {
    return InspectorText::tr("%1 in %2, %3")
        .arg(countText(totals.elements),
             counted(qint64(totals.tensors), InspectorText::tr("1 tensor"), InspectorText::tr("%1 tensors")),
             byteText(totals.bytes));
}

/// What was read or written, whatever other programs have made of the file since; empty for a model without a file.
QString fileSize(const Document& document) {
    std::uint64_t bytes = 0;
    const auto& known = document.file().onDisk();
    if (!known) {
        const QFileInfo file(document.file().path());
        return file.isFile() ? byteText(file.size()) : QString();
    }
    for (const auto& file : known->files) bytes += file.size;
    const QString size = byteText(static_cast<qint64>(bytes));
    return known->files.size() < 2 ? size : InspectorText::tr("%1 in %2 files").arg(size).arg(known->files.size());
}

} // namespace

QString selectionHtml(const Document& document) {
    const fx::Graph& graph = document.module()->graph;
    const std::vector<fx::NodeId> nodes = document.selection().inGraphOrder();
    std::array<std::size_t, 6> ops{};
    CallCounter calls(*document.module());
    std::vector<fx::NodeId> feeding, using_;
    std::vector<char> feeds(graph.idLimit(), 0), uses(graph.idLimit(), 0);
    for (const fx::NodeId id : nodes) {
        const fx::Node& node = graph.node(id);
        ++ops[static_cast<std::size_t>(node.op())];
        calls.add(node);
        for (const fx::NodeId input : node.inputs())
            if (!document.selection().contains(input) && !std::exchange(feeds[fx::index(input)], 1))
                feeding.push_back(input);
        for (const fx::NodeId user : node.users())
            if (!document.selection().contains(user) && !std::exchange(uses[fx::index(user)], 1))
                using_.push_back(user);
    }
    return title(counted(nodes.size(), InspectorText::tr("1 node"), InspectorText::tr("%1 nodes")),
                 InspectorText::tr("selected")) +
           table(opRows(ops)) + section(InspectorText::tr("Calls"), table(targetRows(calls.counts()))) +
           section(InspectorText::tr("Fed by: %1").arg(feeding.size()), nodeLinks(graph, feeding, 20)) +
           section(InspectorText::tr("Used by: %1").arg(using_.size()), nodeLinks(graph, using_, 20)) +
           section(InspectorText::tr("Nodes"), nodeLinks(graph, nodes, 60));
}

namespace {

/// How many modules of a TorchScript file are modules of torch.nn here; empty for other files.
QString recognisedModules(const fx::GraphModule& module) {
    const auto* script = dynamic_cast<const fx::script::ScriptOrigin*>(module.origin.get());
    if (!script) return {};
    int recognised = 0, all = 0, inside = 0;
    for (const auto& [type, counts] : script->report.leaves) {
        recognised += counts.first;
        all += counts.first + counts.second;
    }
    for (const auto& [type, count] : script->report.inBlocks) inside += count;
    QStringList texts;
    if (all > 0) texts << InspectorText::tr("%1 of %2 modules recognised").arg(recognised).arg(all);
    if (inside > 0) texts << InspectorText::tr("%1 inside TorchScript").arg(inside);
    return texts.join(QStringLiteral(", "));
}

} // namespace

QString modelHtml(const Document& document) {
    const fx::GraphModule& module = *document.module();
    const QString code = QStringLiteral("<code>%1</code>");
    QString rows = row(InspectorText::tr("format"), fromCore(fx::formatName(document.file().format())));
    if (!module.producer.empty())
        rows += row(InspectorText::tr("written by"),
                    InspectorText::tr("PyTorch %1").arg(elided(module.producer, 60).toHtmlEscaped()));
    if (const QString size = fileSize(document); !size.isEmpty()) rows += row(InspectorText::tr("file"), size);
    rows += row(InspectorText::tr("nodes"), numbered(static_cast<std::int64_t>(module.graph.size())));
    const auto& info = document.facts().info();
    if (!info) return title(elided(module.className, 200), InspectorText::tr("model")) + table(rows);

    rows += row(InspectorText::tr("dialect"), fromCore(info->dialect));
    rows += row(InspectorText::tr("modules"), numbered(info->totals.modules));
    if (const QString recognised = recognisedModules(module); !recognised.isEmpty())
        rows += row(InspectorText::tr("torch.nn"), recognised);
    rows += row(InspectorText::tr("parameters"), tensorTotals(info->totals.parameters));
    if (info->totals.buffers.tensors > 0) rows += row(InspectorText::tr("buffers"), tensorTotals(info->totals.buffers));
    std::array<std::size_t, 6> ops{};
    std::copy(info->nodes.begin(), info->nodes.end(), ops.begin());
    QString html = title(elided(module.className, 200), InspectorText::tr("model")) + table(rows);
    html +=
        section(InspectorText::tr("Inputs: %1").arg(info->inputs.size()), nodeLinks(module.graph, info->inputs, 40));
    const fx::NodeId output = module.graph.outputNode();
    if (output != fx::kNoNode) html += section(InspectorText::tr("Output"), nodeLinks(module.graph, {output}, 1));
    html += section(InspectorText::tr("Nodes by kind"), table(opRows(ops)));
    html += section(InspectorText::tr("Calls"), table(targetRows(document.facts().calls())));
    QString unknown;
    for (std::size_t i = 0; i < info->unknownTargets.size() && i < 20; ++i)
        unknown += QStringLiteral("<p class='mono'>%1</p>").arg(elided(info->unknownTargets[i], 200).toHtmlEscaped());
    return html + section(InspectorText::tr("Unknown to Lancet: %1").arg(info->unknownTargets.size()), unknown);
}

} // namespace ui

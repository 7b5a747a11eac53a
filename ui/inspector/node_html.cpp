// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/node_html.h"

#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/module/script_object.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/html_parts.h"
#include "ui/widgets/core_text.h"

#include <QUrl>

#include <algorithm>

namespace ui {

namespace {

/// repr() of an argument with links: nodes print as \x01id\x02, which repr never leaves in a text, and become anchors.
QString argumentHtml(const fx::Graph& graph, const fx::Argument& argument) {
    const fx::Argument marked = fx::mapNodes(argument, [](fx::NodeId id) {
        return fx::Argument(fx::OpaqueObject{"node", "\x01" + std::to_string(fx::index(id)) + "\x02", {}});
    });
    constexpr qsizetype kShown = 8000;
    const std::string repr = fx::reprOf(graph, marked);
    QString text = QString::fromUtf8(repr.data(), std::min<qsizetype>(std::ssize(repr), kShown * 4));
    if (text.size() > kShown) text = text.left(kShown - 1) + QChar(0x2026);
    QString html;
    qsizetype done = 0;
    for (qsizetype at = text.indexOf(u'\1'); at >= 0; at = text.indexOf(u'\1', done)) {
        const qsizetype end = text.indexOf(u'\2', at);
        bool isNumber = false;
        const uint id = QStringView(text).mid(at + 1, std::max<qsizetype>(0, end - at - 1)).toUInt(&isNumber);
        html += visible(text.mid(done, at - done)).toHtmlEscaped();
        done = at + 1;
        if (!isNumber || id >= graph.idLimit()) continue;
        html += nodeLink(graph, static_cast<fx::NodeId>(id));
        done = end + 1;
    }
    return html + visible(text.mid(done)).toHtmlEscaped();
}

/// A link behind a value that opens a field on it.
QString pencil(const QString& what, const QString& name) {
    return QStringLiteral("&nbsp;<a class='muted' href='edit:%1/%2'>✎</a>")
        .arg(what, QString::fromLatin1(QUrl::toPercentEncoding(name)));
}

QString argumentsHtml(const fx::Graph& graph, const fx::Node& node) {
    QString rows;
    for (std::size_t i = 0; i < node.args().size() && i < 200; ++i)
        rows += row(QString::number(i), QStringLiteral("<code>%1</code>").arg(argumentHtml(graph, node.args()[i])) +
                                            pencil(QStringLiteral("argument"), QString::number(i)));
    if (node.args().size() > 200) rows += row(QString(), InspectorText::tr("%1 more").arg(node.args().size() - 200));
    for (const auto& [name, value] : node.kwargs())
        rows +=
            row(elided(name, 60).toHtmlEscaped(), QStringLiteral("<code>%1</code>").arg(argumentHtml(graph, value)) +
                                                      pencil(QStringLiteral("argument"), QString::fromStdString(name)));
    return table(rows);
}

QString valuesHtml(const fx::Node& node) {
    QString rows;
    for (const fx::ValueInfo& value : node.meta().values) {
        QStringList facts;
        for (const std::string& text : {value.dtype, value.shapeText(), value.device})
            if (!text.empty()) facts << elided(text, 200).toHtmlEscaped();
        if (value.requiresGrad) facts << InspectorText::tr("requires grad");
        rows += row(node.meta().values.size() > 1 ? QString::number(&value - node.meta().values.data())
                                                  : InspectorText::tr("value"),
                    QStringLiteral("<code>%1</code>").arg(facts.join(QStringLiteral("&nbsp; "))));
    }
    return rows;
}

/// Why the shape is not known, or what it rests on.
QString shapeRemarkHtml(const Document& document, const fx::Node& node) {
    if (const fx::ShapeFailure* failure = document.shapes().failureOf(node.id())) {
        QString rows;
        const bool isMismatch = isShapeMismatch(*failure), ofTypes = failure->what.is("engine.dtypes");
        for (const fx::ShapeOperand& operand : failure->operands) {
            const fx::NodeId origin = document.module()->graph.find(operand.origin);
            const QString from =
                origin == fx::kNoNode || operand.origin == operand.name
                    ? QString()
                    : InspectorText::tr(", shape from %1").arg(nodeLink(document.module()->graph, origin));
            const std::string shape = operand.info.shapeText() + (ofTypes ? " " + operand.info.dtype : std::string());
            rows += row(InspectorText::tr("given"),
                        QStringLiteral("<code>%1 %2</code>%3")
                            .arg(elided(operand.name, 100).toHtmlEscaped(), elided(shape, 100).toHtmlEscaped(), from));
        }
        const fx::NodeId cause = document.module()->graph.find(failure->cause);
        if (isMismatch && cause != fx::kNoNode)
            rows += row(InspectorText::tr("likely cause"), nodeLink(document.module()->graph, cause));
        rows += row(InspectorText::tr("reason"), elidedLines(failure->what.text(), 600).toHtmlEscaped());
        return section(ofTypes                ? InspectorText::tr("Dtype mismatch")
                       : isMismatch           ? InspectorText::tr("Shape mismatch")
                       : failure->needsValues ? InspectorText::tr("Shape depends on run-time values")
                                              : InspectorText::tr("Cannot run"),
                       table(rows));
    }
    const auto& shapes = document.shapes().notes();
    const fx::Message* waits = shapes && node.meta().values.empty() ? shapes->whyWaiting(node.id()) : nullptr;
    if (!waits) return {};
    const QString why = waits->is("engine.not_inferred")
                            ? elidedLines(waits->text(), 600)
                            : InspectorText::tr("it depends on values, and opening a file computes none (%1)")
                                  .arg(elidedLines(waits->text(), 400));
    return section(
        InspectorText::tr("No shape yet"),
        table(row(InspectorText::tr("reason"), why.toHtmlEscaped()) +
              row(QString(), QStringLiteral("<span class='muted'>%1</span>")
                                 .arg(InspectorText::tr("Compute Shapes above the graph runs the model.")))));
}

QString codeHtml(const Document& document, const fx::Node& node) {
    const auto& code = document.facts().code();
    if (!code || fx::index(node.id()) >= code->nodeLines.size()) return {};
    const int line = code->nodeLines[fx::index(node.id())];
    if (line < 0) return {};
    std::size_t start = 0;
    for (int skipped = 0; skipped < line; ++skipped) start = code->text.find('\n', start) + 1;
    const std::size_t end = code->text.find('\n', start);
    const QString text =
        elidedLines(code->text.substr(start, end == std::string::npos ? end : end - start), 2000).trimmed();
    return QStringLiteral("<p class='mono'>%1</p><p class='muted'>%2</p>")
        .arg(text.toHtmlEscaped(), InspectorText::tr("line %1").arg(line + 1));
}

QString framesHtml(const fx::Node& node) {
    QString frames; // the class below the path: beside it, both would wrap in a narrow panel
    for (const fx::ModuleFrame& frame : node.meta().moduleStack)
        frames += QStringLiteral("<p>%1<br><code>%2</code></p>")
                      .arg(frame.path.empty() ? InspectorText::tr("(root)") : elided(frame.path, 200).toHtmlEscaped(),
                           elided(frame.type, 200).toHtmlEscaped());
    return frames;
}

} // namespace

QString argumentText(const fx::Graph& graph, const fx::Node& node, const QString& place) {
    bool isNumber = false;
    const std::size_t index = place.toUInt(&isNumber);
    if (isNumber)
        return index < node.args().size() ? QString::fromStdString(fx::reprOf(graph, node.args()[index])) : QString();
    for (const auto& [name, value] : node.kwargs())
        if (name == place.toStdString()) return QString::fromStdString(fx::reprOf(graph, value));
    return {};
}

QString settingText(const fx::Module& module, const QString& name) {
    static const fx::Graph noGraph;
    for (const fx::Setting& setting : fx::constructorSettings(module))
        if (setting.name == name.toStdString()) return QString::fromStdString(fx::reprOf(noGraph, setting.value));
    return {};
}

QString nodeHtml(const Document& document, const fx::Node& node) {
    const fx::GraphModule& module = *document.module();
    ModuleLookup modules(*module.root);
    const QString mono = QStringLiteral("<code>%1</code>");
    QString facts = row(InspectorText::tr("target"), mono.arg(elided(targetText(node), 1000).toHtmlEscaped()));
    if (node.callable() && node.callable()->opaque) facts += row(QString(), InspectorText::tr("unknown function"));
    if (const std::string type = typeText(node, modules); !type.empty())
        facts += row(InspectorText::tr("type"), mono.arg(elided(type, 300).toHtmlEscaped()));
    facts += valuesHtml(node);
    if (const auto& shapes = document.shapes().notes();
        shapes && !shapes->guessed.isEmpty() && !node.meta().values.empty())
        facts += row(QString(), QStringLiteral("<span class='muted'>%1</span>")
                                    .arg(InspectorText::tr("guessed input: %1").arg(shapes->guessed.toHtmlEscaped())));
    const std::string path = modulePathOf(node);
    if (!path.empty()) facts += row(InspectorText::tr("module"), moduleLink(path));

    QString html = title(elided(node.name(), 300), fx::opName(node.op()), node.op()) + table(facts);
    html += shapeRemarkHtml(document, node);
    html += section(InspectorText::tr("Arguments"), argumentsHtml(module.graph, node));
    std::vector<fx::NodeId> users(node.users().begin(), node.users().end());
    html += section(InspectorText::tr("Users: %1").arg(users.size()), nodeLinks(module.graph, users, 60));
    html += section(InspectorText::tr("Code"), codeHtml(document, node));
    html += section(InspectorText::tr("Module stack: %1").arg(node.meta().moduleStack.size()), framesHtml(node));
    if (!node.meta().stackTrace.empty())
        html += section(
            InspectorText::tr("Source"),
            QStringLiteral("<pre>%1</pre>").arg(elided(node.meta().stackTrace, 8000).trimmed().toHtmlEscaped()));
    QString other;
    for (const auto& [key, value] : node.meta().other)
        other += row(elided(key, 60).toHtmlEscaped(), mono.arg(elided(value, 1000).toHtmlEscaped()));
    return html + section(InspectorText::tr("Metadata"), table(other));
}

QString moduleHtml(const fx::Module& module, const std::string& path) {
    const QString mono = QStringLiteral("<code>%1</code>");
    QString rows = row(InspectorText::tr("class"), mono.arg(elided(module.qualifiedType(), 300).toHtmlEscaped()));
    if (!path.empty()) rows += row(InspectorText::tr("path"), moduleLink(path));
    rows += row(InspectorText::tr("mode"),
                module.training ? InspectorText::tr("training") : InspectorText::tr("evaluation"));
    static const fx::Graph noGraph;
    const bool isScript = fx::isScriptPart(module);
    const auto* script = isScript ? module.setting<std::string>("graph") : nullptr;
    const std::vector<fx::Setting> settings = fx::constructorSettings(module);
    for (std::size_t i = 0; i < settings.size() && i < 100; ++i) {
        if (script && settings[i].name == "graph") continue; // shown as text
        const QString value = elided(fx::reprOf(noGraph, settings[i].value), 400).toHtmlEscaped();
        // What is as the class has it by default steps back.
        rows += row(
            elided(settings[i].name, 60).toHtmlEscaped(),
            (settings[i].isDefault ? QStringLiteral("<code class='muted'>%1</code>") : mono).arg(value) +
                (isScript ? QString() : pencil(QStringLiteral("setting"), QString::fromStdString(settings[i].name))));
    }
    if (!module.children.empty()) rows += row(InspectorText::tr("children"), QString::number(module.children.size()));
    QString html = section(InspectorText::tr("Module"), table(rows));
    if (script)
        html += section(InspectorText::tr("TorchScript"),
                        QStringLiteral("<pre>%1</pre>").arg(elidedLines(*script, 20'000).trimmed().toHtmlEscaped()));
    return html;
}

} // namespace ui

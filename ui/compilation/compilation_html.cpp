// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compilation/compilation_html.h"

#include "core/codegen/graph_json.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/html_parts.h"
#include "ui/inspector/node_html.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QUrl>

namespace ui {

namespace {
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ui::CompilationPanel)
};

QString paragraphs(const std::vector<std::string>& texts) {
    QString html;
    for (const std::string& text : texts)
        html += QStringLiteral("<p style='white-space:pre-wrap'>%1</p>")
                    .arg(elidedLines(text, 4000).trimmed().toHtmlEscaped());
    return html;
}

/// Links only where the dump has the stage that they lead to.
QString links(const char* scheme, bool hasStage, const fx::Provenance::Links& map, const std::string& name) {
    const auto found = map.find(name);
    if (found == map.end()) return {};
    constexpr std::size_t kShown = 40;
    QStringList html;
    for (std::size_t i = 0; i < found->second.size() && i < kShown; ++i) {
        const QString shown = elided(found->second[i], 120).toHtmlEscaped();
        const QByteArray target = QUrl::toPercentEncoding(QString::fromStdString(found->second[i]));
        html << (hasStage ? QStringLiteral("<a href='%1:%2'>%3</a>")
                                .arg(QLatin1String(scheme), QString::fromLatin1(target), shown)
                          : shown);
    }
    if (found->second.size() > kShown) html << Text::tr("%1 more").arg(found->second.size() - kShown);
    return QStringLiteral("<p class='mono'>%1</p>").arg(html.join(QStringLiteral(", ")));
}

} // namespace

QString compilationHtml(const fx::Compilation& compilation, const fx::CompilationStage* stage) {
    QString symbols;
    for (const fx::CompilationSymbol& symbol : compilation.symbols)
        symbols += row(fromCore(symbol.name).toHtmlEscaped(),
                       QStringLiteral("<code>%1</code> %2 <span class='muted'>%3</span>")
                           .arg(elided(symbol.hint, 60).toHtmlEscaped(), elided(symbol.range, 100).toHtmlEscaped(),
                                elided(symbol.source, 200).toHtmlEscaped()));
    QString html = QStringLiteral("<h2>%1</h2>").arg(elided(compilation.id, 200).toHtmlEscaped());
    if (!compilation.function.empty())
        html += QStringLiteral("<p class='mono'>%1</p>").arg(elided(compilation.function, 300).toHtmlEscaped());
    if (stage && !stage->nodes)
        html += QStringLiteral("<p><a href='text:'>%1</a></p>")
                    .arg(Text::tr("Show %1").arg(elided(stage->name, 120)).toHtmlEscaped());
    if (!compilation.failure.empty()) html += section(Text::tr("Failed"), paragraphs({compilation.failure}));
    html +=
        section(Text::tr("Graph breaks: %1").arg(compilation.graphBreaks.size()), paragraphs(compilation.graphBreaks));
    html += section(Text::tr("Recompiled because"), paragraphs(compilation.recompiles));
    html += section(Text::tr("Symbols"), table(symbols));
    html += section(Text::tr("Conditions on shapes"), paragraphs(compilation.shapeGuards));
    if (!compilation.guards.isEmpty())
        html += QStringLiteral("<p><a href='guards:'>%1</a></p>").arg(Text::tr("Show all guards"));
    return html + section(Text::tr("Called from"), paragraphs(compilation.stack));
}

QString provenanceHtml(const fx::Node& node, const fx::Provenance& provenance, const fx::Compilation& compilation) {
    bool hasBefore = false, hasAfter = false, hasCode = false;
    for (const fx::CompilationStage& stage : compilation.stages)
        (!stage.nodes ? hasCode : fx::isBeforeInductor(stage) ? hasBefore : hasAfter) = true;
    QString html = QStringLiteral("<h2>%1</h2>").arg(elided(node.name(), 200).toHtmlEscaped());
    if (const std::string source = fx::sourceLineOf(node); !source.empty()) {
        const QString text = elided(source, 600);
        const qsizetype code = text.indexOf(QLatin1String(", code: "));
        html += section(Text::tr("Written as"), QStringLiteral("<p><a href='source:'>%1</a></p><p class='mono'>%2</p>")
                                                    .arg((code < 0 ? text : text.left(code)).toHtmlEscaped(),
                                                         code < 0 ? QString() : text.mid(code + 8).toHtmlEscaped()));
    }
    html += section(Text::tr("Came from"), links("pre", hasBefore, provenance.postToPre, node.name()));
    html += section(Text::tr("Became"), links("post", hasAfter, provenance.preToPost, node.name()));
    return html + section(Text::tr("Runs in"), links("kernel", hasCode, provenance.postToKernel, node.name()));
}

} // namespace ui

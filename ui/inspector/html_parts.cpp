// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/html_parts.h"

#include "ui/document/node_facts.h"
#include "ui/inspector/node_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QUrl>

namespace ui {

QString row(const QString& label, const QString& content) {
    return QStringLiteral("<tr><td class='label'>%1</td><td>%2</td></tr>").arg(label, content);
}

QString countRow(const QString& name, const QString& count) {
    return QStringLiteral("<tr><td class='muted'>%1</td><td class='count'>%2</td></tr>").arg(name, count);
}

QString table(const QString& rows) {
    return rows.isEmpty()
               ? QString()
               : QStringLiteral("<table cellspacing='0' cellpadding='2'>") + rows + QStringLiteral("</table>");
}

QString section(const QString& heading, const QString& content) {
    return content.isEmpty() ? QString() : QStringLiteral("<h3>%1</h3>%2").arg(heading.toHtmlEscaped(), content);
}

namespace {
QString titled(const QString& text, const QString& badge, const Theme::Role& colors) {
    return QStringLiteral("<h2>%1</h2><p><span style='background-color:%3;color:%4'>&nbsp;%2&nbsp;</span></p>")
        .arg(text.toHtmlEscaped(), badge.toHtmlEscaped(), colors.fill.name(), colors.line.name());
}
} // namespace

QString title(const QString& text, std::string_view badge, fx::Op op) {
    return titled(text, fromCore(badge), theme().op(op));
}

QString title(const QString& text, const QString& badge) {
    return titled(text, badge, {theme().accentBackground, theme().accent});
}

QString nodeLink(const fx::Graph& graph, fx::NodeId node) {
    return QStringLiteral("<a href='node:%1'>%2</a>")
        .arg(fx::index(node))
        .arg(elided(graph.node(node).name(), 120).toHtmlEscaped());
}

QString nodeLinks(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes, std::size_t limit) {
    QStringList links;
    for (std::size_t i = 0; i < nodes.size() && i < limit; ++i) links << nodeLink(graph, nodes[i]);
    if (links.isEmpty()) return {};
    QString html = QStringLiteral("<p class='mono'>") + links.join(QStringLiteral(", ")) + QStringLiteral("</p>");
    if (nodes.size() > limit)
        html +=
            QStringLiteral("<p class='muted'>%1</p>").arg(InspectorText::tr("and %1 more").arg(nodes.size() - limit));
    return html;
}

QString moduleLink(const std::string& path) {
    const QString text = QString::fromStdString(path);
    return QStringLiteral("<a href='module:%1'>%2</a>")
        .arg(QString::fromLatin1(QUrl::toPercentEncoding(text)), elided(path, 200).toHtmlEscaped());
}

QString withBreaks(const QString& html) {
    constexpr qsizetype kLong = 20;
    QString out;
    out.reserve(html.size() + html.size() / 8);
    for (qsizetype at = 0; at < html.size();) {
        if (html[at] == u'<') { // a tag stays as it is
            const qsizetype end = html.indexOf(u'>', at);
            const qsizetype next = end < 0 ? html.size() : end + 1;
            out += QStringView(html).mid(at, next - at);
            at = next;
            continue;
        }
        qsizetype end = at + 1;
        while (end < html.size() && html[end] != u'<' && html[end] != u'&' && !html[end].isSpace() &&
               !html[end - 1].isSpace())
            ++end;
        for (qsizetype i = at; i < end; ++i) {
            out += html[i];
            const bool joins = html[i] == u'.' || html[i] == u'_' || html[i] == u'/';
            if (joins && end - at > kLong && i + 1 < end && html[i + 1].isLetterOrNumber()) out += kBreak;
        }
        at = end;
    }
    return out;
}

QString inspectorStyle() {
    const Theme& t = theme();
    const QFont mono = monoFont();
    return QStringLiteral(
               "h2 { font-size: large; font-weight: 600; margin: 0 0 2px 0; }"
               "h3 { font-size: medium; font-weight: 600; margin: 14px 0 2px 0; }"
               "p { margin: 2px 0; } table { margin: 2px 0; }"
               "td { padding-right: 10px; } td.label, .muted { color: %1; } td.label, td.count { white-space: nowrap; }"
               "a { color: %2; text-decoration: none; }"
               "code, pre, .mono { font-family: '%3'; font-size: %4px; }"
               "pre { white-space: pre-wrap; }")
        .arg(t.muted.name(), t.accent.name(), mono.family())
        .arg(mono.pixelSize());
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report/page.h"

#include "core/base/markup.h"
#include "core/layout/svg.h"

#include <algorithm>

namespace app {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--window:#F3F5F8;--panel:#FFFFFF;--border:#D8DDE5;--text:#1A1F29;--muted:#566072;
--accent:#2458D6;--ok:#1F7A4D;--ok-back:#E3F4EA;--warn:#8A5A00;--warn-back:#FFF3DA;--error:#A81E50;--error-back:#FBE3EA}
@media (prefers-color-scheme:dark){:root{--window:#12151A;--panel:#1A1E25;--border:#2C333D;--text:#E7EAF0;
--muted:#9BA6B6;--accent:#7AA8FF;--ok:#6FD39B;--ok-back:#173427;--warn:#F0C060;--warn-back:#3A2F16;--error:#FF9DBB;
--error-back:#3D1B28}}
*{box-sizing:border-box}
body{margin:0;background:var(--window);color:var(--text);font:14px/1.5 system-ui,'DejaVu Sans',sans-serif}
main,header{max-width:1200px;margin:0 auto;padding:0 24px}
h1{font-size:22px;margin:24px 0 4px;overflow-wrap:anywhere}h2{font-size:16px;margin:0 0 8px}
nav a{margin-right:16px;color:var(--accent)}
section{background:var(--panel);border:1px solid var(--border);border-radius:8px;padding:16px;margin:16px 0}
p{margin:4px 0 8px}.note{color:var(--warn);background:var(--warn-back);border-radius:5px;padding:4px 8px}
.scroll{overflow:auto;max-height:80vh;border:1px solid var(--border);border-radius:5px;margin:8px 0}
.scroll svg{display:block}figure{margin:0}figcaption{color:var(--muted)}
table{border-collapse:collapse}th{color:var(--muted);font-weight:600}
th,td{padding:3px 16px 3px 8px;text-align:right;vertical-align:top;overflow-wrap:anywhere}.left{text-align:left}
tr+tr td{border-top:1px solid var(--border)}
pre{margin:0;padding:8px;font:12px/1.5 'DejaVu Sans Mono',monospace;white-space:pre}
pre span{display:block;padding:0 4px}.new{color:var(--ok);background:var(--ok-back)}
.gone{color:var(--error);background:var(--error-back)}.changed{color:var(--warn);background:var(--warn-back)}
@media print{.scroll{max-height:none;overflow:visible}section{break-inside:avoid-page}}
)";

std::string escaped(std::string_view text) {
    std::string out;
    fx::appendEscapedMarkup(out, text);
    return out;
}

const char* styleOf(const std::string& line) {
    if (line.starts_with("+ ") || line.starts_with("only in B")) return "new";
    if (line.starts_with("- ") || line.starts_with("only in A")) return "gone";
    return "changed";
}

} // namespace

Page::Page(std::string_view title) : m_title(escaped(title)) {}

void Page::element(const char* name, std::string_view text, const char* style) {
    m_body += std::string("<") + name + (style ? std::string(" class=\"") + style + "\"" : "") + ">";
    fx::appendEscapedMarkup(m_body, text);
    m_body += std::string("</") + name + ">";
}

void Page::section(std::string_view title) {
    const std::string id = "part" + std::to_string(++m_sections);
    if (m_sections > 1) m_body += "</section>\n";
    m_body += "<section id=\"" + id + "\">\n";
    element("h2", title);
    m_list += "<a href=\"#" + id + "\">" + escaped(title) + "</a>\n";
}

void Page::paragraph(std::string_view text) {
    element("p", text);
    m_body += '\n';
}
void Page::note(std::string_view text) {
    element("p", text, "note");
    m_body += '\n';
}

void Page::table(const Row& head, const std::vector<Row>& rows, std::size_t left) {
    const auto add = [&](const Row& row, const char* cell) {
        m_body += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) element(cell, row[i], i < left ? "left" : nullptr);
        m_body += "</tr>\n";
    };
    m_body += "<div class=\"scroll\"><table>\n";
    if (!head.empty()) add(head, "th");
    for (const Row& row : rows) add(row, "td");
    m_body += "</table></div>\n";
}

void Page::code(std::string_view text) {
    m_body += "<div class=\"scroll\">";
    element("pre", text.substr(std::min(text.find_first_not_of('\n'), text.size())));
    m_body += "</div>\n";
}

void Page::differences(const std::vector<std::string>& lines) {
    m_body += "<div class=\"scroll\"><pre>";
    for (const std::string& line : lines) element("span", line, styleOf(line));
    m_body += "</pre></div>\n";
}

void Page::picture(std::string_view caption, std::string_view svg) {
    m_body += "<figure>";
    element("figcaption", caption);
    m_body += "<div class=\"scroll\">";
    m_body += svg;
    m_body += "</div></figure>\n";
}

std::string Page::text() const {
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                      "'unsafe-inline'\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
                      m_title + "</title>\n<style>" + std::string(kStyle);
    out += "@media (prefers-color-scheme:dark){\n" + fx::svgDarkRules() + "}\n</style></head>\n<body><header><h1>" +
           m_title + "</h1>\n<nav>" + m_list + "</nav></header>\n<main>\n" + m_body;
    return out + (m_sections > 0 ? "</section>\n" : "") + "</main></body></html>\n";
}

} // namespace app

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/svg.h"

#include "core/base/counted.h"
#include "core/base/markup.h"
#include "core/layout/edge_curve.h"
#include "core/layout/family_mark.h"
#include "core/layout/text_metrics.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <utility>

namespace fx {

namespace {

struct KindColours {
    const char *fill, *line;
    const char* text = nullptr; ///< null: that of the theme
};
struct Theme {
    const char *canvas, *panel, *border, *edge, *text, *muted, *accent;
    std::array<KindColours, 6> kinds; ///< in the order of Op
};
constexpr Theme kLight{"#F7F8FA",
                       "#FFFFFF",
                       "#D8DDE5",
                       "#8792A4",
                       "#1A1F29",
                       "#566072",
                       "#2458D6",
                       {{{"#E2F3E8", "#2B7A4B"},
                         {"#DDF1F0", "#0B6B66"},
                         {"#FFF0D4", "#8F5E00"},
                         {"#EFE6FB", "#6F3DB8"},
                         {"#E5EDFC", "#2F62C8"},
                         {"#FBE3EA", "#A81E50"}}}};
constexpr Theme kDark{"#14181E",
                      "#1A1E25",
                      "#2C333D",
                      "#6C778A",
                      "#E7EAF0",
                      "#9BA6B6",
                      "#7AA8FF",
                      {{{"#17342A", "#7FD6A8"},
                        {"#13312F", "#7ED3CC"},
                        {"#3A2D12", "#F2C46B"},
                        {"#2D2145", "#C9A6FF"},
                        {"#1B2B4A", "#8FB5FF"},
                        {"#3D1B28", "#FF9DBB"}}}};

/// Colours that people with colour vision deficiency tell apart (Okabe and Ito 2008), as lines with tints of them.
constexpr std::array<KindColours, 8> kDistinct = {{{"#D6E8F5", "#0072B2"},
                                                   {"#FCE3D3", "#D55E00"},
                                                   {"#D3F0E5", "#00805D"},
                                                   {"#FBEBC8", "#B07800"},
                                                   {"#F5E1EC", "#B3528A"},
                                                   {"#E1F2FC", "#2F8FC7"},
                                                   {"#F7F4C4", "#8A8200"},
                                                   {"#E4E4E4", "#4D4D4D"}}};
/// From little to much: even steps of one hue, with the text that can be read on it.
constexpr std::array<KindColours, 6> kLightToDark = {{{"#EAF0FD", "#BBC0CA", "#1A1F29"},
                                                      {"#BFCCEA", "#99A3BB", "#1A1F29"},
                                                      {"#94A7D6", "#7686AB", "#1A1F29"},
                                                      {"#6883C3", "#54699C", "#1A1F29"},
                                                      {"#3D5EAF", "#314C8C", "#FFFFFF"},
                                                      {"#123A9C", "#0E2E7D", "#FFFFFF"}}};
constexpr KindColours kNoClass = {"#FFFFFF", "#AAB2BF"};
constexpr double kLegendRow = 24, kLegendMargin = 16;

void appendNumber(std::string& out, double value) {
    char buffer[32];
    auto length = std::snprintf(buffer, sizeof buffer, "%.2f", value);
    while (buffer[length - 1] == '0') --length;
    if (buffer[length - 1] == '.') --length;
    out.append(buffer, static_cast<std::size_t>(length));
}

class SvgWriter {
public:
    SvgWriter(const Picture& picture, const Graph& graph, const Theme& theme, const std::vector<NodeId>& selected,
              const NodeClasses* classes, bool background)
        : m_picture(picture), m_graph(graph), m_theme(theme), m_selected(selected.begin(), selected.end()),
          m_classes(classes), m_hasBackground(background) {}

    std::string run() {
        begin();
        for (const auto& group : m_picture.groups) box(group.rect, 10, m_theme.panel, m_theme.border);
        m_out += "<g fill=\"none\" stroke=\"", m_out += m_theme.edge,
            m_out += "\" stroke-width=\"1.4\" marker-end=\"url(#arrow)\">\n";
        for (const auto& edge : m_picture.edges) drawEdge(edge);
        m_out += "</g>\n";
        for (const auto& group : m_picture.groups) drawTitle(group);
        for (const auto& node : m_picture.nodes) {
            node.copy == 0 ? drawNode(node) : drawCopy(node);
            if (m_selected.contains(node.node)) frame(node.rect);
        }
        for (const auto& label : m_picture.stubLabels)
            text({label.rect.x + 8, label.rect.center().y + 4}, "m", m_theme.muted, label.text);
        if (m_classes) drawLegend();
        m_out += "</svg>\n";
        return std::move(m_out);
    }

private:
    /// The picture, and below it the legend.
    Rect area() const {
        Rect area = m_picture.bounds;
        if (!m_classes) return area;
        double width = 0;
        for (const std::string& name : m_classes->names) width = std::max(width, monoWidth(name));
        area.w = std::max(area.w, width + 2 * kLegendMargin + 32);
        area.h += kLegendMargin + kLegendRow * static_cast<double>(m_classes->names.size());
        return area;
    }

    KindColours classColours(std::size_t index) const {
        if (!m_classes->ordered) return kDistinct[index % kDistinct.size()];
        return kLightToDark[index * (kLightToDark.size() - 1) / std::max<std::size_t>(1, m_classes->names.size() - 1)];
    }
    KindColours coloursOf(NodeId node) const {
        if (!m_classes) return m_theme.kinds[static_cast<std::size_t>(m_graph.node(node).op())];
        const std::int32_t index = m_classes->classOf[fx::index(node)];
        return index == NodeClasses::kNone ? kNoClass : classColours(static_cast<std::size_t>(index));
    }
    std::string_view valueOf(NodeId node) const {
        return m_classes && fx::index(node) < m_classes->values.size()
                   ? std::string_view(m_classes->values[fx::index(node)])
                   : std::string_view();
    }
    void drawLegend() {
        double y = m_picture.bounds.bottom();
        for (std::size_t i = 0; i < m_classes->names.size(); ++i, y += kLegendRow) {
            const auto colours = classColours(i);
            box({m_picture.bounds.x + kLegendMargin, y, 20, 16}, 4, colours.fill, colours.line);
            text({m_picture.bounds.x + kLegendMargin + 32, y + 13}, "m", m_theme.text, m_classes->names[i]);
        }
    }

    void begin() {
        const Rect area = this->area();
        m_out += "<svg xmlns=\"http://www.w3.org/2000/svg\"";
        attributes({{"width", area.w}, {"height", area.h}});
        m_out += " viewBox=\"";
        for (const double value : {area.x, area.y, area.w, area.h}) appendNumber(m_out, value), m_out += ' ';
        m_out.back() = '"';
        m_out +=
            ">\n<style>text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:13px;white-space:pre}"
            ".t{font-weight:600}.m{font-family:'DejaVu Sans Mono',monospace;font-size:11px}"
            ".h{paint-order:stroke;stroke-width:5px}</style>\n"
            "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" "
            "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"";
        m_out += m_theme.edge, m_out += "\"/></marker></defs>\n";
        if (!m_hasBackground) return;
        m_out += "<rect";
        attributes({{"x", area.x}, {"y", area.y}, {"width", area.w}, {"height", area.h}});
        fill(m_theme.canvas), m_out += "/>\n";
    }

    void attributes(std::initializer_list<std::pair<const char*, double>> list) {
        for (const auto& [name, value] : list)
            m_out += ' ', m_out += name, m_out += "=\"", appendNumber(m_out, value), m_out += '"';
    }
    void fill(const char* colour) { m_out += " fill=\"", m_out += colour, m_out += '"'; }

    void box(const Rect& rect, double radius, const char* inside, const char* line) {
        m_out += "<rect";
        attributes({{"x", rect.x}, {"y", rect.y}, {"width", rect.w}, {"height", rect.h}, {"rx", radius}});
        fill(inside), m_out += " stroke=\"", m_out += line, m_out += "\"/>\n";
    }

    void frame(const Rect& rect) {
        m_out += "<rect class=\"selected\"";
        attributes({{"x", rect.x - 4},
                    {"y", rect.y - 4},
                    {"width", rect.w + 8},
                    {"height", rect.h + 8},
                    {"rx", 8},
                    {"stroke-width", 3}});
        fill("none"), m_out += " stroke=\"", m_out += m_theme.accent, m_out += "\"/>\n";
    }

    void text(Point baseline, const char* style, const char* colour, std::string_view what,
              const char* anchor = nullptr) {
        m_out += "<text";
        attributes({{"x", baseline.x}, {"y", baseline.y}});
        m_out += " class=\"", m_out += style, m_out += '"';
        fill(colour);
        if (anchor != nullptr) m_out += " text-anchor=\"", m_out += anchor, m_out += '"';
        m_out += '>', appendEscapedMarkup(m_out, visibleName(what)), m_out += "</text>\n";
    }

    void drawEdge(const EdgeItem& edge) {
        if (edge.points.empty()) return;
        m_out += edge.stub ? "<path stroke-dasharray=\"3 3\" d=\"" : "<path d=\"";
        for (std::size_t i = 0; i < edge.points.size(); ++i) {
            const auto to = edge.points[i];
            if (i == 0 || (edge.stub && i == edge.gap + 1u)) {
                point('M', to);
                continue;
            }
            const auto piece = curveBetween(edge.points[i - 1], to, m_picture.direction);
            if (!piece.straight) point('C', piece.c1), point(' ', piece.c2);
            point(piece.straight ? 'L' : ' ', to);
        }
        m_out += "\"/>\n";
    }
    void point(char command, Point at) {
        m_out += command, appendNumber(m_out, at.x), m_out += ' ', appendNumber(m_out, at.y);
    }

    /// Lines may pass under a title: a halo keeps it readable.
    void drawTitle(const GroupItem& group) {
        const auto& r = group.rect;
        const double y = r.y + 19, x = r.x + kNodePadding;
        m_out += "<g class=\"h\" stroke=\"", m_out += m_theme.panel, m_out += "\">\n";
        text({x, y}, "m", m_theme.muted, group.expanded ? "▾" : "▸");
        text({x + 16, y}, "t", m_theme.text, elideTitle(group.title, r.w - 2 * kNodePadding - 16));
        const std::string count = counted(group.nodeCount, "node", "nodes");
        if (group.expanded) {
            text({x + 24 + titleWidth(group.title), y}, "m", m_theme.muted, group.type);
            text({r.right() - kNodePadding, y}, "m", m_theme.muted, count, "end");
        } else {
            text({x, y + 20}, "m", m_theme.muted, group.type.empty() ? count : group.type + " · " + count);
        }
        m_out += "</g>\n";
    }

    void drawNode(const NodeItem& node) {
        const auto& r = node.rect;
        const KindColours colours = coloursOf(node.node);
        box(r, 5, colours.fill, colours.line);
        m_out += "<rect";
        attributes({{"x", r.x}, {"y", r.y}, {"width", kNodeStripe}, {"height", r.h}, {"rx", 2}});
        fill(colours.line), m_out += "/>\n";
        const double x = r.x + kNodeStripe + kNodePadding - 2;
        const char *const dark = colours.text ? colours.text : m_theme.text, *const muted = colours.text
                                                                                                ? colours.text
                                                                                                : m_theme.muted;
        const std::string_view value = valueOf(node.node);
        m_out += "<g><title>";
        appendEscapedMarkup(m_out, visibleName(m_graph.node(node.node).name() + ": " + node.what));
        m_out += "</title>\n";
        text({x, r.y + 17}, "m", muted, node.title);
        if (!node.shape.empty()) text({r.right() - kNodePadding, r.y + 17}, "m", muted, node.shape, "end");
        const double mark = value.empty() && hasMark(node) ? kMarkWidth : 0;
        if (mark > 0) drawMark(node.family, {x, r.y + 24}, colours.text ? colours.text : colours.line);
        text({x + mark, r.y + 35}, "t", dark, value.empty() ? std::string_view(node.what) : value);
        m_out += "</g>\n";
        double at = x;
        for (const auto& chip : node.chips) {
            const double width = monoWidth(chip) + 12;
            if (at + width > r.right() - 4) break;
            box({at, r.y + kNodeHeight - 2, width, 16}, 4, m_theme.kinds[1].fill, m_theme.kinds[1].line);
            text({at + 6, r.y + kNodeHeight + 10}, "m", m_theme.kinds[1].line, chip);
            at += width + 6;
        }
    }

    void drawMark(ops::Family family, Point corner, const char* colour) {
        m_out += "<path fill=\"none\" stroke=\"", m_out += colour, m_out += "\" stroke-width=\"1.4\" d=\"";
        for (const MarkLine& line : markOf(family)) {
            char command = 'M';
            for (const Point& at : line.points) {
                point(std::exchange(command, 'L'), {corner.x + at.x, corner.y + at.y});
            }
            if (line.closed) m_out += 'z';
        }
        m_out += "\"/>\n";
    }

    void drawCopy(const NodeItem& node) {
        const KindColours colours = coloursOf(node.node);
        box(node.rect, kCopyHeight / 2, colours.fill, colours.line);
        text({node.rect.x + 8, node.rect.center().y + 4}, "m", m_theme.text, node.title);
    }

    const Picture& m_picture;
    const Graph& m_graph;
    const Theme& m_theme;
    std::set<NodeId> m_selected;
    const NodeClasses* m_classes; ///< null: colours tell the kinds
    bool m_hasBackground;
    std::string m_out;
};

} // namespace

std::string toSvg(const Picture& picture, const Graph& graph, SvgTheme theme, const std::vector<NodeId>& selected,
                  const NodeClasses* classes, bool background) {
    return SvgWriter(picture, graph, theme == SvgTheme::Light ? kLight : kDark, selected, classes, background).run();
}

std::string svgDarkRules() {
    std::string rules;
    const auto add = [&](const char* light, const char* dark) {
        for (const char* attribute : {"fill", "stroke"})
            rules += std::string("svg [") + attribute + "=\"" + light + "\"]{" + attribute + ":" + dark + "}\n";
    };
    for (const auto colour :
         {&Theme::canvas, &Theme::panel, &Theme::border, &Theme::edge, &Theme::text, &Theme::muted, &Theme::accent})
        add(kLight.*colour, kDark.*colour);
    for (std::size_t i = 0; i < kLight.kinds.size(); ++i) {
        add(kLight.kinds[i].fill, kDark.kinds[i].fill);
        add(kLight.kinds[i].line, kDark.kinds[i].line);
    }
    return rules;
}

} // namespace fx

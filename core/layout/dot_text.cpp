// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/dot_text.h"

#include "core/base/visible_text.h"

#include <array>

namespace fx {
namespace {

/// Fill colours in the order of Op.
constexpr std::array kFill = {"#E2F3E8", "#DDF1F0", "#FFF0D4", "#EFE6FB", "#E5EDFC", "#FBE3EA"};

void appendQuoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : visibleText(text)) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    out += '"';
}

class DotWriter {
public:
    DotWriter(const Picture& picture, const Graph& graph) : m_picture(picture), m_graph(graph) {}

    std::string run() {
        m_out = "digraph model {\n  rankdir=";
        m_out += m_picture.direction == Direction::LeftRight ? "LR" : "TB";
        m_out += "\n  node [shape=box style=\"filled,rounded\" fontname=\"Helvetica\"]\n";
        writeGroups();
        for (const EdgeItem& edge : m_picture.edges) {
            m_out += "  ";
            appendQuoted(m_out, id(edge.from));
            m_out += " -> ";
            appendQuoted(m_out, id(edge.to));
            m_out += "\n";
        }
        return m_out + "}\n";
    }

private:
    /// Of the node or group that an edge's end names.
    std::string id(std::uint32_t item) const {
        if (item >= m_picture.nodes.size()) return "/" + m_picture.groups[item - m_picture.nodes.size()].path;
        const NodeItem& node = m_picture.nodes[item];
        return m_graph.node(node.node).name() + (node.copy ? "@" + std::to_string(node.copy) : std::string());
    }

    void line(const std::string& id, const std::string& title, const std::string& second, const char* fill) {
        m_out += "  ";
        appendQuoted(m_out, id);
        m_out += " [label=";
        appendQuoted(m_out, second.empty() ? visibleName(title) : visibleName(title) + "\n" + visibleName(second));
        m_out += std::string(" fillcolor=\"") + fill + "\"]\n";
    }

    void writeNode(std::uint32_t item) {
        const NodeItem& node = m_picture.nodes[item];
        line(id(item), m_graph.node(node.node).name(), node.what,
             kFill[static_cast<std::size_t>(m_graph.node(node.node).op())]);
    }

    /// Nodes and groups of each open group within its braces; a stack in place of recursion.
    void writeGroups() {
        const std::size_t top = m_picture.groups.size();
        const auto place = [&](std::uint32_t group) { return group == kNoGroup ? top : group; };
        std::vector<std::vector<std::uint32_t>> nodes(top + 1), groups(top + 1);
        for (std::uint32_t i = 0; i < m_picture.nodes.size(); ++i) nodes[place(m_picture.nodes[i].group)].push_back(i);
        for (auto i = static_cast<std::uint32_t>(top); i-- > 0;) groups[place(m_picture.groups[i].parent)].push_back(i);
        struct Step {
            std::size_t group;
            bool closing;
        };
        std::vector<Step> steps = {{top, false}};
        while (!steps.empty()) {
            const Step step = steps.back();
            steps.pop_back();
            if (step.closing) {
                m_out += "  }\n";
            } else if (step.group != top && !m_picture.groups[step.group].expanded) {
                const GroupItem& group = m_picture.groups[step.group];
                line("/" + group.path, group.title, group.type, "#FFFFFF");
            } else {
                if (step.group != top) steps.push_back({step.group, true}), beginCluster(step.group);
                for (const std::uint32_t node : nodes[step.group]) writeNode(node);
                for (const std::uint32_t group : groups[step.group]) steps.push_back({group, false});
            }
        }
    }

    void beginCluster(std::size_t group) {
        const GroupItem& item = m_picture.groups[group];
        m_out += "  subgraph cluster_" + std::to_string(group) + " {\n  label=";
        appendQuoted(m_out, item.type.empty() ? item.title : item.title + ": " + item.type);
        m_out += "\n";
    }

    const Picture& m_picture;
    const Graph& m_graph;
    std::string m_out;
};

} // namespace

std::string toDot(const Picture& picture, const Graph& graph) { return DotWriter(picture, graph).run(); }

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of the Python package `tabulate`, format "simple": columns as wide as their longest cell, at least two
// wider than the header, two blanks between them, trailing blanks cut.
#include "core/codegen/tabular.h"

#include "core/ir/print.h"

#include <algorithm>
#include <vector>

namespace fx {
namespace {
std::size_t codePoints(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string stripped(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r\n\f\v");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n\f\v") - first + 1);
}

void appendRow(std::string& out, const TabularRow& row, const std::array<std::size_t, 5>& widths) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (c > 0) line += "  ";
        line += row[c];
        line.append(widths[c] - std::min(widths[c], codePoints(row[c])), ' ');
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out += line;
}
} // namespace

TabularRow tabularRow(const Graph& graph, const Node& node) {
    return {std::string(opName(node.op())), node.name(), node.callable() ? node.callable()->repr : node.target(),
            argsRepr(graph, node), kwargsRepr(graph, node)};
}

std::string tabularText(const Graph& graph) {
    std::vector<TabularRow> rows;
    rows.reserve(graph.size());
    std::array<std::size_t, 5> widths{};
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = codePoints(kTabularHeaders[c]) + 2;
    for (const Node& node : graph.nodes()) {
        TabularRow row = tabularRow(graph, node);
        for (std::size_t c = 0; c < row.size(); ++c) {
            row[c] = stripped(row[c]);
            widths[c] = std::max(widths[c], codePoints(row[c]));
        }
        rows.push_back(std::move(row));
    }
    TabularRow headers, dashes;
    for (std::size_t c = 0; c < widths.size(); ++c) {
        headers[c] = kTabularHeaders[c];
        dashes[c] = std::string(widths[c], '-');
    }
    std::string out;
    appendRow(out, headers, widths);
    out += '\n';
    appendRow(out, dashes, widths);
    for (const auto& row : rows) {
        out += '\n';
        appendRow(out, row, widths);
    }
    return out;
}

} // namespace fx

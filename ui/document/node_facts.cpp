// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_facts.h"

#include "ui/widgets/core_text.h"

#include <QTextDocument>

#include <algorithm>
#include <array>

namespace ui {

std::string targetText(const fx::Node& node) { return node.callable() ? node.callable()->prettyName() : node.target(); }

std::string modulePathOf(const fx::Node& node) {
    if (node.op() == fx::Op::CallModule) return node.target();
    if (!node.meta().moduleStack.empty()) return node.meta().moduleStack.back().path;
    if (node.op() != fx::Op::GetAttr) return {};
    const auto dot = node.target().rfind('.');
    return dot == std::string::npos ? std::string() : node.target().substr(0, dot);
}

std::string dtypeText(const fx::Node& node) {
    std::string text;
    for (const fx::ValueInfo& value : node.meta().values) {
        if (value.dtype.empty()) continue;
        if (!text.empty()) text += ", ";
        text += value.dtype;
    }
    return text;
}

std::string shapeText(const fx::Node& node) {
    std::string text;
    for (const fx::ValueInfo& value : node.meta().values) {
        const std::string shape = value.shapeText();
        if (shape.empty()) continue;
        if (!text.empty()) text += ", ";
        text += shape;
    }
    return text;
}

namespace {

QString scaled(double value, const std::array<const char*, 5>& units, const char* separator) {
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    const QString number =
        unit == 0 ? QString::number(value, 'f', 0) : QString::number(value, 'f', value < 99.95 ? 1 : 0);
    return *units[unit] ? number + fromCore(separator) + fromCore(units[unit]) : number;
}

/// A character takes at most four bytes, so cutting there first keeps huge texts cheap.
std::string_view beginning(const std::string& text, int limit) {
    return std::string_view(text).substr(0, static_cast<std::size_t>(limit) * 4 + 4);
}
QString cut(const QString& text, int limit) {
    return text.size() > limit ? text.left(limit - 1) + QChar(0x2026) : text;
}
} // namespace

QString countText(std::int64_t count) { return scaled(static_cast<double>(count), {"", "k", "M", "G", "T"}, "\u00a0"); }

QString byteText(std::int64_t bytes) {
    return scaled(static_cast<double>(bytes), {"B", "kB", "MB", "GB", "TB"}, "\u00a0");
}

QString elided(const std::string& text, int limit) { return cut(fromCore(beginning(text, limit)), limit); }
QString elidedLines(const std::string& text, int limit) { return cut(linesFromCore(beginning(text, limit)), limit); }

QString plainToolTip(const QString& text) {
    return text.isEmpty() ? QString()
                          : Qt::convertFromPlainText(visibleLines(text), Qt::WhiteSpaceNormal); // else an empty box
}

const fx::Module* ModuleLookup::child(const fx::Module& parent, std::string_view name) {
    if (parent.children.size() < 16) return parent.child(name);
    auto [entry, isNew] = m_children.try_emplace(&parent);
    if (isNew)
        for (const fx::Module::Child& each : parent.children) entry->second.emplace(each.name, each.module.get());
    const auto found = entry->second.find(name);
    return found == entry->second.end() ? nullptr : found->second;
}

const fx::Module* ModuleLookup::find(std::string_view path) {
    const fx::Module* module = m_root;
    while (module && !path.empty()) {
        const auto dot = path.find('.');
        module = child(*module, path.substr(0, dot));
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return module;
}

std::string typeText(const fx::Node& node, ModuleLookup& modules) {
    if (node.op() == fx::Op::CallModule)
        if (const fx::Module* module = modules.find(node.target())) return module->className;
    return node.type() ? node.type()->repr() : std::string();
}

void CallCounter::add(const fx::Node& node) {
    if (!node.isCall()) return;
    const std::string type = node.op() == fx::Op::CallModule ? typeText(node, m_modules) : std::string();
    ++m_counts[type.empty() ? targetText(node) : type];
}

CallCounts CallCounter::counts() const {
    CallCounts sorted(m_counts.begin(), m_counts.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return sorted;
}

CallCounts callCounts(const fx::GraphModule& module) {
    CallCounter counter(module);
    for (const fx::Node& node : module.graph.nodes()) counter.add(node);
    return counter.counts();
}

} // namespace ui

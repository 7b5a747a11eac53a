// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QString>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui {

/// Texts about nodes, shared by table, list, find and inspector.

/// Returns "operator.add" for functions, else the plain target.
std::string targetText(const fx::Node& node);
/// Returns the path of the module that a node belongs to: the target of call_module, the innermost frame of
/// `nn_module_stack`, the owner of a get_attr, else "".
std::string modulePathOf(const fx::Node& node);
/// Returns "torch.float32", or "float32, int64" for several values; empty if unknown.
std::string dtypeText(const fx::Node& node);
/// Returns "64×56×56", or "2×3, 4" for several values; empty if unknown.
std::string shapeText(const fx::Node& node);
/// Formats a count with three digits: "11.7 M", "2.4 k", "512".
QString countText(std::int64_t count);
/// Formats a size as "46.8 MB", in decimal units like PyTorch's hub pages.
QString byteText(std::int64_t bytes);
/// Truncates text to `limit` characters with "…". Cells need this because texts from files can have any length.
QString elided(const std::string& text, int limit = 400);
/// Like `elided`, for texts of several lines, such as messages and code. Keeps line breaks and tabs.
QString elidedLines(const std::string& text, int limit = 400);
/// Escapes text from a file for a tooltip, where Qt would interpret tags as rich text.
QString plainToolTip(const QString& text);

/// Finds modules by dotted path in O(depth), even if a module has 100,000 children.
class ModuleLookup {
public:
    /// `root` must outlive the lookup.
    explicit ModuleLookup(const fx::Module& root) : m_root(&root) {}
    /// Returns the module at `path`, or null.
    const fx::Module* find(std::string_view path);

private:
    const fx::Module* child(const fx::Module& parent, std::string_view name);

    const fx::Module* m_root;
    std::unordered_map<const fx::Module*, std::unordered_map<std::string_view, const fx::Module*>> m_children;
};

/// Returns the class of the module that a call_module node calls, the annotation of any other node, or "".
std::string typeText(const fx::Node& node, ModuleLookup& modules);

/// The number of calls of each function, method and module class: the most frequent first, then by name.
using CallCounts = std::vector<std::pair<std::string, std::size_t>>;

/// Counts calls node by node.
class CallCounter {
public:
    /// `module` must outlive the counter.
    explicit CallCounter(const fx::GraphModule& module) : m_modules(*module.root) {}
    /// Counts a node; ignores nodes that are not calls.
    void add(const fx::Node& node);
    /// Returns the sorted counts.
    CallCounts counts() const;

private:
    ModuleLookup m_modules;
    std::unordered_map<std::string, std::size_t> m_counts;
};
/// Counts the calls of all nodes. Linear.
CallCounts callCounts(const fx::GraphModule& module);

} // namespace ui

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

/// "operator.add" for functions, the plain target for everything else.
std::string targetText(const fx::Node& node);
/// The module that a node belongs to: its own for call_module, the innermost frame of `nn_module_stack`, the holder of
/// a get_attr, else "".
std::string modulePathOf(const fx::Node& node);
/// "torch.float32" or "float32, int64" for several values; empty when unknown.
std::string dtypeText(const fx::Node& node);
/// "64×56×56", or "2×3, 4" for several values; empty when unknown.
std::string shapeText(const fx::Node& node);
/// "11.7 M", "2.4 k", "512": a readable count with three digits.
QString countText(std::int64_t count);
/// "46.8 MB" (decimal units, as PyTorch's hub pages print them).
QString byteText(std::int64_t bytes);
/// At most `limit` characters, the rest as "…". For cells, because texts from files can have any length.
QString elided(const std::string& text, int limit = 400);
/// Text from a file for a tooltip, where Qt would interpret tags as rich text.
QString plainToolTip(const QString& text);

/// Finds modules by dotted path in O(depth), even if a module has 100,000 children.
class ModuleLookup {
public:
    explicit ModuleLookup(const fx::Module& root) : m_root(&root) {}
    /// The module at `path`, or null.
    const fx::Module* find(std::string_view path);

private:
    const fx::Module* child(const fx::Module& parent, std::string_view name);

    const fx::Module* m_root;
    std::unordered_map<const fx::Module*, std::unordered_map<std::string_view, const fx::Module*>> m_children;
};

/// The class of the module that a call_module node calls, the annotation of any other node, or "".
std::string typeText(const fx::Node& node, ModuleLookup& modules);

/// How often each function, method and class of modules is called: the most frequent first, then by name.
using CallCounts = std::vector<std::pair<std::string, std::size_t>>;

/// Counts calls, node by node.
class CallCounter {
public:
    explicit CallCounter(const fx::GraphModule& module) : m_modules(*module.root) {}
    /// Other nodes than calls do not count.
    void add(const fx::Node& node);
    CallCounts counts() const;

private:
    ModuleLookup m_modules;
    std::unordered_map<std::string, std::size_t> m_counts;
};
/// Of all nodes. Linear.
CallCounts callCounts(const fx::GraphModule& module);

} // namespace ui

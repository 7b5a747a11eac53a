// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/child_lookup.h"
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx {

/// Edits the module tree of a model whose modules may be shared with other versions: modified modules are copied first,
/// from the root down, and a module with several paths keeps all of them. Changes are complete when the editor is
/// destroyed; `model.root` must not be changed in any other way until then.
class ModuleEditor {
public:
    explicit ModuleEditor(GraphModule& model) : m_model(model), m_children(&m_ownLookup) {}
    /// With what edits before it have learned of the tree.
    ModuleEditor(GraphModule& model, ChildLookup& children) : m_model(model), m_children(&children) {}
    ~ModuleEditor();
    ModuleEditor(const ModuleEditor&) = delete;
    ModuleEditor& operator=(const ModuleEditor&) = delete;

    /// The module at `path` ("" is the root) for writing, or null.
    Module* writable(std::string_view path);

    /// torch.fx `add_submodule`: creates empty modules on the path and replaces an existing module. Returns false if a
    /// parameter or another attribute is in the way.
    bool add(std::string_view path, std::shared_ptr<Module> module);
    /// torch.fx `delete_submodule`. Returns false if there is no module at `path`.
    bool remove(std::string_view path);
    /// torch.fx `delete_all_unused_submodules`; returns the removed paths.
    std::vector<std::string> removeUnused();

private:
    bool hasModule(std::string_view path) const;
    bool makeRoom(std::string_view path);
    std::shared_ptr<Module>* slotOf(Module& module, std::string_view name);
    void own(std::shared_ptr<Module>& slot);
    bool isNested(const std::shared_ptr<Module>& module) const;
    const std::vector<std::string>& otherParents(const Module* module);

    GraphModule& m_model;
    ChildLookup m_ownLookup;
    ChildLookup* m_children;
    /// For modules with several parents: the paths of the parents. Filled on first use.
    std::unordered_map<const Module*, std::vector<std::string>> m_parents;
    bool m_parentsKnown = false;
    std::vector<std::shared_ptr<Module>> m_nested; ///< written modules that are GraphModules themselves
};

/// Python's copy.deepcopy: new modules and tensors with equal content and the same sharing among each other.
std::shared_ptr<Module> deepCopy(const Module& module);
TensorPtr deepCopy(const TensorPtr& tensor);

} // namespace fx

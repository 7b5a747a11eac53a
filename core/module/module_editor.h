// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/child_lookup.h"
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx {

/// Edits the module tree of a model whose modules may be shared with other versions. Modules are copied before they are
/// modified, from the root down, and a module with several paths keeps all of them. Changes are complete when the
/// editor is destroyed; do not change `model.root` in any other way before.
class ModuleEditor {
public:
    explicit ModuleEditor(GraphModule& model) : m_model(model), m_children(&m_ownLookup) {}
    /// Uses and updates the lookup of earlier editors.
    ModuleEditor(GraphModule& model, ChildLookup& children) : m_model(model), m_children(&children) {}
    ~ModuleEditor();
    ModuleEditor(const ModuleEditor&) = delete;
    ModuleEditor& operator=(const ModuleEditor&) = delete;

    /// Returns the module at `path` ("" is the root) for writing, or null.
    Module* writable(std::string_view path);

    /// torch.fx `add_submodule`: creates empty modules on the path and replaces an existing module. Returns false if a
    /// parameter or another attribute blocks the path.
    bool add(std::string_view path, std::shared_ptr<Module> module);
    /// torch.fx `delete_submodule`. Returns false if there is no module at `path`.
    bool remove(std::string_view path);
    /// torch.fx `delete_all_unused_submodules`. Returns the removed paths.
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
    /// The paths of the parents of modules with several parents. Filled on first use.
    std::unordered_map<const Module*, std::vector<std::string>> m_parents;
    bool m_parentsKnown = false;
    std::vector<std::shared_ptr<Module>> m_nested; ///< modified modules that are GraphModules themselves
};

/// Python's copy.deepcopy: new modules and tensors with equal content and the same sharing.
std::shared_ptr<Module> deepCopy(const Module& module);
/// Python's copy.deepcopy of a tensor.
TensorPtr deepCopy(const TensorPtr& tensor);

} // namespace fx

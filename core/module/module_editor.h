// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx {

/// Changes the module tree of a model whose modules other versions of the model may share: what is written is copied
/// first, from the root down, and a module that has several places in the tree keeps all of them. Changes are complete
/// when the editor ends; `model.root` must not be changed otherwise meanwhile.
class ModuleEditor {
public:
    explicit ModuleEditor(GraphModule& model) : m_model(model) {}
    ~ModuleEditor();
    ModuleEditor(const ModuleEditor&) = delete;
    ModuleEditor& operator=(const ModuleEditor&) = delete;

    /// The module at `path` ("" is the root) for writing, null when there is none.
    Module* writable(std::string_view path);

    /// torch.fx `add_submodule`: installs empty modules on the way; replaces a module of that path in its place. False
    /// when a parameter or another attribute is in the way.
    bool add(std::string_view path, std::shared_ptr<Module> module);
    /// torch.fx `delete_submodule`. False when there is no module at `path`.
    bool remove(std::string_view path);
    /// torch.fx `delete_all_unused_submodules`; returns the paths that went.
    std::vector<std::string> removeUnused();

private:
    void own(std::shared_ptr<Module>& slot);
    bool isNested(const std::shared_ptr<Module>& module) const;
    const std::vector<std::string>& otherParents(const Module* module);

    GraphModule& m_model;
    /// Modules with several places: paths of the modules that hold them. Filled when first needed.
    std::unordered_map<const Module*, std::vector<std::string>> m_parents;
    bool m_parentsKnown = false;
    std::vector<std::shared_ptr<Module>> m_nested; ///< written modules that are GraphModules themselves
};

/// Python's copy.deepcopy: new modules and tensors with the same contents, sharing among each other as the originals
/// do.
std::shared_ptr<Module> deepCopy(const Module& module);
TensorPtr deepCopy(const TensorPtr& tensor);

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/import_options.h"
#include "core/torchscript/importing/block_registry.h"
#include "core/torchscript/importing/constant_attributes.h"
#include "core/torchscript/leaf_modules.h"
#include "core/torchscript/torchscript.h"

namespace fx::script {

/// Builds the module tree of an imported graph: leaves of torch.nn, blocks, and plain modules with the tensors,
/// settings and children of the file's objects.
class TreeBuilder {
public:
    /// The parts of an import from which the tree is built.
    struct Parts {
        const Program& program;
        const Object& root;
        const ImportOptions& options;
        LeafModules& leaves; ///< those that the graph calls are recognised
        const BlockRegistry& blocks;
        const ConstantAttributes& constants;
        const std::map<const Object*, std::string>& objects; ///< objects of C++ classes that the graph reads
        const std::set<std::string>& used;                   ///< targets of the graph's nodes
    };
    /// Counts blocks and lists what it leaves out in `report`.
    TreeBuilder(const Parts& parts, ImportReport& report) : m_parts(parts), m_report(report) {}

    /// Returns the root. If the graph only calls the whole script, this block is its only module.
    std::shared_ptr<Module> build();

private:
    std::shared_ptr<Module> build(const Object& object, const std::string& path);
    std::shared_ptr<Module> uncalledLeaf(const Object& object);
    void addBlocks(Module& module, const Object& object);
    void addFields(Module& module, const Object& object, const std::string& path);
    void addLiteral(Module& module, const std::string& name, const Argument* literal, const std::string& path);
    void addTorchBind(Module& module, const std::string& name, const Object& object, const std::string& path);
    std::shared_ptr<Module> heldByFile(std::string_view type, const std::string& path) const;

    Parts m_parts;
    ImportReport& m_report;
    std::map<const Object*, std::shared_ptr<Module>> m_built;
};

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/torchscript/import_options.h"
#include "core/torchscript/importing/constant_attributes.h"
#include "core/torchscript/leaf_modules.h"
#include "core/torchscript/torchscript.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fx::script {

/// The graph of a method for display only, whatever the method does: each node of the script is a node of the graph, in
/// the module that runs it. Calls of modules are followed, but those of torch.nn stay calls. An attribute that a
/// script assigns to is read and written where the script does so. The nodes of branches and loops are in separate
/// groups (their module stack), and a call after them takes their results:
///
///     if self.last != rate:           get = prim.GetAttr('last');  ne = aten.ne(get, rate)
///         self.state = zeros(2)       zeros = aten.zeros(2);  set_state = prim.SetAttr('state', zeros)
///     y = self.net(x)                 if_1 = prim.If(ne, (), ());  net = self.net(x)
///
/// Here the second line is in the group "if_0_then".
class InsideGraph {
public:
    /// Keeps references to all arguments. Counts modules of torch.nn in `report`.
    InsideGraph(const Program& program, const Object& root, LeafModules& leaves, ConstantAttributes& constants,
                ImportReport& report, const Progress& progress);

    /// Returns the graph of a method of the file's module, without a module tree. Throws Unsupported if the script is
    /// too large or nested too deeply.
    std::shared_ptr<GraphModule> make(const Method& method);
    /// Objects of C++ classes that the graph reads, with their paths.
    const std::map<const Object*, std::string>& objects() const { return m_objects; }

private:
    /// A value of the script: an argument, a module or another object of the file, or a function.
    struct Held {
        Argument value;
        const Object* object = nullptr;
        std::string path; ///< of `object`
        int function = -1;
    };
    /// A call that is followed.
    struct Frame {
        const Method& method;
        std::string path; ///< of the module that has the method
        std::vector<ModuleFrame> stack;
        std::vector<Held> values = std::vector<Held>(method.values.size());
    };

    void findChanges(const Method& method);
    void follow(Frame& frame, const Block& block);
    void follow(Frame& frame, const Node& node);
    void countSteps(std::size_t count);
    void constant(Frame& frame, const Node& node);
    const Class* classOf(const Frame& frame, std::uint32_t value) const;
    void getAttribute(Frame& frame, const Node& node);
    void setAttribute(Frame& frame, const Node& node);
    bool construct(Frame& frame, const Node& node);
    bool callMethod(Frame& frame, const Node& node);
    bool callLeaf(Frame& frame, const Node& node, const Held& self, const Method& method);
    void enter(Frame& frame, const Node& node, const Method& method, std::size_t skipped, const Held* self);
    void followBlocks(Frame& frame, const Node& node, std::vector<Argument>& args);
    void record(Frame& frame, const Node& node);

    Argument argument(const Frame& frame, std::uint32_t value) const;
    std::vector<Argument> arguments(const Frame& frame, const Node& node, std::size_t skipped = 0) const;
    void finish(const Frame& frame, const Node& node, NodeId id);
    void bind(Frame& frame, const Node& node, NodeId id);
    static std::string nameFor(const Frame& frame, const Node& node);

    const Program& m_program;
    const Object& m_root;
    LeafModules& m_leaves;
    ConstantAttributes& m_constants;
    ImportReport& m_report;
    const Progress& m_progress;
    std::set<std::pair<const Class*, std::string>> m_assigned;   ///< attributes that a script assigns to
    std::set<std::pair<const Method*, std::uint32_t>> m_changed; ///< lists and dicts that change
    std::map<const Object*, std::string> m_objects;
    std::set<const Object*> m_counted;     ///< modules that are in the report
    std::shared_ptr<GraphModule> m_module; ///< under construction
    std::size_t m_steps = 0;
    int m_blocks = 0; ///< branches and loops so far
    int m_depth = 0;  ///< of nested calls and blocks
};

/// Returns `InsideGraph` with the module tree of the file. Throws Unsupported as `InsideGraph::make`, also for an
/// unknown method.
std::shared_ptr<GraphModule> insideOf(const Program& program, const Object& root, const std::string& method,
                                      const ImportOptions& options, ImportReport& report, const Progress& progress);

} // namespace fx::script

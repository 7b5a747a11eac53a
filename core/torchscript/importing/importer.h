// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/import_options.h"
#include "core/torchscript/importing/block_registry.h"
#include "core/torchscript/importing/call_frame.h"
#include "core/torchscript/importing/constant_attributes.h"
#include "core/torchscript/importing/graph_recorder.h"
#include "core/torchscript/importing/method_inputs.h"
#include "core/torchscript/importing/operator_recorder.h"
#include "core/torchscript/leaf_modules.h"
#include "core/torchscript/torchscript.h"

namespace fx::script {

/// Interprets a method of a script and records a graph. It enters module calls unless they are leaves of torch.nn,
/// computes known values, tracks lists, and records each remaining operator as a node.
///
///     %3 : Tensor = prim::CallMethod[name="forward"](%conv, %x)     conv = self.conv(x)
///     %5 : int = aten::size(%3, %zero)                              size = conv.size(0)
///     %7 : int[] = prim::ListConstruct(%5, %minus)                  (no node: [size, -1])
///     %8 : Tensor = aten::view(%3, %7)                              view = aten.view.default(conv, [size, -1])
///
/// A part that a graph cannot express (branches on values, loops, unknown attributes) becomes one call of a module that
/// holds it as text (`BlockText`).
class Importer {
public:
    /// Keeps references to all arguments, which must outlive the importer.
    Importer(const Program& program, const Object& root, const ImportOptions& options, const Progress& progress);

    /// Returns the graph of a method of the file's module. Throws Error{Refused} with the reason if no graph is
    /// possible, and Error{Usage} if `options.fixed` contains an unknown input or an invalid value.
    std::shared_ptr<GraphModule> import(const std::string& method);
    /// Inputs with default values that alone decide branches of the last import, with these defaults. Fixing them
    /// leaves fewer branches.
    const Kwargs& deciding() const { return m_inputs.deciding(); }
    /// Statistics of the last import.
    const ImportReport& report() const { return m_report; }

private:
    /// The state before a part of the script that may turn out to be unsupported.
    struct Mark {
        Graph graph;
        MutableValues::Mark mutables;
    };
    Mark mark() const { return {m_module->graph, m_mutables.mark()}; }
    void rollBack(const Mark& mark);
    void finishModule();
    void countInBlocks(const std::set<std::string>& used);

    // ── calls (importer.cpp) ──
    void callMethod(CallFrame& frame, const Node& node);
    void callFunction(CallFrame& frame, const Node& node);
    std::vector<std::string> ownTensors(const CallFrame& frame, const Node& node, const Symbol& self) const;
    bool callLeaf(CallFrame& frame, const Node& node, const Symbol& self, const Method& method);
    std::vector<Symbol> enter(const CallFrame& caller, const Method& method, std::vector<Symbol> arguments,
                              const Object* self, const std::string& path);
    void bind(CallFrame& frame, const Node& node, std::vector<Symbol> results);

    // ── following (importer_nodes.cpp) ──
    void follow(CallFrame& frame, const Block& block);
    void follow(CallFrame& frame, const Node& node);
    bool followPrim(CallFrame& frame, const Node& node);
    bool numberAsTensor(CallFrame& frame, const Node& node);
    void constant(CallFrame& frame, const Node& node);
    void getAttribute(CallFrame& frame, const Node& node);
    void setAttribute(CallFrame& frame, const Node& node);
    bool isWritten(const Symbol& symbol, const std::string& path) const;
    void noteMode(const Object& object, const std::string& path, const std::string& attribute);
    void createObject(CallFrame& frame, const Node& node);
    const Class* classOf(const Symbol& symbol) const;
    std::size_t attributeIndex(const Symbol& instance, const std::string& name) const;
    bool context(CallFrame& frame, const Node& node);
    void construct(CallFrame& frame, const Node& node, Symbol::Is kind);
    void unpack(CallFrame& frame, const Node& node);
    bool element(CallFrame& frame, const Node& node);
    bool mutate(CallFrame& frame, const Node& node);
    bool isInstance(CallFrame& frame, const Node& node);
    bool isNoneOrNot(CallFrame& frame, const Node& node);
    void record(CallFrame& frame, const Node& node);

    // ── what modules keep (kept_values.cpp) ──
    bool isCache(const CallFrame& frame, std::uint32_t id, const std::set<std::string>& kept);
    bool isCache(const CallFrame& frame, const Node& assignment, const Object& holder, const std::string& path);

    // ── control flow (importer_flow.cpp) ──
    void branch(CallFrame& frame, const Node& node);
    void loop(CallFrame& frame, const Node& node);
    bool unroll(CallFrame& frame, const Node& node);
    void fork(CallFrame& frame, const Node& node);
    void pass(CallFrame& frame, const Node& node);
    void keepAsBlock(CallFrame& frame, const Node& node);
    void keepInstead(CallFrame& frame, const Node& node, const Message& why);
    void keepChange(CallFrame& frame, const Node& node);
    std::vector<Symbol> keep(CallFrame& frame, const Node& node, const std::vector<std::uint32_t>& outputs);
    bool callBlock(CallFrame& frame, const Node& node, const Symbol& self, const Method& method);
    std::vector<Argument> inputsOf(const CallFrame& frame, const BlockText& block);
    BlockText newBlock();
    void keepWhole(CallFrame& frame);
    void keepFile(CallFrame& frame, const Message& reason);

    const Program& m_program;
    const Object& m_root;
    const ImportOptions& m_options;
    LeafModules m_leaves;
    std::shared_ptr<GraphModule> m_module;
    ImportReport m_report;
    MutableValues m_mutables;
    ConstantAttributes m_constants;
    GraphRecorder m_recorder;
    OperatorRecorder m_operators;
    MethodInputs m_inputs;
    BlockRegistry m_blocks;
    std::set<const Object*> m_counted; ///< modules that are already in the report
};

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/torchscript/leaf_modules.h"
#include "core/io/torchscript/symbol.h"
#include "core/io/torchscript/torchscript.h"
#include "core/module/graph_module.h"

#include <map>
#include <set>
#include <unordered_map>

namespace fx::script {

/// How a method becomes a graph.
struct ImportOptions {
    bool leafModules = true; ///< modules of torch.nn stay modules
    Kwargs fixed = {};       ///< values of inputs, torch.fx `concrete_args`; `phArgument()`: given, so not None
    std::string path = {};   ///< of the file, absolute: a run takes objects of C++ classes from it
    std::string digest = {}; ///< its `contentDigest`
};

class BlockText;

/// Follows a method of a script and records a graph: module calls are entered unless they are leaves of torch.nn, what
/// is known is computed, lists are followed, and each operator that is left becomes a node.
///
///     %3 : Tensor = prim::CallMethod[name="forward"](%conv, %x)     conv = self.conv(x)
///     %5 : int = aten::size(%3, %zero)                              size = conv.size(0)
///     %7 : int[] = prim::ListConstruct(%5, %minus)                  (no node: [size, -1])
///     %8 : Tensor = aten::view(%3, %7)                              view = torch.ops.aten.view.default(conv, [size,
///     -1])
///
/// A part that a graph cannot express (branches on values, loops, unknown attributes) is recorded as one call of a
/// module that holds it as text (`BlockText`).
class Importer {
public:
    Importer(const Program& program, const Object& root, const ImportOptions& options, const Progress& progress);

    /// The graph of a method of the file's module. Throws Error{Refused} with the reason if none can be made, and
    /// Error{Usage} if `options.fixed` names no input or a value that it cannot have.
    std::shared_ptr<GraphModule> import(const std::string& method);
    /// Inputs that are left out by default and that alone decide branches of the last import, with their defaults. With
    /// these fixed, fewer branches are left.
    const Kwargs& deciding() const { return m_deciding; }
    const ImportReport& report() const { return m_report; }

private:
    friend class BlockText;
    /// One call that is being followed.
    struct Frame {
        const Method& method;
        std::vector<Symbol> values;
        std::string path;             ///< of the module whose method it is
        const Object* self = nullptr; ///< null in functions
        std::shared_ptr<const std::vector<ModuleFrame>> stack;
        int depth = 0;
    };

    /// What one list or dict was before it was changed: its size and the item that another took the place of, or all of
    /// it.
    struct Change {
        std::shared_ptr<std::vector<Symbol>> items;
        std::size_t size;
        std::optional<std::pair<std::size_t, Symbol>> old;
        std::optional<std::vector<Symbol>> all = {};
    };
    struct Mark {
        Graph graph;
        std::size_t changes;
        std::map<Identity, Symbol> changed;
        std::map<std::pair<const Object*, std::string>, Symbol> set;
        std::set<Identity> given, shared;
    };

    // ── following (importer_nodes.cpp) ──
    void follow(Frame& frame, const Block& block);
    void follow(Frame& frame, const Node& node);
    bool followPrim(Frame& frame, const Node& node);
    void constant(Frame& frame, const Node& node);
    void getAttribute(Frame& frame, const Node& node);
    void createObject(Frame& frame, const Node& node);
    bool context(Frame& frame, const Node& node);
    bool isWritten(const Symbol& symbol, const std::string& path) const;
    void setAttribute(Frame& frame, const Node& node);
    Symbol& attributeOf(const Symbol& instance, const std::string& name) const;
    const Class* classOf(const Symbol& symbol) const;
    void construct(Frame& frame, const Node& node, Symbol::Is kind);
    void unpack(Frame& frame, const Node& node);
    bool element(Frame& frame, const Node& node);
    bool newDict(Frame& frame, const Node& node);
    bool dictView(Frame& frame, const Node& node);
    bool contains(Frame& frame, const Node& node);
    bool concatenation(Frame& frame, const Node& node);
    bool range(Frame& frame, const Node& node);
    bool isInstance(Frame& frame, const Node& node);
    bool isNoneOrNot(Frame& frame, const Node& node);
    bool listMethod(Frame& frame, const Node& node);
    bool rearrange(Frame& frame, const Node& node, const Symbol& list);
    void setEntry(const Symbol& dict, const Symbol& key, const Symbol& item);
    Symbol containerOf(const Object& object, const std::string& name, const Argument& literal);
    Symbol part(const Symbol& whole, std::int64_t index, bool maybeNone);

    // ── calls (importer.cpp) ──
    void callMethod(Frame& frame, const Node& node);
    void callFunction(Frame& frame, const Node& node);
    std::vector<std::string> ownTensors(const Frame& frame, const Node& node, const Symbol& self) const;
    bool callLeaf(Frame& frame, const Node& node, const Symbol& self, const Method& method);
    std::vector<Symbol> enter(const Frame& caller, const Method& method, std::vector<Symbol> arguments,
                              const Object* self, const std::string& path);
    void bind(Frame& frame, const Node& node, std::vector<Symbol> results);
    void makeInputs(Frame& frame);
    Symbol inputSymbol(Frame& frame, std::size_t place, bool mayHaveDefault);
    void guard(NodeId input, const std::string& name, const Argument& value);
    const Argument* fixedValue(std::string_view name) const;
    std::shared_ptr<Module> build(const Object& object, const std::string& path);
    std::shared_ptr<Module> uncalledLeaf(const Object& object);
    void addBlocks(Module& module, const Object& object);
    void countInBlocks();
    void addPlainFields(Module& module, const Object& object, const std::string& path);
    void addLiteral(Module& module, const std::string& name, const Argument* literal, const std::string& path);
    void noteMode(const Object& object, const std::string& path, const std::string& attribute);
    std::shared_ptr<Module> heldByFile(std::string_view type, const std::string& path) const;
    void addTorchBind(Module& module, const std::string& name, const Object& object, const std::string& path);
    void dropUnused();

    // ── operators (importer_operators.cpp) ──
    void record(Frame& frame, const Node& node);
    bool sizeOfConstant(Frame& frame, const Node& node);
    bool recordNumbers(Frame& frame, const Node& node);
    std::string_view numberedType(const Argument& value) const;
    bool nameNumbers(std::string_view function, std::vector<Argument>& args) const;
    Argument asInScript(const Frame& frame, const Argument& value);
    bool recordIdentity(Frame& frame, const Node& node);
    bool recordOperator(Frame& frame, const Node& node);
    bool recordForeign(Frame& frame, const Node& node);
    bool recordScriptOnly(Frame& frame, const Node& node);
    Symbol call(Frame& frame, const Node& node, std::string_view function, std::vector<Argument> args,
                Kwargs kwargs = {});
    Symbol callTensorMethod(Frame& frame, const Node& node, std::string name, std::vector<Argument> args);
    void results(Frame& frame, const Node& node, const Symbol& result);

    // ── control flow (importer_flow.cpp) ──
    void branch(Frame& frame, const Node& node);
    void loop(Frame& frame, const Node& node);
    void fork(Frame& frame, const Node& node);
    void pass(Frame& frame, const Node& node);
    bool unroll(Frame& frame, const Node& node);
    void keepAsBlock(Frame& frame, const Node& node);
    void keepInstead(Frame& frame, const Node& node, const Message& why);
    void keepChange(Frame& frame, const Node& node);
    bool callBlock(Frame& frame, const Node& node, const Symbol& self, const Method& method);
    std::vector<Symbol> keep(Frame& frame, const Node& node, const std::vector<std::uint32_t>& outputs);
    void checkChanges(const BlockText& block) const;
    void noteShared(const BlockText& block);
    BlockText newBlock();
    void keepWhole(Frame& frame);
    void keepFile(Frame& frame, const Message& reason);
    void noteDeciding(const Symbol& condition);

    // ── attempts ──
    Mark mark() const { return {m_module->graph, m_changes.size(), m_changed, m_set, m_given, m_shared}; }
    void rollBack(const Mark& mark);
    void beforeChange(const Symbol& container, std::optional<std::size_t> index = std::nullopt);
    void beforeMoves(const Symbol& list);

    // ── nodes ──
    Argument tensorArgument(const Frame& frame, const Symbol& symbol);
    Argument argument(const Frame& frame, const Symbol& symbol);
    NodeId attributeNode(const Frame& frame, const std::string& path);
    NodeId finish(const Frame& frame, const Node* node, NodeId id);
    std::string_view nameFor(const Frame& frame, const Node& node) const;
    std::string addBlock(const Frame& frame, std::string name, std::string text);
    std::string constantPath(std::int32_t constant);
    std::string constantPath(const TensorPtr& tensor);
    TensorPtr tensorAt(const std::string& path) const;
    std::optional<Argument> numberAt(const std::string& path) const; ///< of a constant tensor without dimensions
    Symbol& slot(Frame& frame, std::uint32_t id) { return frame.values[id]; } ///< to set a value
    const Symbol& current(const Symbol& symbol) const;
    const Symbol& value(const Frame& frame, std::uint32_t id) const;
    const Kind& kindOf(const Node& node) const { return m_program.kindOf(node); }
    const Type& typeOf(const Frame& frame, std::uint32_t id) const { return m_program.typeOf(frame.method, id); }
    std::string sourceOf(const Node& node) const;
    void countNode();

    const Program& m_program;
    const Object& m_root;
    const Progress& m_progress;
    LeafModules m_leaves;
    const ImportOptions& m_options;
    Kwargs m_deciding;
    NodeId m_lastInput = kNoNode; ///< or the check of its value
    std::shared_ptr<GraphModule> m_module;
    ImportReport m_report;
    std::map<std::string, NodeId> m_attributes;                ///< get_attr nodes, if they still are
    std::map<std::pair<NodeId, std::int64_t>, NodeId> m_parts; ///< getitem nodes, likewise
    std::map<const Object*, std::vector<std::pair<std::string, Module::Child>>>
        m_blocks; ///< with their paths, by the module that runs them
    std::map<const Object*, std::pair<std::string, std::shared_ptr<Module>>>
        m_ownBlocks; ///< objects of the file that are blocks, with their paths
    std::map<std::string, std::set<const Object*>>
        m_blockLeaves;                  ///< of torch.nn, by the path of the block that runs them
    std::set<std::string> m_pureBlocks; ///< paths of those that can be left out where nothing uses them
    std::map<const Object*, std::shared_ptr<Module>> m_built;
    std::map<const Object*, std::string> m_objects; ///< of C++ classes, with their paths, that the graph reads
    std::vector<std::pair<std::string, TensorPtr>> m_constants; ///< on the root
    std::map<std::int32_t, std::string> m_constantPaths;
    std::map<std::pair<const Object*, std::string>, Symbol> m_containers; ///< that are attributes
    std::vector<Change> m_changes;
    std::size_t m_kept = 0;      ///< items of whole lists in m_changes
    std::set<Identity> m_given;  ///< lists and dicts that blocks gave back: nothing else holds them
    std::set<Identity> m_shared; ///< that a block may have given another name: they must not change
    std::map<std::pair<const Object*, std::string>, Symbol> m_set; ///< lists of tensors that are attributes, as set
    std::map<Identity, Symbol> m_changed; ///< lists and dicts that blocks changed, as they are after the last one
    std::set<std::pair<const Object*, std::string>> m_counted; ///< for the report
    std::set<std::string> m_used; ///< paths of modules and tensors that the graph calls and reads
    std::size_t m_followed = 0;
};

} // namespace fx::script

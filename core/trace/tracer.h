// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/trace/constants/load_time_writes.h"
#include "core/trace/module_index.h"
#include "core/trace/tracer_classes.h"

#include <string_view>

namespace fx::trace {

/// Records what code does to proxies as the nodes of a graph: torch.fx `Tracer` and `Proxy` with every module a leaf.
///
/// There are two modes. `Mode::AsPython` behaves like PyTorch's tracer and throws PythonError where it would raise.
/// `Mode::AsWritten` keeps each statement as the node that it was generated from, under its assigned name, for code
/// that PyTorch itself cannot load.
class Tracer {
public:
    enum class Mode : std::uint8_t { AsPython, AsWritten };

    Tracer(Graph& graph, ModuleIndex& modules, Mode mode) : m_graph(graph), m_modules(modules), m_mode(mode) {}

    Mode mode() const { return m_mode; }
    void setMode(Mode mode) { m_mode = mode; }
    /// The class of PyTorch's tracer to behave like in Mode::AsPython.
    void setClass(const TracerClass& behaves) { m_class = behaves; }
    /// For code written by a user: every tensor of a module is recorded when it is read (torch.fx
    /// `proxy_buffer_attributes`), and unknown paths of a module are kept.
    void setLenient(bool lenient) { m_lenient = lenient; }
    /// Declares that `node` is the get_attr of this path, which reading the path returns.
    void knowAttribute(const std::string& path, NodeId node) { m_parameterNodes.insert_or_assign(path, node); }
    /// Whether reading a tensor of a module always creates a new node.
    void setReadsAgain(bool again) { m_readsAgain = again; }
    Graph& graph() { return m_graph; }
    ModuleIndex& modules() { return m_modules; }
    /// The name of the next node (Mode::AsWritten); if empty, the usual name.
    void wishName(std::string_view name) { m_wish = m_mode == Mode::AsWritten ? name : std::string_view{}; }
    /// What is computed with constants from now on is the watch's, which must outlive the tracer; null: nobody's.
    void setConstantWatch(ConstantWatch* watch) { m_watch = watch; }
    /// A node that is about to be recorded, and what records it instead of the tracer (an overridden `create_node`).
    struct NewNode {
        Op op;
        std::string target;
        CallablePtr callable; ///< of a call_function
        std::vector<Argument> args;
        Kwargs kwargs;
        TypePtr type;
    };
    using Creator = std::function<NodeId(NewNode node)>;
    void setCreator(Creator creator) { m_creator = std::move(creator); }
    /// Warnings of the trace; the caller fills in `where`.
    Warnings warnings;

    // Operations on values, in Python's terms. ────────────────────────────────────────────────────────────────
    Value attribute(const Value& object, std::string_view name);
    Value call(const Value& callee, Values args, KeywordValues kwargs);
    /// `args[0].name(args[1:])` of a proxy.
    Value callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs);
    /// `op` is the name in the operator module: "add", "floordiv", "eq", "contains"...
    Value binary(std::string_view op, const Value& left, const Value& right);
    /// `left op= right`, which changes tensors in place and replaces other values.
    Value inPlace(std::string_view op, const Value& left, const Value& right);
    Value unary(std::string_view op, const Value& operand);
    Value subscript(const Value& object, const Value& key);
    /// The truth of a value; PythonError for proxies.
    bool truth(const Value& value);
    /// The `count` values of `a, b = value`.
    Values unpack(const Value& value, std::size_t count);

    // Recording ───────────────────────────────────────────────────────────────────────────────────────────────
    /// The result of a call whose operands are all constants.
    Value computeFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    /// Tensors of the model that the code has written to.
    const std::vector<TensorPtr>& writtenTensors() const { return m_writes.ofModel(); }
    /// torch.fx `create_arg`: records get_attr nodes for tensors and modules.
    Argument toArgument(const Value& value);
    Value recordFunction(const CallablePtr& callable, const Values& args, const KeywordValues& kwargs,
                         bool wrapped = false);
    Value recordMethod(const std::string& name, const Values& args, const KeywordValues& kwargs);
    Value recordModule(const std::string& path, const Values& args, const KeywordValues& kwargs);
    Value recordAttribute(const std::string& path);
    Value placeholder(const std::string& name, const std::optional<Value>& defaultValue, TypePtr type);
    void output(const Value& value, TypePtr type);

private:
    NodeId created(NewNode node, std::string_view wish);
    NodeId materialise(LazyAttribute& attribute);
    Value runGraph(const Graph& graph, const ModuleValue& self, const Values& args, const KeywordValues& kwargs);
    Value callModule(const ModuleValue& module, const Values& args, const KeywordValues& kwargs);
    /// The get_attr of a tensor or module that is met as an argument.
    Argument recordRead(const std::string& path);
    std::optional<Value> higherOrderCall(const Callable& callable, const Values& args, const KeywordValues& kwargs);
    Argument convert(const Value& value, int depth);
    const Argument& checkedArgument(const Argument& argument) const;
    Argument functionArgument(const Callable& callable) const;
    Argument tensorArgument(const TensorPtr& tensor);
    Argument constructionArgument(const Construction& made, int depth);
    std::vector<Argument> toArguments(const Values& values);
    Kwargs toKwargs(const KeywordValues& kwargs);
    Value moduleMember(const ModuleValue& object, std::string_view name);
    std::shared_ptr<const std::string> readOf(const TensorRef& tensor, const ModuleValue& holder,
                                              std::string_view name) const;
    /// The dotted path of a chain of attributes that starts at a module without them.
    std::optional<std::string> missingPath(const LazyAttribute& attribute) const;
    Value namespaceMember(const std::string& path, std::string_view name);
    Value computeMethod(const TensorValue& self, const std::string& name, const Values& args,
                        const KeywordValues& kwargs);
    Value computeOperator(std::string_view op, const Value& left, const Value& right);
    Value computed(const ConstantCall& call, const std::function<Value()>& guess) {
        return m_watch ? m_watch->computed(call, guess) : m_writes.follow(call, guess());
    }
    Value methodOnTensor(const BoundMethod& method, Values args, KeywordValues kwargs);
    /// `evaluate()`; Mode::AsWritten: `record()` for values that cannot be evaluated.
    template<class Evaluate, class Record> Value evaluateOrRecord(Evaluate evaluate, Record record) {
        if (m_mode == Mode::AsPython) return evaluate();
        try {
            return evaluate();
        } catch (const PythonError&) {
        } catch (const CannotFollow&) {}
        return record();
    }
    std::string takeWish() { return std::string(std::exchange(m_wish, {})); }
    const CallablePtr& operatorCallable(std::string_view name);

    Graph& m_graph;
    ModuleIndex& m_modules;
    Mode m_mode;
    TracerClass m_class;
    bool m_lenient = false, m_readsAgain = false;
    static constexpr int kMaxInlined = 64;
    int m_inlined = 0; ///< depth of graphs that are traced through
    std::string_view m_wish;
    std::unordered_map<std::string, NodeId> m_parameterNodes;
    std::unordered_map<std::string_view, CallablePtr> m_operators;
    CallablePtr m_getattr;
    LoadTimeWrites m_writes;
    ConstantWatch* m_watch = nullptr;
    Creator m_creator;
    std::size_t m_budget = 0; ///< values converted for the current node
};

/// The value of a dotted Python path: "torch.nn", "torch.relu", "torch.float32", "math.inf".
Value resolveName(const std::string& path);

} // namespace fx::trace

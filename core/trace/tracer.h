// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/gradients.h"
#include "core/trace/constants/load_time_writes.h"
#include "core/trace/module_index.h"
#include "core/trace/tracer_classes.h"

#include <string_view>

namespace fx::trace {

/// Records the operations of code on proxies as nodes of a graph: torch.fx `Tracer` and `Proxy` with every module a
/// leaf.
///
/// `Mode::AsPython` behaves like PyTorch's tracer and throws PythonError where it raises. `Mode::AsWritten` keeps each
/// statement as the node that it was generated from, under its assigned name, for code that PyTorch cannot load.
class Tracer {
public:
    /// The mode of recording; see above.
    enum class Mode : std::uint8_t { AsPython, AsWritten };

    Tracer(Graph& graph, ModuleIndex& modules, Mode mode) : m_graph(graph), m_modules(modules), m_mode(mode) {}

    Mode mode() const { return m_mode; } ///< mode of recording
    void setMode(Mode mode) { m_mode = mode; }
    /// Selects the class of PyTorch's tracer to imitate in Mode::AsPython.
    void setClass(const TracerClass& behaves) { m_class = behaves; }
    /// Enables rules for code written by a user: every read of a tensor of a module is recorded (torch.fx
    /// `proxy_buffer_attributes`), and unknown paths of a module are kept.
    void setLenient(bool lenient) { m_lenient = lenient; }
    /// Declares that nothing is traced: what would be recorded with a module or a parameter is refused with
    /// CannotFollow.
    void setOnlyComputes() { m_onlyComputes = true; }
    /// Declares that `node` is the get_attr of this path; reading the path returns it.
    void knowAttribute(const std::string& path, NodeId node) { m_parameterNodes.insert_or_assign(path, node); }
    /// Makes every read of a tensor of a module create a new node.
    void setReadsAgain(bool again) { m_readsAgain = again; }
    Graph& graph() { return m_graph; } ///< the graph being recorded
    /// Returns true if the node belongs to the graph being recorded.
    bool isOfGraph(NodeId node) const { return index(node) < m_graph.idLimit(); }
    ModuleIndex& modules() { return m_modules; } ///< the module tree
    /// Sets the name of the next node (Mode::AsWritten); empty for the usual name.
    void wishName(std::string_view name) { m_wish = m_mode == Mode::AsWritten ? name : std::string_view{}; }
    /// Passes computations with constants to `watch`, which must outlive the tracer; null only infers shapes.
    void setConstantWatch(ConstantWatch* watch) { m_watch = watch; }
    /// Sets the flags of autograd, which must outlive the tracer; null keeps none.
    void setGradients(Gradients* gradients) { m_gradients = gradients; }
    /// A node about to be recorded.
    struct NewNode {
        Op op;
        std::string target;
        CallablePtr callable; ///< set for a call_function
        std::vector<Argument> args;
        Kwargs kwargs;
        TypePtr type;
    };
    /// Records a node instead of the tracer, as an overridden `create_node` does.
    using Creator = std::function<NodeId(NewNode node)>;
    /// Sets the creator of nodes; an empty one restores the tracer's.
    void setCreator(Creator creator) { m_creator = std::move(creator); }
    /// Refuses calls of PyTorch's Python functions that Lancet does not know, rather than recording them as written.
    bool runsBodies = false;
    /// Records what is computed of constants and gives tensors, and changes in place, as Python does them at each call.
    bool recordsConstants = false;
    /// The warnings of the trace; the caller sets `where`.
    Warnings warnings;

    // Operations on values, in Python's terms. ────────────────────────────────────────────────────────────────
    /// Evaluates `object.name`.
    Value attribute(const Value& object, std::string_view name);
    /// Evaluates `callee(*args, **kwargs)`.
    Value call(const Value& callee, Values args, KeywordValues kwargs);
    /// Calls the method of a proxy: `args[0].name(args[1:])`.
    Value callMethod(std::string_view name, const Values& args, const KeywordValues& kwargs);
    /// Evaluates `left op right`. `op` is the name in the operator module: "add", "floordiv", "eq", "contains", ...
    Value binary(std::string_view op, const Value& left, const Value& right);
    /// Evaluates `left op= right`, which changes tensors in place and replaces other values.
    Value inPlace(std::string_view op, const Value& left, const Value& right);
    /// Evaluates a unary operator by its name in the operator module.
    Value unary(std::string_view op, const Value& operand);
    /// Evaluates `object[key]`.
    Value subscript(const Value& object, const Value& key);
    /// Returns the truth value; throws PythonError for proxies.
    bool truth(const Value& value);
    /// Returns the `count` values of `a, b = value`.
    Values unpack(const Value& value, std::size_t count);

    // Recording ───────────────────────────────────────────────────────────────────────────────────────────────
    /// Returns the result of a call whose operands are all constants.
    Value computeFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
    /// Returns the tensors that the code has written to, and whether it has drawn random numbers.
    const LoadTimeWrites& writes() const { return m_writes; }
    /// torch.fx `create_arg`: records get_attr nodes for tensors and modules.
    Argument toArgument(const Value& value);
    /// Records a call_function.
    Value recordFunction(const CallablePtr& callable, const Values& args, const KeywordValues& kwargs,
                         bool wrapped = false);
    /// Records a call_method.
    Value recordMethod(const std::string& name, const Values& args, const KeywordValues& kwargs);
    /// Records a call_module.
    Value recordModule(const std::string& path, const Values& args, const KeywordValues& kwargs);
    /// Records a get_attr.
    Value recordAttribute(const std::string& path);
    /// Records a placeholder.
    Value placeholder(const std::string& name, const std::optional<Value>& defaultValue, TypePtr type);
    /// Records the output.
    void output(const Value& value, TypePtr type);

private:
    NodeId created(NewNode node, std::string_view wish);
    NodeId materialise(LazyAttribute& attribute);
    NodeId nodeOf(NodeId node) const;
    void requireRecordable(const LazyAttribute& attribute) const;
    Value runGraph(const Graph& graph, const ModuleValue& self, const Values& args, const KeywordValues& kwargs);
    Value callModule(const ModuleValue& module, const Values& args, const KeywordValues& kwargs);
    /// Returns the get_attr of a tensor or module that is used as an argument.
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
    /// Returns the dotted path of a chain of attributes that starts at a module without them.
    std::optional<std::string> missingPath(const LazyAttribute& attribute) const;
    Value namespaceMember(const std::string& path, std::string_view name);
    Value computeMethod(const TensorValue& self, const std::string& name, const Values& args,
                        const KeywordValues& kwargs);
    Value computeOperator(std::string_view op, const Value& left, const Value& right);
    Value computed(const ConstantCall& call, const std::function<Value()>& guess) {
        if (m_gradients) m_gradients->check(call);
        requirePossible(call);
        if (recordsConstants) return recordedConstant(call, guess());
        Value result = m_watch ? m_watch->computed(call, guess) : m_writes.follow(call, guess());
        return m_gradients ? m_gradients->marked(call, std::move(result)) : result;
    }
    Value recordedConstant(const ConstantCall& call, const Value& guess);
    Value methodOnTensor(const BoundMethod& method, Values args, KeywordValues kwargs);
    Value recordOnConstant(const std::string& name, const Values& args, const KeywordValues& kwargs);
    /// Calls `evaluate()`; in Mode::AsWritten, `record()` if that fails.
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
    bool m_lenient = false, m_readsAgain = false, m_onlyComputes = false;
    static constexpr int kMaxInlined = 64;
    int m_inlined = 0; ///< depth of graphs being traced through
    std::string_view m_wish;
    std::unordered_map<std::string, NodeId> m_parameterNodes;
    std::unordered_map<std::string_view, CallablePtr> m_operators;
    CallablePtr m_getattr;
    LoadTimeWrites m_writes;
    ConstantWatch* m_watch = nullptr;
    Gradients* m_gradients = nullptr;
    Creator m_creator;
    std::size_t m_budget = 0; ///< values converted for the current node
};

/// Returns the value of a dotted Python path: "torch.nn", "torch.relu", "torch.float32", "math.inf".
Value resolveName(const std::string& path);

} // namespace fx::trace

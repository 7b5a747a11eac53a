// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/stepped_run.h"
#include "core/engine/verify/verify.h"

#include <ATen/core/Generator.h>

#include <unordered_map>
#include <unordered_set>

namespace fx::engine {

/// True for a placeholder that the caller provides; false for a lifted parameter, buffer or constant of an exported
/// program.
bool isUserInput(const GraphModule& model, const Node& node);
/// Returns the names of a model's user inputs with the values given by position or by name; null where none is given.
std::vector<std::pair<std::string, const Value*>> namedInputs(const GraphModule& model, const RunInputs& inputs);

/// Pairs the nodes of two models and records how their values differ.
class NodeTable {
public:
    /// Pairs the nodes as `part` does. Inputs, outputs, and calls of whole files without an equivalent call are not
    /// compared.
    NodeTable(const GraphModule& a, const GraphModule& b, const ChangedPart& part);
    /// Returns the node of B, or kNoNode for nodes that are not compared: inputs, the output, and nodes that only A
    /// has.
    NodeId counterpart(NodeId a) const { return m_counterpart[index(a)]; }
    /// Records the comparison of a node of A with its counterpart.
    void note(NodeId a, ValueDifference difference);
    /// Discards comparisons of nodes that were paired by position alone, with different names and different calls, if
    /// their values differ and all their users agree. Call it only if the models agree.
    void forgetMisplaced();
    /// Returns null if the values are equal bit for bit or were not compared.
    const ValueDifference* differenceOf(NodeId a) const { return m_differences[index(a)].get(); }
    /// True if the node was compared and differs by no more than rounding.
    bool agrees(NodeId a) const;
    /// Returns the first node, in the order of A, that differs beyond the tolerance. If the outputs differ too, returns
    /// the first node whose difference lasts until there. `believed` means that agreeing outputs are evidence.
    std::optional<NodeDifference> first(bool outputsClose, bool believed) const;
    /// Writes the counts and errors of all compared nodes to a report.
    void report(VerifyReport& report) const;

private:
    std::vector<bool> lastingNodes(bool outputDiffers) const;
    bool usersAgree(const Graph& graph, NodeId node, bool inB) const;

    const GraphModule& m_a;
    const GraphModule& m_b;
    std::vector<NodeId> m_counterpart, m_ofB;                    ///< by node id of A, and of B
    std::vector<std::unique_ptr<ValueDifference>> m_differences; ///< null: equal or not compared
    std::vector<bool> m_compared;
};

/// Returns the largest error, relative to the scale of the value, that rounding explains: 100 times the relative
/// tolerance of the type, at most 0.1. Quantised values may differ by a step.
double mostOfRounding(const ValueDifference& difference);
/// True if an error exceeds `mostOfRounding`.
bool isGross(const ValueDifference& difference);

/// Runs two models in turns and compares their nodes; see `verify`. Each model has a separate state of the random
/// generator.
class LockstepRun {
public:
    /// Receives each node of a model with its value, before a later node changes that value in place.
    using Watch = std::function<void(const Node& node, const Value& value)>;
    /// Prepares both runs from the current state of the random generator. The sides and `options` must outlive this.
    LockstepRun(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part);
    ~LockstepRun();

    /// Runs both models; call it once. If B fails, A runs to its end first, since an error of A takes precedence.
    /// Throws Error{Run}.
    void run(const Watch& watch, const Watch& watchB = {});
    /// Returns the output of A after `finish`.
    Value outputA() const;
    /// Returns the output of B after `finish`.
    Value outputB() const;
    /// Returns the comparisons of the nodes.
    const NodeTable& table() const { return m_table; }
    /// Returns them for changes.
    NodeTable& table() { return m_table; }
    /// Returns the nodes of a model whose values were in MKL-DNN layout. Values that replace them need this layout,
    /// too.
    const std::unordered_set<NodeId>& inMkldnn(bool inB) const;
    /// Returns the interpreter of A, for further runs.
    Interpreter& interpreterA();
    /// Returns the interpreter of B, for further runs.
    Interpreter& interpreterB();
    /// Returns the time that the nodes of A took.
    double millisA() const;
    /// Returns the time that the nodes of B took.
    double millisB() const;

private:
    class Runner;
    void runBoth(const Watch& watch);
    const Value& valueOfB(NodeId wanted);
    const Node* nextOfB();
    /// Compares the current value of A with that of B. Throws Error{Run} with the node.
    ValueDifference difference(const Node& node, const Value& valueOfB);

    const VerifyOptions& m_options;
    at::Generator m_generator;
    NodeTable m_table;
    std::unique_ptr<Runner> m_a, m_b;
    const Runner* m_active = nullptr;
    Watch m_watchB;
    std::vector<bool> m_isWanted;                ///< by node id of B: it has a counterpart
    std::unordered_map<NodeId, Value> m_waiting; ///< by node of B: values that A has not reached yet
    const Value m_nothing;
};

} // namespace fx::engine

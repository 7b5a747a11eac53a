// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/changed_part.h"
#include "core/engine/stepped_run.h"
#include "core/engine/verify/verify.h"

#include <ATen/core/Generator.h>

#include <unordered_map>
#include <unordered_set>

namespace fx::engine {

/// A placeholder that the caller gives a value: no parameter, buffer or constant of an exported program.
bool isUserInput(const GraphModule& model, const Node& node);

/// What became of the nodes that both models have.
class NodeTable {
public:
    NodeTable(const GraphModule& a, const GraphModule& b, const ChangedPart& part);
    /// kNoNode for those that are not compared: inputs, the output, and what only A has.
    NodeId counterpart(NodeId a) const { return m_counterpart[index(a)]; }
    void note(NodeId a, ValueDifference difference);
    /// For models that agree. Nodes that do other things under other names were paired by their place alone:
    /// where their values differ and what uses them agrees, they are no counterparts, and were not compared.
    void forgetMisplaced();
    /// Null when the values are equal bit for bit or were not compared.
    const ValueDifference* differenceOf(NodeId a) const { return m_differences[index(a)].get(); }
    /// Whether it was compared and agrees, but for rounding.
    bool agrees(NodeId a) const;
    /// The first node in the order of A that differs beyond the tolerance; when the outputs do so too, one whose
    /// difference lasts until there. `believed`: that the outputs agree, says something.
    std::optional<NodeDifference> first(bool outputsClose, bool believed) const;
    void report(VerifyReport& report) const;

private:
    std::vector<bool> lastingNodes(bool outputDiffers) const;
    bool usersAgree(const Graph& graph, NodeId node, bool inB) const;

    const GraphModule& m_a;
    const GraphModule& m_b;
    std::vector<NodeId> m_counterpart, m_ofB;                    ///< by node id of A; of B
    std::vector<std::unique_ptr<ValueDifference>> m_differences; ///< null: equal or not compared
    std::vector<bool> m_compared;
};

/// What rounding may make of an error, against the scale of the value: 100 times the relative tolerance of the type.
double mostOfRounding(const ValueDifference& difference);
/// Whether an error is more than rounding.
bool isGross(const ValueDifference& difference);

/// Two runs that take turns; see `verify`.
class Race {
public:
    /// Sees each node of a model, with its value as long as nothing has changed it.
    using Watch = std::function<void(const Node& node, const Value& value)>;
    Race(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const ChangedPart& part);
    ~Race();

    /// If B fails, A runs to its end: what it throws itself comes first.
    void run(const Watch& watch, const Watch& watchB = {});
    Value outputA() const;
    Value outputB() const;
    const NodeTable& table() const { return m_table; }
    NodeTable& table() { return m_table; }
    /// The nodes of a model that gave values in MKL-DNN layout: other values in their place must have it, too.
    const std::unordered_set<NodeId>& inMkldnn(bool inB) const;
    Interpreter& interpreterA();
    Interpreter& interpreterB();
    double millisA() const;
    double millisB() const;

private:
    class Runner;
    void runBoth(const Watch& watch);
    const Value& valueOfB(NodeId wanted);
    const Node* nextOfB();

    const VerifyOptions& m_options;
    at::Generator m_generator;
    NodeTable m_table;
    std::unique_ptr<Runner> m_a, m_b;
    const Runner* m_active = nullptr;
    Watch m_watchB;
    std::vector<bool> m_isWanted;                ///< by node id of B
    std::unordered_map<NodeId, Value> m_waiting; ///< by node of B
    const Value m_nothing;
};

} // namespace fx::engine

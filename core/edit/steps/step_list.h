// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_writer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Arguments of a call; `graph` has the nodes among them.
struct StepCall {
    const Graph& graph;
    const std::vector<Argument>& args;
    const Kwargs& kwargs;
};

/// A module to create: its class and the settings of its constructor.
struct StepModule {
    std::string type; ///< "torch.nn.Conv2d"
    Kwargs settings;
};

/// Steps in the making, as the JSON array that `History::edited` and recipes take. Nodes are named as they are called
/// when the step is applied.
///
///     StepList().replaceUses("relu", "x").erase("relu").text()
///     [{"step": "replace_uses", "node": "relu", "with": "x"}, {"step": "erase", "node": "relu"}]
class StepList {
public:
    StepList() { m_json.beginArray(); }

    // ── nodes ──
    /// A call of `target` (or another operation) beside a node.
    struct Insertion {
        Op op = Op::CallFunction;
        std::string target;
        std::string name;               ///< empty: the usual one
        bool rewireUsers = false;       ///< the users of the node use the new one
        std::optional<StepModule> made; ///< the module that the call needs, if there is none
    };
    StepList& insertAfter(std::string_view node, const Insertion& what, const StepCall& call) {
        return insert("insert_after", node, what, call);
    }
    StepList& insertBefore(std::string_view node, const Insertion& what, const StepCall& call) {
        return insert("insert_before", node, what, call);
    }
    StepList& setTarget(std::string_view node, std::string_view target);
    StepList& setArgs(std::string_view node, const StepCall& call);
    /// The node of `graph` uses `from` wherever it uses `input`.
    StepList& setInput(const Graph& graph, NodeId node, NodeId input, NodeId from);
    StepList& rename(std::string_view node, std::string_view name);
    StepList& replaceUses(std::string_view node, std::string_view with);
    /// `replaceWith`: what the users of the node use instead; empty: it has none. `cascade`: also what only fed it.
    StepList& erase(std::string_view node, std::string_view replaceWith = {}, bool cascade = false);
    StepList& moveBefore(std::string_view node, std::string_view before);
    StepList& moveAfter(std::string_view node, std::string_view after);
    StepList& setOutput(const Graph& graph, const Argument& value);
    StepList& inlineModule(std::string_view node);
    /// The nodes of a saved GraphModule; `inputs`: what stands for its inputs.
    StepList& insertModel(std::string_view file, std::string_view after, const Graph& graph, const Kwargs& inputs);
    StepList& setCode(std::string_view code);
    StepList& deadCode();
    StepList& pass(std::string_view name);
    /// A pipeline: a JSON object with its passes. `result`: a kept one, as JSON, and the file of its tensors; empty:
    /// none.
    StepList& passes(std::string_view pipeline, std::string_view result = {}, std::string_view file = {});

    // ── modules ──
    StepList& addModule(std::string_view path, const StepModule& module);
    StepList& replaceModule(std::string_view path, const StepModule& module, bool keep);
    StepList& replaceModuleClass(std::string_view from, const StepModule& to, bool keep);
    StepList& deleteModule(std::string_view path);
    StepList& setTraining(std::string_view path, bool training);
    /// A parameter or buffer with the values of a file.
    StepList& setTensor(std::string_view path, std::string_view file);

    // ── quantisation ──
    struct Quantisation {
        std::string_view backend, mode, form; ///< in the words of `lancet quantize`
        std::string inputs, qconfig;          ///< a file with batches and rules as JSON; empty: none
        std::string of;                       ///< `quantisedOf` the model before
        std::string graph, file;              ///< the result, and the file of its weights
    };
    StepList& quantize(const Quantisation& what);

    // ── patterns ──
    struct PatternOptions {
        bool ignoreLiterals = false, commutative = false;
        std::vector<std::string> relax; ///< as proposed for near misses
        std::vector<std::string> only;  ///< names of anchors; empty: all matches
    };
    StepList& replacePattern(std::string_view pattern, std::string_view replacement, const PatternOptions& options);

    // ── partitions ──
    struct Partitioning {
        std::string rules;                                ///< what is supported, as the JSON of a rule file
        std::vector<std::vector<std::string>> assignment; ///< names of the nodes of each partition, instead of rules
        std::vector<std::string> nonCompute;              ///< with rules, as the next three
        bool allowSingle = false, noHorizontal = false, trimEnds = false;
        bool splits = false; ///< else fuses
    };
    StepList& partition(const Partitioning& what);

    /// A step with other keys: a finished JSON object.
    StepList& add(std::string_view json);
    /// The array with the steps so far.
    std::string text() const { return m_json.text() + "]"; }

private:
    StepList& insert(std::string_view step, std::string_view node, const Insertion& what, const StepCall& call);
    JsonWriter& begin(std::string_view step) { return m_json.beginObject().key("step").string(step); }
    StepList& end() { return m_json.endObject(), *this; }
    void write(const StepCall& call);
    void write(const char* key, const StepModule& module);
    void write(const char* key, const std::vector<std::string>& texts);

    JsonWriter m_json;
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/json/json_document.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

class JsonWriter;

/// Arguments of a call; nodes in them belong to `graph`.
struct StepCall {
    const Graph& graph;
    const std::vector<Argument>& args;
    const Kwargs& kwargs;
};

/// A module to create: its class and the settings of its constructor.
struct StepModule {
    std::string type; ///< "torch.nn.Conv2d"
    Kwargs settings;  ///< keyword arguments of the constructor
};

/// The steps of an edit or a recipe as values: JSON is only in files and on the command line (docs/cli/edit.md,
/// "Steps"). Steps name nodes by their names when the step is applied. Copies share the steps. The functions below
/// `add` append one step and return this list.
///
///     StepList().replaceUses("relu", "x").erase("relu").text()
///     [{"step": "replace_uses", "node": "relu", "with": "x"}, {"step": "erase", "node": "relu"}]
class StepList {
public:
    StepList() = default;
    /// The elements of an array of `document`. Throws Error{File} if it is not an array.
    StepList(const std::shared_ptr<const JsonDocument>& document, JsonValue array);
    /// Parses a JSON array. Throws Error{File}.
    static StepList parse(std::string json);
    /// Returns the JSON array.
    std::string text() const;

    std::size_t size() const { return m_steps.size(); } ///< number of steps
    /// A step; valid as long as this list or a copy of it.
    const JsonValue& operator[](std::size_t i) const { return m_steps[i]; }
    auto begin() const { return m_steps.begin(); } ///< the first step
    auto end() const { return m_steps.end(); }     ///< the end of the steps
    /// True if there is a step with this name: "quantize".
    bool has(std::string_view name) const;
    /// True if a step describes a module to create.
    bool createsModules() const;

    /// Appends a step of another list.
    StepList& add(const StepList& from, std::size_t i);
    /// Appends all steps of another list.
    StepList& add(const StepList& from);
    /// Appends a step, written as a JSON object.
    StepList& add(const JsonWriter& step);

    // ── nodes ──
    /// A new node next to an existing one.
    struct Insertion {
        Op op = Op::CallFunction;
        std::string target;             ///< function, method or module path
        std::string name;               ///< empty: derived from the target
        bool rewireUsers = false;       ///< users of the existing node use the new one
        std::optional<StepModule> made; ///< a module to create for the call; nullopt: it exists
    };
    /// Inserts a node after `node`.
    StepList& insertAfter(std::string_view node, const Insertion& what, const StepCall& call) {
        return insert("insert_after", node, what, call);
    }
    /// Inserts a node before `node`.
    StepList& insertBefore(std::string_view node, const Insertion& what, const StepCall& call) {
        return insert("insert_before", node, what, call);
    }
    /// Changes the target of a node.
    StepList& setTarget(std::string_view node, std::string_view target);
    /// Replaces the args and kwargs of a node.
    StepList& setArgs(std::string_view node, const StepCall& call);
    /// Replaces `input` by `from` in all arguments of a node of `graph`.
    StepList& setInput(const Graph& graph, NodeId node, NodeId input, NodeId from);
    /// Renames a node.
    StepList& rename(std::string_view node, std::string_view name);
    /// Makes the users of `node` use `with` instead.
    StepList& replaceUses(std::string_view node, std::string_view with);
    /// Erases a node. Its users use `replaceWith` instead; empty: there are no users. `cascade` also erases nodes that
    /// only it used.
    StepList& erase(std::string_view node, std::string_view replaceWith = {}, bool cascade = false);
    /// Moves a node before another.
    StepList& moveBefore(std::string_view node, std::string_view before);
    /// Moves a node after another.
    StepList& moveAfter(std::string_view node, std::string_view after);
    /// Sets the result of the graph.
    StepList& setOutput(const Graph& graph, const Argument& value);
    /// Replaces a call of a GraphModule by the nodes of that module.
    StepList& inlineModule(std::string_view node);
    /// Inserts the nodes of a saved GraphModule; `inputs` are the values of its inputs.
    StepList& insertModel(std::string_view file, std::string_view after, const Graph& graph, const Kwargs& inputs);
    /// Replaces the graph by edited code.
    StepList& setCode(std::string_view code);
    /// Runs the pass `dead_code`.
    StepList& deadCode();
    /// Runs a pass by name.
    StepList& pass(std::string_view name);
    /// Runs a pipeline, given as a JSON object. `result` is a stored result as JSON, and `file` has its tensors;
    /// empty: none.
    StepList& passes(std::string_view pipeline, std::string_view result = {}, std::string_view file = {});

    // ── modules ──
    /// Adds a new module at a path.
    StepList& addModule(std::string_view path, const StepModule& module);
    /// Replaces the module at a path; `keep` takes over its settings and weights where they fit.
    StepList& replaceModule(std::string_view path, const StepModule& module, bool keep);
    /// Replaces all modules of a class; `keep` takes over their settings and weights where they fit.
    StepList& replaceModuleClass(std::string_view from, const StepModule& to, bool keep);
    /// Deletes the module at a path.
    StepList& deleteModule(std::string_view path);
    /// Sets the mode of a module and its descendants.
    StepList& setTraining(std::string_view path, bool training);
    /// Loads a state dict of a file, the one with `key` or the best if empty; `strict` is as in `load_state_dict`.
    StepList& loadWeights(std::string_view file, std::string_view key, bool strict);
    /// Replaces a parameter or buffer by the values in a file.
    StepList& setTensor(std::string_view path, std::string_view file);

    // ── quantisation ──
    /// The settings and the result of a quantisation.
    struct Quantisation {
        std::string_view backend, mode, form; ///< as in `lancet quantize`
        std::string inputs, qconfig;          ///< a file with batches, and rules as JSON; empty: none
        std::string of;                       ///< `quantisedOf` of the model before quantisation
        std::string graph, file;              ///< the result, and the file with its weights
    };
    /// Replaces the model by the result of a quantisation.
    StepList& quantize(const Quantisation& what);

    // ── patterns ──
    /// Options of `replacePattern`.
    struct PatternOptions {
        bool ignoreLiterals = false, commutative = false; ///< `--ignore-literals`, `--commutative` of `lancet match`
        std::vector<std::string> relax;                   ///< relaxations, as proposed for near misses
        std::vector<std::string> only;                    ///< names of anchor nodes; empty: all matches
    };
    /// Replaces matches of a pattern; `pattern` and `replacement` are Python text.
    StepList& replacePattern(std::string_view pattern, std::string_view replacement, const PatternOptions& options);

    // ── partitions ──
    /// Options of `partition`.
    struct Partitioning {
        std::string rules;                                ///< supported operators, as the JSON of a rule file
        std::vector<std::vector<std::string>> assignment; ///< node names of each partition, in place of rules
        std::vector<std::string> nonCompute;              ///< with rules, like the next three
        /// Options of CapabilityBasedPartitioner, and `trimEnds` of PartitionRequest.
        bool allowSingle = false, noHorizontal = false, trimEnds = false;
        bool splits = false; ///< false: fuse
    };
    /// Partitions the model and fuses or splits it.
    StepList& partition(const Partitioning& what);

private:
    StepList& insert(std::string_view step, std::string_view node, const Insertion& what, const StepCall& call);

    std::vector<JsonValue> m_steps;
    std::vector<std::shared_ptr<const JsonDocument>> m_documents; ///< of each step
};

/// Returns a text in a step; empty if the step has none under this key.
std::string_view textIn(JsonValue step, std::string_view key);

} // namespace fx

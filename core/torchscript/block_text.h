// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/importing/symbol.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fx::script {

/// Part of a script as the text of a TorchScript graph, as LibTorch prints and parses it:
///
///     graph(%0 : Tensor, %1 : int):
///       %2 : Tensor = prim::Loop(%1, %3, %0)
///         block0(%4 : int, %5 : Tensor):
///     ...
///       return (%2)
///
/// Calls are inlined; values from outside, the model's tensors and its settings become inputs. The text is independent
/// of the model, so it can be run, moved and written separately. Throws Unsupported if that is impossible.
class BlockText {
public:
    /// Returns the symbol of a value of the method that the nodes read but do not define.
    using Outside = std::function<const Symbol&(std::uint32_t value)>;
    /// The importer's knowledge of the file's values.
    struct File {
        /// Returns the path of a constant of the program, which becomes an attribute of the model.
        std::function<std::string(std::int32_t constant)> programConstantPath;
        /// Returns the path of a constant tensor.
        std::function<std::string(const TensorPtr&)> constantPath;
        /// Returns the current symbol of an attribute; null if it is unchanged from the file.
        std::function<const Symbol*(const Object&, const std::string& path, const std::string& name)> attributeNow;
    };
    /// Keeps a reference to `program`, which must outlive this object.
    BlockText(const Program& program, File file) : m_program(program), m_file(std::move(file)) {}

    /// Adds nodes of a method and their `outputs`.
    void add(const Method& method, const std::vector<const Node*>& nodes, const std::vector<std::uint32_t>& outputs,
             const Outside& outside);
    /// Adds the whole body of a method.
    void addBody(const Method& method, const Outside& outside);
    /// Adds a method that was written as a block. The inputs of the text are its inputs after `self`, in order; `given`
    /// are the arguments of the call.
    void addBlock(const Method& method, const Symbol& self, const std::vector<Symbol>& given);
    /// Returns the text, which is equal for equal scripts however their constants and variables are placed and named.
    /// Constants come first, in the order of their use.
    std::string text() const;
    /// True if running it has side effects: writes, draws random numbers, prints, raises.
    bool hasEffects() const { return m_hasEffects; }
    /// The arguments to pass, in the order of the graph's inputs.
    const std::vector<Symbol>& inputs() const { return m_inputs; }

    /// Indices of inputs that are lists or dicts and that running the block mutates. Their new values follow its other
    /// results.
    const std::set<std::size_t>& changed() const { return m_changed; }
    /// Indices of inputs that are lists or dicts and that results may alias or contain.
    const std::set<std::size_t>& shared() const { return m_shared; }
    /// Returns the index of the result that holds the new value of a mutated input. Throws Unsupported if none
    /// exists.
    std::size_t resultOf(std::size_t changed) const;
    /// Number of results, new values included.
    std::size_t resultCount() const { return m_results.size(); }
    /// The modules of torch.nn that it calls.
    const std::set<const Object*>& leaves() const { return m_leaves; }

private:
    /// A value inside the text: a name, or an object without one.
    struct Inner {
        std::string name;
        Symbol object;
        std::set<std::size_t> roots = {}; ///< inputs of the text that it may alias or belong to
        std::string type = {};            ///< its precise type; a function may declare a union
        std::optional<bool> truth = {};   ///< value of a condition, if known
    };
    struct Scope {
        const Method& method;
        std::map<std::uint32_t, Inner> values;
        const Outside* outside = nullptr; ///< of the outermost scope
        int depth = 0;
    };
    void write(Scope& scope, const Node& node, int indent);
    void writeNodes(Scope& scope, const std::vector<Node>& nodes, int indent);
    bool writeSpecial(Scope& scope, const Node& node, int indent);
    void writeConstant(Scope& scope, const Node& node);
    bool writeKnown(Scope& scope, const Node& node, int indent);
    bool writeTaken(Scope& scope, const Node& node, int indent);
    void writeTruth(Scope& scope, const Node& node, bool value);
    void attribute(Scope& scope, const Node& node);
    void inlined(Scope& scope, const Node& node, const Method& method, std::size_t firstInput, int indent);
    const Inner& find(Scope& scope, std::uint32_t value);
    Inner input(const Symbol& symbol, const std::string& type);
    Inner parameter(const Symbol& symbol, const std::string& type);
    std::string constant(const std::string& type, const std::string& text);
    void give(Scope& scope, const std::vector<std::uint32_t>& outputs);
    std::string fresh() { return "%v" + std::to_string(m_count++); }
    std::set<std::size_t> rootsOf(Scope& scope, const std::vector<std::uint32_t>& values);
    void noteChange(Scope& scope, const Node& node);
    void line(int indent, const std::string& text);

    const Program& m_program;
    File m_file;
    std::string m_parameters, m_body;
    std::vector<std::string> m_results;
    std::map<std::string, std::string> m_constants; ///< declaration -> name
    std::vector<Symbol> m_inputs;
    std::vector<std::string> m_inputNames;
    std::map<std::string, Inner> m_tensors;                    ///< inputs by path
    std::map<Identity, std::pair<std::string, Inner>> m_lists; ///< inputs, with their types
    std::set<std::size_t> m_changed, m_shared;
    std::set<const Object*> m_leaves;
    int m_leafDepth = 0; ///< depth of calls of torch.nn modules being written
    std::size_t m_count = 0, m_lines = 0;
    bool m_hasEffects = false;
};

} // namespace fx::script

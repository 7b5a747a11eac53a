// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/symbol.h"

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
/// Calls are inlined; values from outside, the model's tensors and its settings become inputs. Nothing of the model is
/// left in it, so that it can be run, moved and written by itself. Throws Unsupported if that is impossible.
class BlockText {
public:
    /// `outside`: what a value of the method is that the nodes read but do not define.
    using Outside = std::function<const Symbol&(std::uint32_t value)>;
    /// What the importer knows of the file's values.
    struct File {
        std::function<std::string(std::int32_t constant)> programConstantPath;
        std::function<std::string(const TensorPtr&)> constantPath;
        /// What an attribute that is read has become; null: it is as in the file.
        std::function<const Symbol*(const Object&, const std::string& path, const std::string& name)> attributeNow;
    };
    BlockText(const Program& program, File file) : m_program(program), m_file(std::move(file)) {}

    void add(const Method& method, const std::vector<const Node*>& nodes, const std::vector<std::uint32_t>& outputs,
             const Outside& outside);
    /// All that a method does, as `add`.
    void addBody(const Method& method, const Outside& outside);
    /// A method that was written as a block: its inputs after `self` are those of the text, in their order, and `given`
    /// is what a call passes.
    void addBlock(const Method& method, const Symbol& self, const std::vector<Symbol>& given);
    /// The same for the same script, however its constants and variables are placed and named: constants come first, in
    /// the order of their use.
    std::string text() const;
    /// Whether running it does more than give results: writes, draws random numbers, prints, raises.
    bool hasEffects() const { return m_hasEffects; }
    /// What to pass, in the order of the graph's inputs.
    const std::vector<Symbol>& inputs() const { return m_inputs; }

    /// Inputs that are lists or dicts and that running it changes. After its other results, it gives what they are
    /// then.
    const std::set<std::size_t>& changed() const { return m_changed; }
    /// Inputs that are lists or dicts and that results may be, or be a part of.
    const std::set<std::size_t>& shared() const { return m_shared; }
    /// Where the text gives back an input that it changes.
    std::size_t resultOf(std::size_t changed) const;
    std::size_t resultCount() const { return m_results.size(); }
    /// The modules of torch.nn that it calls.
    const std::set<const Object*>& leaves() const { return m_leaves; }

private:
    /// A value inside the text: a name, or an object that has none.
    struct Inner {
        std::string name;
        Symbol object;
        std::set<std::size_t> roots = {}; ///< inputs of the text that it is, or may be a part of
        std::string type = {};            ///< its own: a function may take it as a union
        std::optional<bool> truth = {};   ///< of a condition that is known
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
    std::map<std::string, std::string> m_constants; ///< declarations: names
    std::vector<Symbol> m_inputs;
    std::vector<std::string> m_inputNames;
    std::map<std::string, Inner> m_tensors;                    ///< inputs by path
    std::map<Identity, std::pair<std::string, Inner>> m_lists; ///< that are inputs, with their types
    std::set<std::size_t> m_changed, m_shared;
    std::set<const Object*> m_leaves;
    int m_leafDepth = 0; ///< calls of modules of torch.nn that are being written
    std::size_t m_count = 0, m_lines = 0;
    bool m_hasEffects = false;
};

} // namespace fx::script

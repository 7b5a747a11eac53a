// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/symbol.h"

#include <functional>
#include <map>
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
    BlockText(const Program& program, std::function<std::string(std::int32_t constant)> constantPath)
        : m_program(program), m_constantPath(std::move(constantPath)) {}

    void add(const Method& method, const std::vector<const Node*>& nodes, const std::vector<std::uint32_t>& outputs,
             const Outside& outside);
    std::string text() const;
    /// Whether running it does more than give results: writes, draws random numbers, prints, raises.
    bool hasEffects() const { return m_hasEffects; }
    /// What to pass, in the order of the graph's inputs.
    const std::vector<Symbol>& inputs() const { return m_inputs; }

private:
    /// A value inside the text: a name, or an object that has none.
    struct Inner {
        std::string name;
        Symbol object;
        bool passed = false; ///< an input of the text
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
    void writeConstant(Scope& scope, const Node& node, int indent);
    void writeLiteral(const std::string& name, const Type& type, const Argument& value, int indent);
    void attribute(Scope& scope, const Node& node);
    void inlined(Scope& scope, const Node& node, const Method& method, std::size_t firstInput, int indent);
    const Inner& find(Scope& scope, std::uint32_t value);
    Inner input(const Symbol& symbol, const std::string& type);
    std::string fresh() { return "%v" + std::to_string(m_count++); }
    void line(int indent, const std::string& text);

    const Program& m_program;
    std::function<std::string(std::int32_t)> m_constantPath;
    std::string m_parameters, m_constants, m_body, m_results;
    std::vector<Symbol> m_inputs;
    std::map<std::string, Inner> m_tensors; ///< inputs by path
    std::size_t m_count = 0, m_lines = 0;
    bool m_hasEffects = false;
};

} // namespace fx::script

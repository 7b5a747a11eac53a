// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/block_graph.h"

#include "core/ops/parameter_list.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/torchscript.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace fx::script {
namespace {

constexpr int kMostGraphs = 200; ///< nested in each other

/// Thrown for text of another form.
struct NoBlock {};

struct TextLine {
    std::size_t indent = 0;
    std::string_view text; ///< without the indentation
};

std::vector<TextLine> linesOf(std::string_view text) {
    std::vector<TextLine> out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        if (indent < line.size()) out.push_back({indent, line.substr(indent)});
    }
    return out;
}

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
    const std::size_t from = text.find(open), to = text.rfind(close);
    if (from == text.npos || to == text.npos || to < from + open.size()) throw NoBlock();
    return text.substr(from + open.size(), to - from - open.size());
}

/// "%v0 : Tensor, %v1 : int" as names.
std::vector<std::string> declaredNames(std::string_view declarations) {
    std::vector<std::string> out;
    for (const std::string_view one : ops::splitTopLevel(declarations))
        if (!one.empty()) out.emplace_back(one.substr(0, one.find(' ')));
    return out;
}

/// `kind[attributes](inputs)` of a line, and what it defines.
struct Statement {
    std::vector<std::string> outputs, inputs;
    std::string kind, attributes;

    explicit Statement(std::string_view text) {
        if (text.starts_with('%')) {
            const std::size_t equals = text.find(" = ");
            if (equals == text.npos) throw NoBlock();
            outputs = declaredNames(text.substr(0, equals));
            text.remove_prefix(equals + 3);
        }
        const std::size_t name = std::min(text.find('['), text.find('('));
        const std::size_t open = text.rfind('(');
        if (name == text.npos || open == text.npos || open < name) throw NoBlock();
        kind = text.substr(0, name);
        if (text[name] == '[') attributes = text.substr(name + 1, open - name - 2);
        inputs = declaredNames(between(text.substr(open), "(", ")"));
    }
};

/// `value=2`, `value="text"`, or nothing for None.
Argument literalOf(std::string_view attributes, bool isBool) {
    if (!attributes.starts_with("value=")) return {};
    attributes.remove_prefix(6);
    if (attributes.starts_with('"')) return Argument(std::string(attributes.substr(1, attributes.size() - 2)));
    std::int64_t number = 0;
    std::from_chars(attributes.data(), attributes.data() + attributes.size(), number);
    return isBool ? Argument(number != 0) : Argument(number);
}

CallablePtr callableOf(const std::string& kind) {
    static const std::map<std::string_view, const char*> kOperators = {{"aten::__is__", "_operator.is_"},
                                                                       {"aten::__isnot__", "_operator.is_not"},
                                                                       {"aten::__not__", "_operator.not_"},
                                                                       {"aten::__contains__", "_operator.contains"},
                                                                       {"aten::__getitem__", "_operator.getitem"},
                                                                       {"prim::TupleIndex", "_operator.getitem"},
                                                                       {"aten::len", "len"}};
    if (const auto known = kOperators.find(kind); known != kOperators.end()) return resolveCallable(known->second);
    const std::size_t colons = kind.find("::");
    if (colons == kind.npos) throw NoBlock();
    return resolveCallable("torch.ops." + kind.substr(0, colons) + "." + kind.substr(colons + 2));
}

/// Makes the graph of some lines, and those nested in it.
class BlockGraphReader {
public:
    using Values = std::map<std::string, Argument>;

    BlockGraphReader(const std::vector<TextLine>& lines, int depth)
        : m_lines(lines), m_depth(depth), m_module(std::make_shared<GraphModule>()) {
        if (depth > kMostGraphs) throw NoBlock();
        m_module->format = Format::TorchScript;
        m_module->root->className = "GraphModule", m_module->root->classModule = "torch.fx.graph_module";
    }

    void input(const std::string& name, const std::string& annotation) {
        m_values[name] = m_module->graph.placeholder(name.substr(1), {}, inputType(annotation));
    }
    void set(const std::string& name, const Argument& value) { m_values[name] = value; }

    /// Reads up to the line that gives the results.
    std::shared_ptr<GraphModule> read(std::size_t& at) {
        for (; at < m_lines.size(); ++at) {
            const std::string_view text = m_lines[at].text;
            if (text.starts_with("return (") || text.starts_with("-> (")) {
                std::vector<Argument> results;
                for (const std::string& name : declaredNames(between(text, "(", ")"))) results.push_back(value(name));
                m_module->graph.output(results.size() == 1 ? results[0] : Argument::tuple(std::move(results)));
                ++at;
                return m_module;
            }
            statement(at);
        }
        throw NoBlock();
    }

private:
    const Argument& value(const std::string& name) const {
        const auto found = m_values.find(name);
        if (found == m_values.end()) throw NoBlock();
        return found->second;
    }

    void statement(std::size_t& at) {
        const std::string_view text = m_lines[at].text;
        const Statement line(text);
        std::vector<Argument> args;
        for (const std::string& name : line.inputs) args.push_back(value(name));
        const bool isOne = line.outputs.size() == 1;
        if (line.kind == "prim::Constant" && isOne) {
            const bool isBool = text.find(" : bool = ") != text.npos;
            m_values[line.outputs[0]] = literalOf(line.attributes, isBool);
        } else if (line.kind == "prim::Uninitialized" && isOne) {
            m_values[line.outputs[0]] = Argument();
        } else if (line.kind == "prim::ListConstruct" && isOne) {
            m_values[line.outputs[0]] = Argument::list(std::move(args));
        } else if (line.kind == "prim::TupleConstruct" && isOne) {
            m_values[line.outputs[0]] = Argument::tuple(std::move(args));
        } else if ((line.kind == "prim::unchecked_cast" || line.kind == "prim::unchecked_unwrap_optional") && isOne &&
                   args.size() == 1) {
            m_values[line.outputs[0]] = args[0];
        } else if ((line.kind == "prim::ListUnpack" || line.kind == "prim::TupleUnpack") && args.size() == 1) {
            unpack(args[0], line.outputs);
        } else {
            if (line.kind == "prim::If" || line.kind == "prim::Loop") nest(at, line, args);
            else if (line.kind == "prim::TupleSlice")
                for (const std::string_view bound : ops::splitTopLevel(line.attributes))
                    args.push_back(literalOf("value=" + std::string(bound.substr(bound.find('=') + 1)), false));
            call(line, std::move(args));
        }
    }

    void call(const Statement& line, std::vector<Argument> args) {
        const std::string name = line.outputs.size() == 1 ? line.outputs[0].substr(1) : std::string();
        const NodeId id = m_module->graph.callFunction(callableOf(line.kind), std::move(args), {}, name);
        if (line.outputs.size() == 1) m_values[line.outputs[0]] = Argument(id);
        else unpack(Argument(id), line.outputs);
    }

    void unpack(const Argument& whole, const std::vector<std::string>& outputs) {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            m_values[outputs[i]] =
                m_module->graph.callFunction(resolveCallable("_operator.getitem"),
                                             {whole, Argument(static_cast<std::int64_t>(i))}, {}, outputs[i].substr(1));
    }

    /// Lines of nested graphs: those that are indented more than the one at `at`.
    std::size_t endOfNested(std::size_t at) const {
        std::size_t end = at + 1;
        while (end < m_lines.size() && m_lines[end].indent > m_lines[at].indent) ++end;
        return end;
    }

    /// What nested graphs read and do not define, in the order of its use.
    std::vector<std::string> takenBy(std::size_t from, std::size_t to) const {
        std::vector<std::string> out;
        std::set<std::string> seen;
        for (std::size_t i = from; i < to; ++i) {
            const std::string_view text = m_lines[i].text;
            const bool isHeader = text.starts_with("block");
            const auto names = isHeader                 ? std::vector<std::string>()
                               : text.starts_with("->") ? declaredNames(between(text, "(", ")"))
                                                        : Statement(text).inputs;
            for (const std::string& name : names)
                if (const auto known = m_values.find(name); known != m_values.end() && seen.insert(name).second)
                    out.push_back(name);
        }
        return out;
    }

    /// The graphs below a branch or loop; adds them and what they take to its arguments.
    void nest(std::size_t& at, const Statement& line, std::vector<Argument>& args) {
        const std::size_t end = endOfNested(at);
        const bool isLoop = line.kind == "prim::Loop";
        std::vector<std::string> taken = takenBy(at + 1, end);
        std::vector<Argument> passed, carried;
        if (isLoop && args.size() >= 2) carried.assign(args.begin() + 2, args.end()), args.resize(2);
        std::erase_if(taken, [&](const std::string& name) { return !holdsNode(m_values.at(name)); });
        for (const std::string& name : taken) passed.push_back(m_values.at(name));
        std::size_t next = at + 1;
        for (int number = 0; next < end; ++number) {
            BlockGraphReader inner(m_lines, m_depth + 1);
            for (const auto& [name, known] : m_values)
                if (!holdsNode(known)) inner.set(name, known);
            for (const std::string& name : declaredNames(between(m_lines[next].text, "(", "):")))
                inner.input(name, "Tensor");
            for (const std::string& name : taken) inner.input(name, "Tensor");
            auto graph = inner.read(++next);
            const char* const kind = isLoop ? "loop_graph_" : number == 0 ? "true_graph_" : "false_graph_";
            const std::string name = kind + std::to_string(m_nested);
            args.emplace_back(m_module->graph.createNode(Op::GetAttr, name));
            m_module->subgraphs.emplace_back(name, std::move(graph));
        }
        ++m_nested;
        if (isLoop) args.push_back(Argument::tuple(std::move(carried)));
        args.push_back(Argument::tuple(std::move(passed)));
        at = end - 1;
    }

    const std::vector<TextLine>& m_lines;
    const int m_depth;
    std::shared_ptr<GraphModule> m_module;
    Values m_values; ///< by the names of the text
    int m_nested = 0;
};

} // namespace

std::shared_ptr<const GraphModule> blockGraph(const Module& block) {
    const auto* text = isScriptBlock(block) ? block.setting<std::string>("graph") : nullptr;
    if (!text) return nullptr;
    try {
        const std::vector<TextLine> lines = linesOf(*text);
        if (lines.empty() || !lines[0].text.starts_with("graph(")) return nullptr;
        BlockGraphReader reader(lines, 0);
        const std::vector<std::string> names = declaredNames(between(lines[0].text, "(", "):"));
        const std::vector<std::string> types = blockInputTypes(*text);
        for (std::size_t i = 0; i < names.size(); ++i) reader.input(names[i], i < types.size() ? types[i] : "Tensor");
        std::size_t at = 1;
        return reader.read(at);
    } catch (const NoBlock&) { return nullptr; }
}

} // namespace fx::script

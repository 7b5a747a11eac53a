// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_writer.h"

#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/ir/code_words.h"
#include "core/module/module_fields.h"
#include "core/module/module_paths.h"
#include "core/ops/catalogue.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_operators.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/leaf_modules.h"
#include "core/torchscript/torchscript.h"
#include "core/torchscript/writing/script_terms.h"
#include "core/torchscript/writing/script_types.h"

#include <algorithm>
#include <map>

namespace fx::script {
namespace {

constexpr std::size_t kMostOptional = 4;          ///< inputs of a module: each doubles its body
constexpr std::size_t kMostPaths = 100'000;       ///< of modules, which LibTorch visits one by one: loading_cost.h
constexpr std::ptrdiff_t kMostNestedGraphs = 100; ///< nested GraphModules

/// What the writers of a model and of the GraphModules inside it share.
struct Written {
    std::map<const Module*, std::map<std::string, std::string>> methods; ///< by what a call passes
    /// Types of the results of GraphModules' methods.
    std::map<std::pair<const Module*, std::string>, std::string> results;
};

class Writer {
public:
    /// `prefix` is the path of a GraphModule inside the model, whose calls pass values of these types.
    Writer(const GraphModule& model, Written& written, std::string prefix = {}, std::vector<std::string> given = {})
        : m_model(model), m_graph(model.graph), m_paths(*model.root), m_written(written), m_prefix(std::move(prefix)),
          m_given(std::move(given)), m_types(model.graph, [this](const fx::Node& node) { return typeOfSource(node); }) {
    }

    ScriptText write(const std::string& name = "forward") {
        std::string head = "def " + name + "(self", body;
        std::size_t place = 0;
        for (const fx::Node& node : m_graph.nodes()) {
            try {
                requireWords(node);
                if (node.op() == Op::Placeholder) {
                    const bool isGiven = place < m_given.size();
                    if (isGiven) m_known[node.id()] = m_given[place];
                    head += isGiven ? ", " + parameterName(node) + ": " + m_given[place] : parameter(node);
                    ++place;
                    if (const std::string own = parameterName(node); own != node.name())
                        body += "    " + node.name() + " = " + own + "\n";
                    if (mayBeNone(Argument(node.id())) && isNeeded(node))
                        body += "    assert " + node.name() + " is not None\n"; // from here on it is a tensor
                } else body += "    " + statement(node) + "\n";
                if (node.op() != Op::Output) m_types.of(node.id()); // in the order of the graph
            } catch (Error& error) {
                if (error.node.empty()) error.onNode(node.name());
                throw;
            }
        }
        m_text.forward = head + "):\n" + body;
        if (m_prefix.empty()) addUncalled();
        return std::move(m_text);
    }

private:
    struct Parameter {
        std::string name, type; ///< the latter as an annotation
    };

    [[noreturn]] static void refuse(const Message& what) { throw Error(ErrorKind::Refused, what); }

    /// Of what the text holds without quotes.
    static void requireWords(const fx::Node& node) {
        requireIdentifier(node.name());
        for (const auto& [name, value] : node.kwargs()) requireIdentifier(name);
        if (node.op() == Op::CallMethod) requireIdentifier(node.target());
    }

    std::string term(const Argument& value) const {
        return literalTerm(value, [this](NodeId id) { return m_graph.node(id).name(); });
    }

    Terms terms(const fx::Node& node, std::size_t from = 0) const {
        Terms out;
        for (std::size_t i = from; i < node.args().size(); ++i) out.positional.push_back(term(node.args()[i]));
        for (const auto& [name, value] : node.kwargs()) out.named.emplace_back(name, term(value));
        return out;
    }

    /// The name of an input for its callers: the target, which may be another than that of the node.
    std::string parameterName(const fx::Node& node) const {
        static constexpr std::string_view kWords[] = {
            // of the text that is written
            "self", "torch", "ops", "math", "annotate", "getattr", "complex", "float",  "int",  "bool",  "str",
            "len",  "abs",   "min", "max",  "sum",      "round",   "pow",     "divmod", "list", "tuple", "dict"};
        const std::string& name = node.target();
        const NodeId other = m_graph.find(name);
        const bool isFree = (other == kNoNode || other == node.id()) &&
                            std::find(std::begin(kWords), std::end(kWords), name) == std::end(kWords);
        return isFree && isPythonIdentifier(name) && !isPythonKeyword(name) ? name : node.name();
    }

    std::string parameter(const fx::Node& node) const {
        const std::string name = parameterName(node);
        if (!isPythonIdentifier(name) || node.target().starts_with("*"))
            refuse(Message("script.no_input", {{"name", node.target()}}));
        const std::string type = typeOfInput(node);
        std::string out = ", " + name + ": " + type;
        if (node.args().empty()) return out;
        const Argument& otherwise = node.args()[0];
        if (otherwise.isNone() && !type.starts_with("Optional[")) out = ", " + name + ": Optional[" + type + "]";
        return out + "=" + (type == "float" && otherwise.as<std::int64_t>() ? term(otherwise) + ".0" : term(otherwise));
    }

    /// `self.layer1.0.conv` in a script's words.
    static std::string pathTerm(std::string_view path) {
        std::string opened, out = "self"; // what wraps all to its left comes first
        while (!path.empty()) {
            const std::size_t end = std::min(path.find('.'), path.size());
            const std::string atom(path.substr(0, end));
            if (isPythonIdentifier(atom) && !isPythonKeyword(atom)) out += "." + atom;
            else requireQuotable(atom), opened += "getattr(", out += ", \"" + atom + "\")";
            path.remove_prefix(std::min(end + 1, path.size()));
        }
        return opened + out;
    }

    std::string statement(const fx::Node& node) {
        if (node.op() == Op::Output) return "return " + term(node.args().at(0));
        if (const std::string check = assertion(node); !check.empty()) return check;
        return node.name() + " = " + expression(node);
    }

    /// A check as a statement; empty for other nodes.
    std::string assertion(const fx::Node& node) const {
        const bool isNone = node.target() == "torch.fx._symbolic_trace._assert_is_none";
        const bool isCheck = node.op() == Op::CallFunction && (isNone || node.target() == "torch._assert");
        if (!isCheck || node.args().size() != 2 || !node.users().empty()) return {};
        return "assert " + term(node.args()[0]) + (isNone ? " is None, " : ", ") + term(node.args()[1]);
    }

    std::string expression(const fx::Node& node) {
        switch (node.op()) {
        case Op::GetAttr: return pathTerm(node.target());
        case Op::CallModule: return callModule(node);
        case Op::CallMethod: {
            if (node.args().empty()) refuse(Message("script.no_words", {{"target", node.target()}}));
            const std::string object = term(node.args()[0]);
            return operatorTerm("(" + object + ")." + node.target(), "", terms(node, 1));
        }
        default: return callFunction(node);
        }
    }

    std::string callFunction(const fx::Node& node) {
        const std::string& target = node.target();
        std::string out;
        if (target.starts_with("torch.ops.")) out = callOperator(node);
        else if (target.starts_with("_operator.")) out = infix(node, target.substr(10));
        else if (target == "getattr" && node.args().size() == 2 && node.args()[1].as<std::string>())
            out = memberTerm(node);
        else if (node.callable()->module == "builtins" || target.starts_with("math."))
            out = operatorTerm(target, "", terms(node));
        else out = functionTerm(target, terms(node));
        if (out.empty()) refuse(Message("script.no_words", {{"target", target}}));
        return out;
    }

    /// `getattr(x, "shape")` as `(x).shape`: a script reads members by their names.
    std::string memberTerm(const fx::Node& node) const {
        const std::string& member = *node.args()[1].as<std::string>();
        requireIdentifier(member);
        return "(" + term(node.args()[0]) + ")." + member;
    }

    /// `torch.ops.aten.add.Tensor` is `ops.aten.add`: overloads have no names in a script.
    std::string callOperator(const fx::Node& node) {
        const auto known = ops::findOperator(node.target());
        const std::string& target = node.target();
        const std::string full = known ? std::string(known->qualifiedName()) : target.substr(10);
        const bool hasOverload = known || std::count(full.begin(), full.end(), '.') > 1;
        const std::string packet = hasOverload ? full.substr(0, full.rfind('.')) : full;
        Terms given = terms(node);
        if (known) { // empty lists need the schema's type
            for (std::size_t i = 0; i < given.positional.size() && i < known->arguments().size(); ++i)
                retype(given.positional[i], known->arguments()[i].type());
            for (auto& [name, value] : given.named)
                for (const ops::Argument argument : known->arguments())
                    if (argument.name() == name) retype(value, argument.type());
        }
        return operatorTerm("ops." + packet, known ? known->name() : "", std::move(given));
    }

    static void retype(std::string& value, std::string_view type) {
        if (value == "annotate(List[int], [])" && type.starts_with("Tensor")) value = "annotate(List[Tensor], [])";
        if (value == "annotate(List[int], [])" && type.starts_with("float")) value = "annotate(List[float], [])";
        if (type.starts_with("Scalar?[]")) { // numbers of fused activations
            if (value.starts_with("annotate(")) value = "[]";
            if (value.starts_with("[")) value = "annotate(List[Optional[number]], " + value + ")";
        }
        // Lists with None in them, as indices have, are lists of optional tensors.
        if (type.starts_with("Tensor?[]") && value.starts_with("["))
            value = "annotate(List[Optional[Tensor]], " + value + ")";
    }

    std::string infix(const fx::Node& node, const std::string& name) {
        const std::vector<Argument>& args = node.args();
        if (name == "getitem" && args.size() == 2) return "(" + term(args[0]) + ")[" + indexTerm(args[1]) + "]";
        if (name == "contains" && args.size() == 2) return term(args[1]) + " in " + term(args[0]);
        if (name == "not_" && args.size() == 1) return "not " + term(args[0]);
        if (name == "is_" && args.size() == 2) return term(args[0]) + " is " + term(args[1]);
        if (name == "is_not" && args.size() == 2) return term(args[0]) + " is not " + term(args[1]);
        if ((name == "eq" || name == "ne") && args.size() == 2 && args[1].isNone())
            return term(args[0]) + (name == "eq" ? " is None" : " is not None");
        const std::string plain(ops::augmentedOperator(name)); // `x += y` changes tensors, so it stays a change
        if (!plain.empty() && args.size() == 2 && !isNumber(args[0]))
            return "(" + term(args[0]) + ")." + std::string(ops::inPlaceMethod(plain)) + "(" + term(args[1]) + ")";
        std::string_view format = ops::operatorFormat(plain.empty() ? name : plain);
        if (name == "imatmul") format = ops::operatorFormat("matmul");
        if (format.empty() || args.empty() || args.size() > 2) return {};
        std::string out;
        std::size_t next = 0;
        for (std::size_t i = 0; i < format.size(); ++i) {
            if (format[i] != '{') out += format[i];
            else if (next < args.size()) out += "(" + term(args[next++]) + ")", ++i;
        }
        // A script's power of integers is real.
        if (name == "pow" && m_types.of(node.id()) == "int") return "int(" + out + ")";
        return out;
    }

    bool isNumber(const Argument& value) {
        const std::string type = m_types.of(value);
        return type == "int" || type == "float" || type == "bool";
    }

    std::string indexTerm(const Argument& index) const {
        if (index.as<EllipsisValue>()) return "...";
        if (const auto* slice = index.as<Slice>()) {
            const auto part = [&](const Argument& value) { return value.isNone() ? std::string() : term(value); };
            return part(slice->start) + ":" + part(slice->stop) + (slice->step.isNone() ? "" : ":" + term(slice->step));
        }
        if (const Sequence* tuple = index.asTuple()) {
            std::string out;
            for (const Argument& item : tuple->items) out += (out.empty() ? "" : ", ") + indexTerm(item);
            return out;
        }
        return term(index);
    }

    // ── modules ──

    std::string callModule(const fx::Node& node) {
        const PathTarget target = m_paths.resolve(node.target());
        if (target.kind != PathTarget::Kind::Module) refuse(Message("script.no_words", {{"target", node.target()}}));
        if (isScriptFile(*target.module)) return callFile(node, *target.module);
        // What holds no node is part of the method; a block has its inputs.
        const bool isBlock = isScriptBlock(*target.module);
        if (target.module->graphModule && !isFusedSequential(*target.module)) return callGraph(node, *target.module);
        Terms shape;
        std::vector<Parameter> parameters;
        std::string all;
        const auto* text = isBlock ? target.module->setting<std::string>("graph") : nullptr;
        const std::vector<std::string> types = text ? blockInputTypes(*text) : std::vector<std::string>();
        const auto take = [&](const Argument& value) {
            if (!isBlock && !holdsNode(value)) return term(value);
            const bool needsType = (value.asList() || value.as<Dict>()) && parameters.size() < types.size();
            const std::string name = "x" + std::to_string(parameters.size());
            all += (all.empty() ? "" : ", ") + (needsType ? typedTerm(value, types[parameters.size()]) : term(value));
            parameters.push_back({name, isBlock || parameters.empty() ? "Tensor" : typeOf(value)});
            return name;
        };
        for (const Argument& value : node.args()) shape.positional.push_back(take(value));
        for (const auto& [name, value] : node.kwargs()) shape.named.emplace_back(name, take(value));
        return pathTerm(node.target()) + "." + method(node.target(), *target.module, shape, parameters) + "(" + all +
               ")";
    }

    /// A GraphModule inside this one (`fused_0`, `submod_1`): its graph is a method for values of these types.
    std::string callGraph(const fx::Node& node, const Module& module) {
        if (std::count(m_prefix.begin(), m_prefix.end(), '.') > kMostNestedGraphs) refuse(Message("script.too_deep"));
        std::string all, key;
        std::vector<std::string> types;
        const auto take = [&](const Argument& value) {
            types.push_back(m_types.of(value));
            key += ";" + types.back();
            return (all.empty() ? "" : ", ") + term(value);
        };
        for (const Argument& value : node.args()) all += take(value);
        if (!node.kwargs().empty()) refuse(Message("script.no_module", {{"class", module.qualifiedType()}}));
        auto& known = m_written.methods[&module];
        std::string& name = known[key];
        if (name.empty()) {
            name = "forward" + (known.size() > 1 ? std::to_string(known.size() - 1) : std::string());
            const std::string path = m_prefix + node.target();
            Writer inner(*module.graphModule, m_written, path + ".", types);
            ScriptText text = inner.write(name);
            for (auto& method : text.methods) m_text.methods.push_back(std::move(method));
            m_text.methods.push_back({path, name, text.forward, {}});
            for (const fx::Node& each : module.graphModule->graph.nodes())
                if (each.op() == Op::Output) m_written.results[{&module, name}] = inner.m_types.of(each.args().at(0));
        }
        m_known[node.id()] = m_written.results[{&module, name}];
        return pathTerm(node.target()) + "." + name + "(" + all + ")";
    }

    /// The annotation of what an input, a module or an attribute gives.
    std::string typeOfSource(const fx::Node& node) {
        const auto known = m_known.find(node.id());
        if (known != m_known.end()) return known->second;
        if (node.op() == Op::Placeholder)
            return mayBeNone(Argument(node.id())) && isNeeded(node) ? "Tensor" : typeOfInput(node);
        const PathTarget target = m_paths.resolve(node.target());
        if (target.kind == PathTarget::Kind::Attribute && target.value) return attributeType(*target.value);
        return target.kind == PathTarget::Kind::Module ? typeOfResult(*target.module) : "Tensor";
    }

    /// `annotate(List[float], [])`: TorchScript knows no type of an empty list or dict.
    std::string typedTerm(const Argument& value, const std::string& type) const {
        const bool isEmptyList = value.asList() && value.asList()->items.empty();
        return "annotate(" + type + ", " + (isEmptyList ? "[]" : term(value)) + ")";
    }

    /// The file is a module of the script, with methods of its own.
    std::string callFile(const fx::Node& node, const Module& file) const {
        const auto* method = file.setting<std::string>("method");
        std::string all;
        for (const Argument& value : node.args()) all += (all.empty() ? "" : ", ") + term(value);
        return pathTerm(node.target()) + "." + (method ? *method : "forward") + "(" + all + ")";
    }

    /// An input of the graph that a caller may leave out.
    bool mayBeNone(const Argument& value) const {
        if (!value.isNode()) return false;
        const fx::Node& node = m_graph.node(value.node());
        return node.op() == Op::Placeholder && !node.args().empty() && node.args()[0].isNone();
    }

    /// The annotation of a value, as far as it matters to the modules that take it: what blocks of script give may be
    /// None or no tensor.
    std::string typeOf(const Argument& value) {
        if (mayBeNone(value)) return "Optional[Tensor]";
        if (value.asList()) return "List[int]"; // output_size, which no module of torch.nn has beside lists of tensors
        return value.isNode() ? m_types.of(value) : "Tensor";
    }

    /// Whether an operator takes an input that is never None there.
    bool isNeeded(const fx::Node& input) const {
        return std::any_of(input.users().begin(), input.users().end(), [&](NodeId id) {
            const fx::Node& user = m_graph.node(id);
            if (user.op() == Op::CallMethod) return !user.args().empty() && user.args()[0] == Argument(input.id());
            const auto known = ops::findOperator(user.target());
            if (user.op() != Op::CallFunction || !known) return false;
            for (std::size_t i = 0; i < user.args().size() && i < known->arguments().size(); ++i)
                if (user.args()[i] == Argument(input.id()))
                    return known->arguments()[i].type().starts_with("Tensor") &&
                           !known->arguments()[i].type().starts_with("Tensor?") &&
                           known->arguments()[i].type().find(")?") == std::string_view::npos;
            return false;
        });
    }

    /// Whether a call passes nothing but its inputs, in their order.
    static bool isPlain(const Terms& shape, const std::vector<Parameter>& parameters) {
        if (!shape.named.empty() || shape.positional.size() != parameters.size()) return false;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            if (shape.positional[i] != parameters[i].name) return false;
        return true;
    }

    /// Returns the method for calls with these inputs; calls with a state have a separate method. A method that has
    /// literals or takes keywords is not named after the module's own forward, which has other inputs.
    std::string method(const std::string& path, const Module& module, const Terms& shape,
                       const std::vector<Parameter>& parameters) {
        std::string key = isScriptBlock(module) ? "block" : "";
        for (const std::string& input : shape.positional) key += "," + input;
        for (const auto& [name, input] : shape.named) key += "," + name + "=" + input;
        std::vector<std::string> optional;
        for (const auto& [name, type] : parameters) {
            if (type.starts_with("Optional[")) optional.push_back(name);
            if (type != "Tensor") key += ";" + name + ":" + type;
        }
        if (newHooksOf(module, "_forward_pre_hooks"))
            refuse(Message("script.hooks", {{"class", module.qualifiedType()}}));
        auto& known = m_written.methods[&module];
        if (const auto found = known.find(key); found != known.end()) return found->second;
        const std::string number = known.empty() ? "" : std::to_string(known.size());
        const bool isForward = isScriptBlock(module) || isPlain(shape, parameters);
        ScriptText::Method made{m_prefix + path, (isForward ? "forward" : "call") + number, {}, {}};
        if (isScriptBlock(module)) {
            const auto* graph = std::get_if<Argument>(module.attribute("graph"));
            if (graph && graph->as<std::string>()) made.block = *graph->as<std::string>();
        } else {
            const std::string either =
                optional.empty() || optional.size() > kMostOptional ? std::string() : bodyOf(module, shape, optional);
            const std::string body = !either.empty()             ? either
                                     : isFusedSequential(module) ? chainBody(path, module)
                                                                 : moduleBody(module, shape);
            if (body.empty()) refuse(Message("script.no_module", {{"class", module.qualifiedType()}}));
            made.source = "def " + made.name + "(self";
            for (const auto& [name, given] : parameters) {
                const bool pair = name != "x0" && module.className.starts_with("LSTM");
                const bool mayLack = given.starts_with("Optional[");
                const std::string type = pair ? "Tuple[Tensor, Tensor]" : mayLack ? "Tensor" : given;
                made.source += ", " + name + ": " + (mayLack && !either.empty() ? "Optional[" + type + "]" : type);
            }
            made.source += "):\n    " + body + "\n";
        }
        m_text.methods.push_back(made);
        return known[key] = made.name;
    }

    /// A body for calls with and without some of the inputs, such as the state of a GRU; empty where a module needs
    /// them.
    static std::string bodyOf(const Module& module, const Terms& shape, std::vector<std::string> optional) {
        if (optional.empty()) return moduleBody(module, shape);
        const std::string input = optional.back();
        optional.pop_back();
        Terms without = shape;
        std::replace(without.positional.begin(), without.positional.end(), input, std::string("None"));
        for (auto& [name, term] : without.named)
            if (term == input) term = "None";
        const std::string given = bodyOf(module, shape, optional);
        std::string missing = bodyOf(module, without, optional);
        if (given.empty() || missing.empty()) return {};
        for (std::size_t at = 0; (at = missing.find("\n    ", at)) != std::string::npos; at += 9)
            missing.insert(at + 1, "    ");
        return "if " + input + " is None:\n        " + missing + "\n    " + given;
    }

    /// Modules of torch.nn that only blocks call, or nothing at all, or the graph with settings of its own.
    void addUncalled() {
        std::string inside; // this one, which is written as a whole
        forEachModule(*m_model.root, [&](const std::string& path, const Module& module) {
            const std::string type = module.qualifiedType();
            if ((!inside.empty() && path.starts_with(inside)) || path.empty() || !LeafModules::isLeafType(type)) return;
            inside = path + ".";
            const auto& known = m_written.methods[&module];
            const bool isWritten =
                std::any_of(known.begin(), known.end(), [](const auto& method) { return method.second == "forward"; });
            if (isWritten || !takesOneInput(type)) return;
            try {
                const std::string body = moduleBody(module, {{"x0"}, {}});
                if (!body.empty())
                    m_text.methods.push_back({path, "forward", "def forward(self, x0):\n    " + body + "\n", {}, true});
            } catch (const Error&) { return; } // a setting that has no words
        });
    }
    static bool takesOneInput(const std::string& type) {
        const auto known = ops::findModule(type);
        const std::vector<ops::Parameter> inputs = known ? known->forwardParameters() : std::vector<ops::Parameter>();
        return std::count_if(inputs.begin(), inputs.end(), [](const ops::Parameter& input) {
                   return input.defaultValue.empty() && input.kind == ops::Parameter::Kind::PositionalOrKeyword;
               }) == 1;
    }

    /// What torch.ao fuses is a Sequential by another name.
    static bool isFusedSequential(const Module& module) {
        return module.classModule == "torch.ao.nn.intrinsic.modules.fused" &&
               module.className.find("Add") == std::string::npos;
    }
    /// The parts of a fused module, one after the other.
    std::string chainBody(const std::string& path, const Module& module) {
        std::string out = "x0";
        for (const Module::Child& child : module.children) {
            if (!child.module) return {};
            const std::string call = method(path + "." + child.name, *child.module, {{"x0"}, {}}, {{"x0", "Tensor"}});
            out = pathTerm(child.name) + "." + call + "(" + out + ")";
        }
        return "return " + out;
    }

    const GraphModule& m_model;
    const Graph& m_graph;
    PathResolver m_paths;
    ScriptText m_text;
    Written& m_written;
    std::string m_prefix;
    std::vector<std::string> m_given;      ///< types of what a caller passes
    std::map<NodeId, std::string> m_known; ///< types of these inputs, and of what GraphModules give
    ValueTypes m_types;
};

} // namespace

ScriptText writeScript(const GraphModule& model) {
    if (!model.lifted.empty() || !model.subgraphs.empty()) throw Error(ErrorKind::Refused, Message("script.exported"));
    requireFewPaths(*model.root, kMostPaths);
    Written written;
    return Writer(model, written).write();
}

} // namespace fx::script

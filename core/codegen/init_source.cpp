// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/init_source.h"

#include "core/base/joined_path.h"
#include "core/base/python_text.h"
#include "core/codegen/computed_text.h"
#include "core/codegen/observer_source.h"
#include "core/ir/code_words.h"
#include "core/ir/namespace.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/ops/nn_modules.h"
#include "core/pysrc/expression_names.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {

bool isAttributeName(std::string_view name) { return isPythonIdentifier(name) && !isPythonKeyword(name); }

std::string pythonQuoted(std::string_view text) {
    std::string out;
    appendPythonString(out, text);
    return out;
}

/// Text from a file, safe in a comment.
std::string commentText(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

/// True when `repr` of the value is Python that makes it again: nothing opaque inside.
bool isLiteral(const Argument& value) {
    if (value.as<OpaqueObject>() || value.isNode()) return false;
    if (const auto* callable = value.as<CallableValue>())
        return callable->callable->fromTorch && !callable->callable->opaque;
    if (const auto* items = value.as<Sequence>())
        return std::all_of(items->items.begin(), items->items.end(), isLiteral);
    const auto* dict = value.as<Dict>();
    return !dict || std::all_of(dict->items.begin(), dict->items.end(),
                                [](const auto& item) { return isLiteral(item.first) && isLiteral(item.second); });
}

/// Collects the lines of one `__init__`, walking the tree in order with a stack.
class InitWriter {
public:
    InitWriter(const GraphModule& module, const std::unordered_map<const GraphModule*, std::string>& classNames,
               std::set<std::string>& imports)
        : m_module(module), m_classNames(classNames), m_imports(imports) {
        for (const Node& node : module.graph.nodes())
            if (node.op() == Op::GetAttr) m_read.insert(node.target());
    }

    std::string run();

private:
    struct Visit {
        const Module* module;
        std::string parent; ///< path of the parent
        std::string name;
    };
    void line(const std::string& text) { m_lines += "    " + text + "\n"; }
    [[noreturn]] static void refuse(const Message& what, const std::string& path) {
        throw Error(ErrorKind::Refused, what).onModule(path).hinting(Message("codegen.save_as_json").text());
    }

    std::string expression(const std::string& path) const;
    void assign(const std::string& parent, const std::string& name, const std::string& value, const char* adder);
    void visit(const Visit& visit, std::vector<Visit>& open);
    std::string construction(const Module& module, const std::string& path);
    std::string valueText(const Argument& value) const {
        std::string text = reprOf(m_module.graph, value);
        requireWithoutCalls(value, text); // what its file imports may have that name
        return text;
    }
    std::string nnCall(const Module& module) const;
    std::string fusedCall(const Module& module, const std::string& path);
    std::string parameterContainer(const Module& module, const std::string& path) const;
    std::string newTensor(const TensorRef& tensor, const std::string& path) const;
    void makeTensors(const Module& module, const std::string& path);
    void makeAttributes(const Module& module, const std::string& path);
    void tieTensors(const Module& module, const std::string& path);
    bool tie(const TensorPtr& tensor, const std::string& path, const std::string& name, const char* adder);

    const GraphModule& m_module;
    const std::unordered_map<const GraphModule*, std::string>& m_classNames;
    std::set<std::string>& m_imports; ///< of the file
    std::string m_lines, m_arguments;
    Namespace m_argumentNames;
    std::unordered_set<std::string> m_read;                     ///< what the graph gets by get_attr
    std::unordered_map<const Module*, std::string> m_paths;     ///< modules made so far
    std::unordered_map<const TensorRef*, std::string> m_places; ///< expressions of tensors made so far
};

/// Containers are made empty and filled; every other class of torch.nn makes its own parameters and children.
bool isContainer(const Module& module) {
    return module.classModule == "torch.nn.modules.module" ||
           (module.classModule == "torch.nn.modules.container" && !module.className.starts_with("Parameter"));
}

bool isFused(const Module& module) { return module.classModule == "torch.ao.nn.intrinsic.modules.fused"; }

bool isFloat32(const Module& module) {
    return std::all_of(module.parameters.begin(), module.parameters.end(),
                       [](const Module::Slot& slot) { return !slot.tensor || slot.tensor->dtype == DType::Float32; });
}

/// `self.layer1.conv`, or `self.get_submodule("layer1.0")` where a name is no attribute name.
std::string InitWriter::expression(const std::string& path) const {
    std::string out = "self";
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        const std::string atom = path.substr(at, end - at);
        if (!isAttributeName(atom)) return "self.get_submodule(" + pythonQuoted(path) + ")";
        out += "." + atom;
        at = end + 1;
    }
    return out;
}

void InitWriter::assign(const std::string& parent, const std::string& name, const std::string& value,
                        const char* adder) {
    if (name.empty() || name.find('.') != std::string::npos)
        refuse(Message("codegen.module_name", {{"name", pythonQuoted(name)}}), parent);
    if (isAttributeName(name)) {
        line(expression(parent) + "." + name + " = " + value);
    } else {
        line(expression(parent) + "." + adder + "(" + pythonQuoted(name) + ", " + value + ")");
    }
}

/// The call of the constructor; empty when the module does not tell a setting that it needs.
std::string InitWriter::nnCall(const Module& module) const {
    const auto type = ops::findModule(module.qualifiedType());
    if (type && isTorchAoObserver(module))
        return std::string(type->publicPath()) + "(" + observerArguments(module) + ")";
    const auto settings = constructorSettings(module);
    if (!type || !missingSettings(module, settings).empty()) return {};
    std::string arguments;
    for (const Setting& setting : settings) {
        if (setting.isDefault) continue;
        if (!isLiteral(setting.value)) return {};
        if (!arguments.empty()) arguments += ", ";
        if (!setting.required) arguments += setting.name + "=";
        const auto* function = setting.value.as<CallableValue>();
        if (function) requireDotted(function->callable->qualifiedName);
        arguments += function ? function->callable->qualifiedName : valueText(setting.value);
    }
    if (const Module* fake = module.child("weight_fake_quant"); fake && isTorchAoObserver(*fake))
        arguments += (arguments.empty() ? "qconfig=" : ", qconfig=") + qconfigSource(*fake);
    return std::string(type->publicPath()) + "(" + arguments + ")";
}

/// `torch.nn.intrinsic.BNReLU2d(batch_norm, relu)`: torch.ao's fused modules are made of their children. Empty for
/// others, and where a child is not made by a call of its own.
std::string InitWriter::fusedCall(const Module& module, const std::string& path) {
    const auto type = ops::findModule(module.qualifiedType());
    if (!type || !isFused(module) || module.children.empty()) return {};
    const auto settings = constructorSettings(module);
    if (!settings.empty() || missingSettings(module, settings).size() != module.children.size()) return {};
    std::string parts;
    for (const Module::Child& child : module.children) {
        const bool isNew = child.module && !m_paths.contains(child.module.get());
        const std::string part = isNew && isFloat32(*child.module) ? nnCall(*child.module) : std::string();
        if (part.empty()) return {};
        parts += (parts.empty() ? "" : ", ") + part;
    }
    for (const Module::Child& child : module.children)
        m_paths.emplace(child.module.get(), joinedPath(path, child.name));
    return std::string(type->publicPath()) + "(" + parts + ")";
}

std::string InitWriter::newTensor(const TensorRef& tensor, const std::string& path) const {
    // One that reads tensors of the model gets its values with the weights: those may not have theirs yet, or not be
    // there.
    const bool reads =
        tensor.storage && tensor.storage->byteCount() > 0 && hasWord(tensor.storage->expressionSource(), "self");
    if (tensor.storage && tensor.storage->isExpression() && !reads) {
        const std::string source = tensor.storage->expressionSource();
        requireComputation(source);
        for (const std::string& name : py::namesIn(source).names)
            if (std::string line = importLine(name).value_or(""); !line.empty()) m_imports.insert(std::move(line));
        return source;
    }
    if (tensor.quantizer || tensor.layout != "torch.strided" || tensor.dtype == DType::Other)
        refuse(Message("codegen.tensor_type"), path);
    std::string text = "torch.empty([";
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(tensor.sizes[i]);
    text += "]";
    if (tensor.dtype != DType::Float32) text += ", dtype=" + std::string(dtypeName(tensor.dtype));
    return text + ")";
}

std::string InitWriter::parameterContainer(const Module& module, const std::string& path) const {
    const bool isList = module.className == "ParameterList";
    std::string items;
    for (const Module::Slot& slot : module.parameters) {
        if (!slot.tensor) refuse(Message("codegen.empty_child", {{"type", module.className}}), path);
        items += (items.empty() ? "" : ", ") + (isList ? "" : pythonQuoted(slot.name) + ": ") +
                 newTensor(*slot.tensor, path);
    }
    return "torch.nn." + module.className + (isList ? "([" + items + "])" : "({" + items + "})");
}

/// What makes the module again; for a class that is not in torch.nn a new argument of `__init__`.
std::string InitWriter::construction(const Module& module, const std::string& path) {
    if (module.graphModule)
        if (const auto found = m_classNames.find(module.graphModule.get()); found != m_classNames.end())
            return found->second + "()";
    if (module.classModule == "torch.nn.modules.container" && module.className.starts_with("Parameter"))
        return parameterContainer(module, path);
    std::string call = fusedCall(module, path);
    if (call.empty()) call = nnCall(module);
    if (call.empty()) {
        std::string name = path;
        std::replace(name.begin(), name.end(), '.', '_');
        name = m_argumentNames.create(name);
        m_arguments += ", " + name;
        line("# " + name + ": " + commentText(module.qualifiedType()));
        return name;
    }
    for (const Module::Slot& slot : module.parameters)
        if (slot.tensor && slot.tensor->dtype != DType::Float32)
            return call + ".to(" + std::string(dtypeName(slot.tensor->dtype)) + ")";
    return call;
}

/// A tensor that another place has already is assigned from there.
bool InitWriter::tie(const TensorPtr& tensor, const std::string& path, const std::string& name, const char* adder) {
    const std::string place = isAttributeName(name) ? expression(path) + "." + name
                                                    : "getattr(" + expression(path) + ", " + pythonQuoted(name) + ")";
    const auto [met, isNew] = m_places.emplace(tensor.get(), place);
    if (isNew) return false;
    assign(path, name, met->second, adder);
    return true;
}

void InitWriter::tieTensors(const Module& module, const std::string& path) {
    for (const Module::Slot& slot : module.parameters)
        if (slot.tensor) tie(slot.tensor, path, slot.name, "register_parameter");
    for (const Module::Slot& slot : module.buffers)
        if (slot.tensor) tie(slot.tensor, path, slot.name, "register_buffer");
}

void InitWriter::makeTensors(const Module& module, const std::string& path) {
    for (const Module::Slot& slot : module.parameters) {
        if (!slot.tensor) {
            line(expression(path) + ".register_parameter(" + pythonQuoted(slot.name) + ", None)");
        } else if (!tie(slot.tensor, path, slot.name, "register_parameter")) {
            const char* frozen = slot.tensor->requiresGrad ? ")" : ", requires_grad=False)";
            assign(path, slot.name, "torch.nn.Parameter(" + newTensor(*slot.tensor, path) + frozen,
                   "register_parameter");
        }
    }
    for (const Module::Slot& slot : module.buffers) {
        if (slot.tensor && tie(slot.tensor, path, slot.name, "register_buffer")) continue;
        const std::string value = slot.tensor ? newTensor(*slot.tensor, path) : std::string("None");
        line(expression(path) + ".register_buffer(" + pythonQuoted(slot.name) + ", " + value +
             (slot.persistent ? ")" : ", persistent=False)"));
    }
}

/// Plain tensors, and of the other attributes those that the graph reads.
void InitWriter::makeAttributes(const Module& module, const std::string& path) {
    for (const auto& [name, value] : module.attributes) {
        if (const auto* argument = std::get_if<Argument>(&value)) {
            const std::string full = joinedPath(path, name);
            if (!m_read.contains(full)) continue;
            if (!isLiteral(*argument)) refuse(Message("codegen.attribute"), full);
            assign(path, name, valueText(*argument), "__setattr__");
        } else if (const auto& tensor = std::get<TensorPtr>(value); tensor && !tie(tensor, path, name, "__setattr__")) {
            assign(path, name, newTensor(*tensor, path), "__setattr__");
        }
    }
}

void InitWriter::visit(const Visit& visit, std::vector<Visit>& open) {
    const std::string path = joinedPath(visit.parent, visit.name);
    if (!visit.module) return assign(visit.parent, visit.name, "None", "add_module");
    const auto [met, isNew] = m_paths.emplace(visit.module, path);
    if (!isNew) return assign(visit.parent, visit.name, expression(met->second), "add_module");
    assign(visit.parent, visit.name, construction(*visit.module, path), "add_module");
    if (isFused(*visit.module))
        for (const Module::Child& child : visit.module->children)
            if (child.module) tieTensors(*child.module, joinedPath(path, child.name));
    if (!isContainer(*visit.module)) return tieTensors(*visit.module, path);
    makeTensors(*visit.module, path);
    makeAttributes(*visit.module, path);
    const auto& children = visit.module->children;
    for (std::size_t i = children.size(); i-- > 0;) open.push_back({children[i].module.get(), path, children[i].name});
}

std::string InitWriter::run() {
    line("super().__init__()");
    for (const auto& [name, subgraph] : m_module.subgraphs)
        assign("", name, m_classNames.at(subgraph.get()) + "()", "add_module");
    if (m_module.lifted.empty()) {
        makeTensors(*m_module.root, "");
        makeAttributes(*m_module.root, "");
        std::vector<Visit> open;
        const auto& children = m_module.root->children;
        for (std::size_t i = children.size(); i-- > 0;)
            open.push_back({children[i].module.get(), "", children[i].name});
        while (!open.empty()) {
            const Visit next = std::move(open.back());
            open.pop_back();
            visit(next, open);
        }
        if (!m_module.root->training) line("self.eval()");
    }
    return "def __init__(self" + m_arguments + "):\n" + m_lines;
}

} // namespace

std::string initSource(const GraphModule& module, const std::unordered_map<const GraphModule*, std::string>& classNames,
                       std::set<std::string>& imports) {
    return InitWriter(module, classNames, imports).run();
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/importer.h"

#include "core/base/joined_path.h"
#include "core/io/torchscript/input_types.h"
#include "core/io/torchscript/leaf_quantised.h"
#include "core/module/purity.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr int kMostCalls = 100; ///< inside each other

std::shared_ptr<const std::vector<ModuleFrame>> inside(const std::vector<ModuleFrame>* outer, const std::string& path,
                                                       const std::string& type) {
    auto stack =
        outer ? std::make_shared<std::vector<ModuleFrame>>(*outer) : std::make_shared<std::vector<ModuleFrame>>();
    std::string key = "L__self__" + path;
    std::replace(key.begin(), key.end(), '.', '_');
    if (!outer || outer->empty() || outer->back().path != path) stack->push_back({key, path, plainClassName(type)});
    return stack;
}

const char* sparseClass(Class::Attribute::Kind kind) {
    return kind == Class::Attribute::Kind::Parameter ? kSparseParameter
           : kind == Class::Attribute::Kind::Buffer  ? kSparseBuffer
                                                     : kSparseTensor;
}

} // namespace

Importer::Importer(const Program& program, const Object& root, const ImportOptions& options, const Progress& progress)
    : m_program(program), m_root(root), m_progress(progress), m_leaves(program), m_options(options),
      m_module(std::make_shared<GraphModule>()) {}

std::shared_ptr<GraphModule> Importer::import(const std::string& method) {
    const Method* found = m_root.type ? m_root.type->method(method) : nullptr;
    if (!found) {
        std::string methods;
        if (m_root.type)
            for (const Method& one : m_root.type->methods) methods += (methods.empty() ? "" : ", ") + one.name;
        throw Error(ErrorKind::Refused, Message("script.no_method", {{"name", method}, {"methods", methods}}));
    }
    m_module->format = Format::TorchScript;
    Frame frame{*found,  std::vector<Symbol>(found->values.size()), "",
                &m_root, inside(nullptr, "", m_root.className),     0};
    makeInputs(frame);
    const Mark inputs = mark();
    const std::vector<Symbol> bound = frame.values;
    try {
        follow(frame, found->body);
        Argument output = tensorArgument(frame, value(frame, found->body.outputs.at(0)));
        m_module->graph.output(asInScript(frame, output));
    } catch (const Unsupported& why) {
        rollBack(inputs), frame.values = bound;
        m_blocks.clear();
        try {
            keepWhole(frame);
        } catch (const Unsupported&) {
            rollBack(inputs), frame.values = bound;
            m_blocks.clear();
            keepFile(frame, why.reason);
        }
    }
    dropUnused();
    for (const fx::Node& node : m_module->graph.nodes())
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr) m_used.insert(node.target());
    m_module->root = m_report.whole ? std::make_shared<Module>() : build(m_root, "");
    m_module->root->className = "GraphModule", m_module->root->classModule = "torch.fx.graph_module";
    if (m_report.whole) addBlocks(*m_module->root, m_root);
    countInBlocks();
    for (const auto& [name, tensor] : m_constants)
        if (m_used.contains(name)) m_module->root->attributes.emplace_back(name, tensor);
    for (const auto& [path, nodes] : modeNodes(m_module->graph))
        if (const auto mode = m_report.modes.find(path); mode != m_report.modes.end())
            mode->second.nodes = static_cast<int>(nodes.size());
    return m_module;
}

std::vector<Symbol> Importer::enter(const Frame& caller, const Method& method, std::vector<Symbol> arguments,
                                    const Object* self, const std::string& path) {
    if (caller.depth >= kMostCalls) throw Unsupported(Message("script.too_deep"));
    const auto stack = self && path != caller.path ? inside(caller.stack.get(), path, self->className) : caller.stack;
    Frame frame{method,
                std::vector<Symbol>(method.values.size()),
                self ? path : caller.path,
                self ? self : caller.self,
                stack,
                caller.depth + 1};
    if (arguments.size() != method.body.inputs.size()) throw Unsupported(Message("script.index"));
    for (std::size_t i = 0; i < arguments.size(); ++i) slot(frame, method.body.inputs[i]) = std::move(arguments[i]);
    follow(frame, method.body);
    std::vector<Symbol> out;
    for (const std::uint32_t id : method.body.outputs) out.push_back(value(frame, id));
    return out;
}

void Importer::bind(Frame& frame, const Node& node, std::vector<Symbol> results) {
    if (results.size() != node.outputs.size()) throw Unsupported(Message("script.index"));
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].type) results[i].type = &typeOf(frame, node.outputs[i]);
        slot(frame, node.outputs[i]) = std::move(results[i]);
    }
}

void Importer::callMethod(Frame& frame, const Node& node) {
    const Symbol self = value(frame, node.inputs.at(0));
    const Class* type = classOf(self);
    const Method* method = type ? type->method(node.name) : nullptr;
    if (!method) throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
    // Packed weights are no values of a graph: their layers are modules also where there are operators only.
    const bool mayBeLeaf =
        self.object && (m_options.leafModules || isQuantisedLeaf(plainClassName(self.object->className)));
    if (mayBeLeaf && callLeaf(frame, node, self, *method)) return;
    if (callBlock(frame, node, self, *method)) return;
    std::vector<Symbol> arguments;
    for (const std::uint32_t id : node.inputs) arguments.push_back(value(frame, id));
    const Mark before = mark();
    try {
        bind(frame, node, enter(frame, *method, std::move(arguments), self.object, self.path));
    } catch (const Unsupported& why) {
        rollBack(before);
        keepInstead(frame, node, why.reason);
    }
}

/// By input of a call, the name of the called module's own tensor that is passed there.
std::vector<std::string> Importer::ownTensors(const Frame& frame, const Node& node, const Symbol& self) const {
    std::vector<std::string> out(node.inputs.size());
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        const Symbol& given = value(frame, node.inputs[i]);
        const TensorPtr tensor = given.is == Symbol::Is::Tensor ? m_root.tensorAt(given.path) : nullptr;
        if (const std::string* name = tensor ? self.object->nameOf(*tensor) : nullptr) out[i] = *name;
    }
    return out;
}

bool Importer::callLeaf(Frame& frame, const Node& node, const Symbol& self, const Method& method) {
    const std::string type = plainClassName(self.object->className);
    const bool isRoot = self.object == &m_root; // a graph calls the modules that it has
    if (isRoot || !self.object->isModule() || !LeafModules::isLeafType(type)) return false;
    const std::optional<LeafCall> leaf = m_leaves.recognise(*self.object, method, ownTensors(frame, node, self));
    // torch.jit.trace leaves nothing of a module that returns its input.
    const bool isGone = type == "torch.nn.modules.linear.Identity" && node.inputs.size() == 1;
    if (!isGone && m_counted.emplace(self.object, "").second)
        ++(leaf ? m_report.leaves[type].first : m_report.leaves[type].second);
    if (!leaf) return false;
    std::vector<Argument> args;
    const auto input = [&](std::uint32_t i) { return tensorArgument(frame, value(frame, node.inputs.at(i + 1))); };
    for (const auto& group : leaf->inputs) {
        if (group.size() == 1) {
            args.push_back(input(group[0]));
            continue;
        }
        std::vector<Argument> items;
        for (const std::uint32_t i : group) items.push_back(input(i));
        args.push_back(Argument::tuple(std::move(items)));
    }
    while (!args.empty() && args.back().isNone()) args.pop_back(); // optional inputs that were left out
    const std::string_view name = leaf->outputs.size() == 1 && leaf->outputs[0].empty() ? nameFor(frame, node) : "";
    Kwargs kwargs;
    for (const auto& [key, given] : leaf->named) {
        const auto* literal = std::get_if<Argument>(&given);
        kwargs.emplace_back(key, literal ? *literal : input(std::get<std::uint32_t>(given)));
    }
    const NodeId id = m_module->graph.createNode(Op::CallModule, self.path, std::move(args), std::move(kwargs), name);
    finish(frame, &node, id);
    std::vector<Symbol> results;
    for (const auto& path : leaf->outputs) {
        Symbol result = Symbol::of(Argument(id));
        for (const std::int64_t index : path) result = part(Symbol::of(argument(frame, result)), index, false);
        results.push_back(std::move(result));
    }
    if (results.size() == node.outputs.size()) return bind(frame, node, std::move(results)), true;
    Symbol tuple;
    tuple.is = Symbol::Is::Tuple, tuple.depth = 1;
    tuple.items = std::make_shared<std::vector<Symbol>>(std::move(results));
    return bind(frame, node, {tuple}), true;
}

void Importer::callFunction(Frame& frame, const Node& node) {
    const Symbol& function = value(frame, node.inputs.at(0));
    if (function.is != Symbol::Is::Function) throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
    std::vector<Symbol> arguments;
    for (std::size_t i = 1; i < node.inputs.size(); ++i) arguments.push_back(value(frame, node.inputs[i]));
    bind(
        frame, node,
        enter(frame, m_program.functions[static_cast<std::size_t>(function.index)], std::move(arguments), nullptr, ""));
}

// ── the module tree ──

/// A module of torch.nn that the graph does not call itself: only blocks or other methods do.
std::shared_ptr<Module> Importer::uncalledLeaf(const Object& object) {
    const Method* forward = object.type ? object.type->method("forward") : nullptr;
    const bool isLeaf = forward && &object != &m_root && object.isModule() && !m_report.whole &&
                        m_options.leafModules && LeafModules::isLeafType(plainClassName(object.className));
    if (!isLeaf) return nullptr;
    const auto call = m_leaves.recognise(object, *forward, std::vector<std::string>(forward->body.inputs.size()));
    return call ? call->module : nullptr;
}

/// A leaf, or a module with the object's tensors and children. The classes of the script exist nowhere else.
std::shared_ptr<Module> Importer::build(const Object& object, const std::string& path) {
    if (const auto known = m_built.find(&object); known != m_built.end()) return known->second;
    if (const auto leaf = m_leaves.module(object)) return m_built[&object] = leaf;
    if (const auto leaf = uncalledLeaf(object)) return m_built[&object] = leaf;
    if (const auto own = m_ownBlocks.find(&object); own != m_ownBlocks.end() && m_used.contains(own->second.first))
        return ++m_report.blocks, m_built[&object] = own->second.second;
    auto module = std::make_shared<Module>();
    m_built[&object] = module;
    const std::string type = plainClassName(object.className);
    const bool isContainer = type == "torch.nn.modules.container.Sequential" ||
                             type == "torch.nn.modules.container.ModuleList" ||
                             type == "torch.nn.modules.container.ModuleDict";
    module->classModule = isContainer ? "torch.nn.modules.container" : "torch.nn.modules.module";
    module->className = isContainer ? type.substr(type.rfind('.') + 1) : "Module";
    addPlainFields(*module, object, path);
    addBlocks(*module, object);
    return module;
}

void Importer::addBlocks(Module& module, const Object& object) {
    const auto blocks = m_blocks.find(&object);
    if (blocks == m_blocks.end()) return;
    for (const auto& [path, block] : blocks->second)
        if (m_used.contains(path)) module.children.push_back(block), ++m_report.blocks;
}

/// Counts the modules of torch.nn that the graph itself does not call.
void Importer::countInBlocks() {
    std::set<const Object*> inside;
    for (const auto& [path, leaves] : m_blockLeaves)
        if (m_used.contains(path)) inside.insert(leaves.begin(), leaves.end());
    std::vector<const Object*> open;
    if (m_report.whole) open.push_back(&m_root);
    for (std::set<const Object*> seen(open.begin(), open.end()); !open.empty();) {
        const Object* object = open.back();
        open.pop_back();
        if (LeafModules::isLeafType(plainClassName(object->className))) {
            inside.insert(object);
            continue;
        }
        for (const auto& [name, field] : object->fields)
            if (const auto* inner = std::get_if<const Object*>(&field); inner && seen.insert(*inner).second)
                open.push_back(*inner);
    }
    for (const Object* object : inside)
        if (!m_counted.contains({object, ""})) ++m_report.inBlocks[plainClassName(object->className)];
}

void Importer::addPlainFields(Module& module, const Object& object, const std::string& path) {
    const bool isTorchs = plainClassName(object.className).starts_with("torch.nn.modules.");
    for (const auto& [name, field] : object.fields) {
        const Class::Attribute* declared = object.type ? object.type->attribute(name) : nullptr;
        const auto kind = declared ? declared->kind : Class::Attribute::Kind::Plain;
        const auto* literal = std::get_if<Argument>(&field);
        const auto* tensor = std::get_if<TensorPtr>(&field);
        const auto* inner = std::get_if<const Object*>(&field);
        if (name == "training") {
            if (const bool* flag = literal ? literal->as<bool>() : nullptr) module.training = *flag;
        } else if (tensor && isSparse(**tensor)) {
            module.children.push_back({name, heldByFile(sparseClass(kind), joinedPath(path, name))});
            ++m_report.sparse;
        } else if (kind == Class::Attribute::Kind::Parameter && (tensor || (literal && literal->isNone()))) {
            module.parameters.push_back({name, tensor ? *tensor : nullptr, true});
        } else if (kind == Class::Attribute::Kind::Buffer && (tensor || (literal && literal->isNone()))) {
            module.buffers.push_back({name, tensor ? *tensor : nullptr, true});
        } else if (tensor) {
            module.attributes.emplace_back(name, *tensor);
        } else if (inner && (*inner)->isTorchBind()) {
            addTorchBind(module, name, **inner, joinedPath(path, name));
        } else if (inner) {
            module.children.push_back({name, build(**inner, joinedPath(path, name))});
            if (!(*inner)->isModule()) m_report.attributes.push_back(joinedPath(path, name)); // its methods
        } else if (literal || !isTorchs || !name.starts_with('_')) {
            addLiteral(module, name, literal, path); // not `_flat_weights` of an RNN: they are its parameters
        }
    }
    if (!object.type) return;
    for (const auto& [name, place] : object.type->constants)
        if (!object.field(name))
            addLiteral(module, name, std::get_if<Argument>(&m_program.constants[static_cast<std::size_t>(place)]),
                       path);
}

/// An attribute of a module that is no tensor; null: a list of tensors and the like.
void Importer::addLiteral(Module& module, const std::string& name, const Argument* literal, const std::string& path) {
    if (name.starts_with("_is_full_backward_hook")) return;
    if (literal && !literal->as<OpaqueObject>()) module.attributes.emplace_back(name, *literal);
    else m_report.attributes.push_back(joinedPath(path, name));
}

/// The mode is a constant where it is read: train() and eval() do not change the graph there.
void Importer::noteMode(const Object& object, const std::string& path, const std::string& attribute) {
    if (attribute == "training" && object.isModule()) ++m_report.modes[path].reads;
}

/// What stands for a value that stays in the file: a run takes it from there.
std::shared_ptr<Module> Importer::heldByFile(std::string_view type, const std::string& path) const {
    auto held = std::make_shared<Module>();
    const std::size_t dot = type.rfind('.');
    held->className = type.substr(dot + 1), held->classModule = type.substr(0, dot);
    held->training = false;
    held->attributes.emplace_back("path", Argument(m_options.path));
    held->attributes.emplace_back("attribute", Argument(path));
    held->attributes.emplace_back(kDigest, Argument(m_options.digest));
    return held;
}

/// Packed weights are data. What another object of a C++ class holds only LibTorch knows: it stays in the file.
void Importer::addTorchBind(Module& module, const std::string& name, const Object& object, const std::string& path) {
    const auto read = m_objects.find(&object);
    if (object.packed) return module.children.push_back({name, object.packed});
    if (read == m_objects.end()) return m_report.attributes.push_back(path);
    module.children.push_back({name, heldByFile(object.className, read->second)});
    ++m_report.objects;
}

/// What only served conditions that are known.
void Importer::dropUnused() {
    Graph& graph = m_module->graph;
    for (NodeId id = graph.last(), before = kNoNode; id != kNoNode && id != m_lastInput; id = before) {
        before = graph.prev(id);
        const fx::Node& node = graph.node(id);
        const bool plain = node.op() == Op::GetAttr || node.op() == Op::CallMethod ||
                           (node.op() == Op::CallModule && m_pureBlocks.contains(node.target())) ||
                           (node.op() == Op::CallFunction && !isImpure(Module(), node));
        if (plain && node.users().empty()) graph.erase(id);
    }
}

} // namespace fx::script

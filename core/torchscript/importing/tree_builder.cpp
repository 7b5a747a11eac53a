// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/tree_builder.h"

#include "core/base/joined_path.h"

namespace fx::script {
namespace {

const char* sparseClass(Class::Attribute::Kind kind) {
    return kind == Class::Attribute::Kind::Parameter ? kSparseParameter
           : kind == Class::Attribute::Kind::Buffer  ? kSparseBuffer
                                                     : kSparseTensor;
}

} // namespace

std::shared_ptr<Module> TreeBuilder::build() {
    auto root = m_report.whole ? std::make_shared<Module>() : build(m_parts.root, "");
    root->className = "GraphModule", root->classModule = "torch.fx.graph_module";
    if (m_report.whole) addBlocks(*root, m_parts.root);
    for (const auto& [name, tensor] : m_parts.constants.tensors())
        if (m_parts.used.contains(name)) root->attributes.emplace_back(name, tensor);
    return root;
}

/// A module of torch.nn that the graph does not call itself: only blocks or other methods do.
std::shared_ptr<Module> TreeBuilder::uncalledLeaf(const Object& object) {
    const Method* forward = object.type ? object.type->method("forward") : nullptr;
    const bool isLeaf = forward && &object != &m_parts.root && object.isModule() && !m_report.whole &&
                        m_parts.options.leafModules && LeafModules::isLeafType(plainClassName(object.className));
    if (!isLeaf) return nullptr;
    const auto call = m_parts.leaves.recognise(object, *forward, std::vector<std::string>(forward->body.inputs.size()));
    return call ? call->module : nullptr;
}

/// A leaf, or a module with the object's tensors and children. The classes of the script exist nowhere else.
std::shared_ptr<Module> TreeBuilder::build(const Object& object, const std::string& path) {
    if (const auto known = m_built.find(&object); known != m_built.end()) return known->second;
    if (const auto leaf = m_parts.leaves.module(object)) return m_built[&object] = leaf;
    if (const auto leaf = uncalledLeaf(object)) return m_built[&object] = leaf;
    if (const auto* own = m_parts.blocks.written(object); own && m_parts.used.contains(own->first))
        return ++m_report.blocks, m_built[&object] = own->second;
    auto module = std::make_shared<Module>();
    m_built[&object] = module;
    const std::string type = plainClassName(object.className);
    const bool isContainer = type == "torch.nn.modules.container.Sequential" ||
                             type == "torch.nn.modules.container.ModuleList" ||
                             type == "torch.nn.modules.container.ModuleDict";
    module->classModule = isContainer ? "torch.nn.modules.container" : "torch.nn.modules.module";
    module->className = isContainer ? type.substr(type.rfind('.') + 1) : "Module";
    addFields(*module, object, path);
    addBlocks(*module, object);
    return module;
}

void TreeBuilder::addBlocks(Module& module, const Object& object) {
    for (const auto& [path, block] : m_parts.blocks.newOf(object))
        if (m_parts.used.contains(path)) module.children.push_back(block), ++m_report.blocks;
}

void TreeBuilder::addFields(Module& module, const Object& object, const std::string& path) {
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
            addLiteral(module, name, std::get_if<Argument>(&m_parts.program.constants[static_cast<std::size_t>(place)]),
                       path);
}

/// An attribute of a module that is no tensor; null: a list of tensors and the like.
void TreeBuilder::addLiteral(Module& module, const std::string& name, const Argument* literal,
                             const std::string& path) {
    if (name.starts_with("_is_full_backward_hook")) return;
    if (literal && !literal->as<OpaqueObject>()) module.attributes.emplace_back(name, *literal);
    else m_report.attributes.push_back(joinedPath(path, name));
}

/// Placeholder for a value that stays in the file, from which a run takes it.
std::shared_ptr<Module> TreeBuilder::heldByFile(std::string_view type, const std::string& path) const {
    auto held = std::make_shared<Module>();
    const std::size_t dot = type.rfind('.');
    held->className = type.substr(dot + 1), held->classModule = type.substr(0, dot);
    held->training = false;
    held->attributes.emplace_back("path", Argument(m_parts.options.path));
    held->attributes.emplace_back("attribute", Argument(path));
    held->attributes.emplace_back(kDigest, Argument(m_parts.options.digest));
    return held;
}

/// Packed weights are data. What another object of a C++ class holds only LibTorch knows: it stays in the file.
void TreeBuilder::addTorchBind(Module& module, const std::string& name, const Object& object, const std::string& path) {
    const auto read = m_parts.objects.find(&object);
    if (object.packed) return module.children.push_back({name, object.packed});
    if (read == m_parts.objects.end()) return m_report.attributes.push_back(path);
    module.children.push_back({name, heldByFile(object.className, read->second)});
    ++m_report.objects;
}

} // namespace fx::script

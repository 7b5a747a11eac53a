// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/loaded_root.h"

#include "core/module/script_object.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {

namespace {

/// A module that is being put together; each name is taken once.
class Target {
public:
    explicit Target(Module& module) : m_module(module) {}

    Module& module() { return m_module; }
    /// The child of that name, or null.
    const Module* child(const std::string& name) const {
        const auto found = m_names.find(name);
        return found == m_names.end() ? nullptr : found->second;
    }
    void addChild(const std::string& name, const std::shared_ptr<Module>& child) {
        if (m_names.emplace(name, child.get()).second) m_module.children.push_back({name, child});
    }
    void addSlot(std::vector<Module::Slot>& slots, const std::string& name, const TensorPtr& tensor) {
        if (m_names.emplace(name, nullptr).second) slots.push_back({name, tensor});
    }
    void addAttribute(const std::string& name, const std::variant<Argument, TensorPtr>& value) {
        if (m_names.emplace(name, nullptr).second) m_module.attributes.emplace_back(name, value);
    }

private:
    Module& m_module;
    std::unordered_map<std::string, const Module*> m_names;
};

/// Builds a root's successor and, where a path leads through a module that it lacks, empty modules on the way.
class Loader {
public:
    Loader(const Module& from, Module& to) : m_from(from), m_paths(from), m_target(to) {}

    /// ScriptObjects are attributes to PyTorch: they come as the graph names them, and then as the others.
    void copyTree() {
        std::unordered_set<const void*> seen;
        for (const Module::Child& child : m_from.children)
            if (child.module && !isScriptObject(*child.module) && seen.insert(child.module.get()).second)
                m_target.addChild(child.name, child.module);
        for (const auto* slots : {&m_from.buffers, &m_from.parameters})
            for (const Module::Slot& slot : *slots)
                if (slot.tensor && seen.insert(slot.tensor.get()).second)
                    m_target.addSlot(slots == &m_from.buffers ? m_target.module().buffers
                                                              : m_target.module().parameters,
                                     slot.name, slot.tensor);
    }

    /// torch.fx `_copy_attr`
    void copyPath(const std::string& path) {
        Target* to = &m_target;
        std::size_t start = 0;
        for (std::size_t dot; (dot = path.find('.', start)) != std::string::npos; start = dot + 1) {
            const std::string atom = path.substr(start, dot - start);
            const Module* next = m_paths.resolve(std::string_view(path).substr(0, dot)).module;
            if (!next) return;
            const Module* there = to->child(atom);
            if (there == next) return; // the whole child is there already
            to = there ? existing(there) : created(*to, atom);
            if (!to) return;
        }
        copyMember(m_paths.resolve(path), *to, path.substr(start));
    }

    /// Attributes of the file that the new module does not have already.
    void copyAttributes() {
        for (const Module::Child& child : m_from.children)
            if (child.module && isScriptObject(*child.module)) m_target.addChild(child.name, child.module);
        for (const auto& [name, value] : m_from.attributes) m_target.addAttribute(name, value);
    }

private:
    void copyMember(const PathTarget& member, Target& to, const std::string& name) {
        if (member.kind == PathTarget::Kind::Module) to.addChild(name, member.shared);
        else if (member.tensor)
            to.addSlot(member.tensor->isParameter ? to.module().parameters : to.module().buffers, name, member.tensor);
        else if (member.value) to.addAttribute(name, *member.value);
    }
    Target* created(Target& to, const std::string& atom) {
        auto module = emptyModule();
        to.addChild(atom, module);
        return m_made.emplace(module.get(), std::make_unique<Target>(*module)).first->second.get();
    }
    Target* existing(const Module* module) {
        const auto found = m_made.find(module);
        return found == m_made.end() ? nullptr : found->second.get();
    }

    const Module& m_from;
    PathResolver m_paths;
    Target m_target;
    std::unordered_map<const Module*, std::unique_ptr<Target>> m_made;
};

} // namespace

void applyLoad(GraphModule& module) {
    const Module& from = *module.root;
    auto to = std::make_shared<Module>();
    to->className = module.className;
    to->classModule = from.classModule;
    to->training = from.training;
    to->origin = from.origin;
    Loader loader(from, *to);
    loader.copyTree();
    for (const Node& node : module.graph.nodes())
        if (node.op() == Op::GetAttr || node.op() == Op::CallModule) loader.copyPath(node.target());
    loader.copyAttributes();
    module.root = std::move(to);
}

} // namespace fx

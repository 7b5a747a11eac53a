// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module.h"

#include "core/base/joined_path.h"
#include "core/base/pointer_set.h"
#include "core/module/child_lookup.h"
#include "core/module/graph_module.h"
#include "core/module/script_object.h"

#include <algorithm>
#include <unordered_set>

namespace fx {

namespace {

template<class Entries> auto findNamed(const Entries& entries, std::string_view name) {
    return std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
}

} // namespace

std::shared_ptr<Module> emptyModule(std::string_view type) {
    auto module = std::make_shared<Module>();
    module->setType(type);
    return module;
}

void Module::setType(std::string_view type) {
    std::string name(lastAtom(type)), place(parentPath(type)); // `type` may be a part of the old names
    className = std::move(name);
    classModule = std::move(place);
}

const Module* Module::child(std::string_view name) const {
    const std::size_t at = childIndex(name);
    return at == children.size() ? nullptr : children[at].module.get();
}

std::size_t Module::childIndex(std::string_view name) const {
    return static_cast<std::size_t>(findNamed(children, name) - children.begin());
}

const Module::Slot* Module::parameter(std::string_view name) const {
    const auto found = findNamed(parameters, name);
    return found == parameters.end() ? nullptr : &*found;
}

const Module::Slot* Module::buffer(std::string_view name) const {
    const auto found = findNamed(buffers, name);
    return found == buffers.end() ? nullptr : &*found;
}

TensorPtr Module::tensor(std::string_view name) const {
    const Slot* slot = parameter(name);
    if (!slot) slot = buffer(name);
    return slot ? slot->tensor : nullptr;
}

const std::variant<Argument, TensorPtr>* Module::attribute(std::string_view name) const {
    for (const auto& [key, value] : attributes)
        if (key == name) return &value;
    return nullptr;
}

const Argument* Module::setting(std::string_view name) const {
    const auto* value = attribute(name);
    return value ? std::get_if<Argument>(value) : nullptr;
}

// ── paths ──────────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

constexpr std::size_t kIndexFrom = 16; ///< members from which a module is indexed

} // namespace

/// Where a module keeps a name, in the order in which Python's getattr looks.
std::optional<PathResolver::Place> PathResolver::find(const Module& module, std::string_view name) {
    using Kind = Place::Kind;
    const auto each = [&](const auto& visit) {
        for (std::size_t i = 0; i < module.attributes.size(); ++i)
            visit(module.attributes[i].first, Place{Kind::Attribute, i});
        for (std::size_t i = 0; i < module.parameters.size(); ++i)
            visit(module.parameters[i].name, Place{Kind::Parameter, i});
        for (std::size_t i = 0; i < module.buffers.size(); ++i) visit(module.buffers[i].name, Place{Kind::Buffer, i});
    };
    const std::size_t own = module.attributes.size() + module.parameters.size() + module.buffers.size();
    if (m_children || own + module.children.size() < kIndexFrom) {
        std::optional<Place> found;
        each([&](std::string_view key, Place place) {
            if (!found && key == name) found = place;
        });
        if (found) return found;
        const std::size_t child = m_children ? m_children->find(module, name) : module.childIndex(name);
        return child < module.children.size() ? std::optional(Place{Kind::Child, child}) : std::nullopt;
    }
    const auto [entry, isNew] = m_indexes.try_emplace(&module);
    Index& index = entry->second;
    if (isNew) {
        index.names.reserve(own + module.children.size());
        const auto enter = [&index](std::string_view key, Place place) {
            const auto number = static_cast<std::uint32_t>(index.places.size());
            if (index.names.enter(key, number) == number) index.places.push_back(place);
        };
        each(enter);
        for (std::size_t i = 0; i < module.children.size(); ++i) enter(module.children[i].name, Place{Kind::Child, i});
    }
    const std::uint32_t at = index.names.find(name);
    return at == NameIndex::kNone ? std::nullopt : std::optional(index.places[at]);
}

/// What `getattr(module, name)` gives.
PathTarget PathResolver::member(const Module& module, std::string_view name) {
    using Kind = PathTarget::Kind;
    static const Argument none;
    PathTarget target;
    target.holder = &module;
    const std::optional<Place> place = find(module, name);
    if (!place) {
        target.missingAt = name;
    } else if (place->kind == Place::Kind::Attribute) {
        const auto& value = module.attributes[place->index].second;
        const auto* tensor = std::get_if<TensorPtr>(&value);
        target.kind = tensor ? Kind::Tensor : Kind::Attribute;
        if (tensor) target.tensor = *tensor;
        else target.value = &std::get<Argument>(value);
    } else if (place->kind == Place::Kind::Child) {
        target.shared = module.children[place->index].module;
        target.module = target.shared.get();
        target.kind = target.module ? Kind::Module : Kind::Attribute;
        if (target.module) target.holder = target.module;
        else target.value = &none;
    } else {
        const bool isParameter = place->kind == Place::Kind::Parameter;
        target.kind = isParameter ? Kind::Parameter : Kind::Buffer;
        const Module::Slot& slot = (isParameter ? module.parameters : module.buffers)[place->index];
        target.tensor = slot.tensor, target.persistent = slot.persistent;
    }
    return target;
}

PathTarget PathResolver::resolve(std::string_view path) {
    PathTarget target;
    target.kind = PathTarget::Kind::Module;
    target.module = target.holder = &m_root;
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        const std::string_view atom = path.substr(0, dot);
        if (!target.module) { // an attribute of something that is no module
            PathTarget missing;
            missing.missingAt = atom;
            missing.holder = target.holder;
            return missing;
        }
        target = member(*target.module, atom);
        if (target.kind == PathTarget::Kind::Missing) return target;
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return target;
}

PathTarget resolvePath(const Module& root, std::string_view path, ChildLookup& children) {
    return PathResolver(root, children).resolve(path);
}

PathTarget resolvePath(const Module& root, std::string_view path) {
    ChildLookup children;
    return resolvePath(root, path, children);
}

// ── walks ──────────────────────────────────────────────────────────────────────────────────────────────────────────

void forEachModule(const Module& root, const std::function<void(const std::string& path, const Module&)>& visit) {
    struct Entry {
        const Module* module;
        const std::string* name; ///< null for the root
        std::size_t above;       ///< length of the path of its parent
    };
    PointerSet seen;
    std::string path; // of the last visit: starts with that of the parent of the next one
    std::vector<Entry> stack{{&root, nullptr, 0}};
    while (!stack.empty()) {
        const Entry entry = stack.back();
        stack.pop_back();
        if (!seen.insert(entry.module)) continue;
        path.resize(entry.above);
        if (entry.above > 0) path += '.';
        if (entry.name) path += *entry.name;
        visit(path, *entry.module);
        const auto& children = entry.module->children;
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            if (child->module) stack.push_back({child->module.get(), &child->name, path.size()});
    }
}

namespace {

/// What a called TorchScript file has: [tensors, elements, bytes].
void addHeld(const Module& module, std::string_view name, TensorTotals& into) {
    const Argument* held = module.setting(name);
    const Sequence* numbers = held ? held->asList() : nullptr;
    if (!numbers || numbers->items.size() != 3) return;
    std::int64_t* const sums[] = {&into.tensors, &into.elements, &into.bytes};
    for (std::size_t i = 0; i < 3; ++i)
        if (const auto* number = numbers->items[i].as<std::int64_t>()) *sums[i] += *number;
}

} // namespace

ModuleTotals totals(const Module& root) {
    ModuleTotals result;
    std::unordered_set<const TensorRef*> seen;
    const auto count = [&](const std::vector<Module::Slot>& slots, TensorTotals& into) {
        for (const Module::Slot& slot : slots) {
            if (!slot.tensor || !seen.insert(slot.tensor.get()).second) continue;
            into.tensors += 1;
            into.elements += slot.tensor->elementCount();
            into.bytes += slot.tensor->byteCount();
        }
    };
    forEachModule(root, [&](const std::string&, const Module& module) {
        result.modules += &module != &root && !isScriptObject(module);
        count(module.parameters, result.parameters);
        count(module.buffers, result.buffers);
        if (module.classModule != kScriptParts) return;
        addHeld(module, "parameters", result.parameters);
        addHeld(module, "buffers", result.buffers);
    });
    return result;
}

std::string_view formatName(Format format) {
    switch (format) {
    case Format::GraphModule: return "graphmodule";
    case Format::Folder: return "folder";
    case Format::Pt2: return "pt2";
    case Format::TorchScript: return "torchscript";
    case Format::Python: return "python";
    case Format::Ir: return "ir";
    case Format::Lancet: return "lancet";
    case Format::CompileGraph: return "compile_graph";
    }
    return "unknown";
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/name_index.h"
#include "core/ir/graph.h"
#include "core/tensor/tensor_ref.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace fx {

class ChildLookup;
class GraphModule;

/// An nn.Module as data: class, settings, parameters, buffers and children, in their original order.
struct Module {
    std::string className;   ///< "Conv2d"
    std::string classModule; ///< "torch.nn.modules.conv"
    bool training = true;    ///< `self.training`

    /// A registered parameter or buffer.
    struct Slot {
        std::string name;       ///< name without the path of the module
        TensorPtr tensor;       ///< null if registered as None
        bool persistent = true; ///< buffers only
    };
    std::vector<Slot> parameters; ///< `_parameters`, in order
    std::vector<Slot> buffers;    ///< `_buffers`, in order
    /// A registered submodule.
    struct Child {
        std::string name;               ///< name without the path of the module
        std::shared_ptr<Module> module; ///< null if registered as None; one Module may be the child of several
    };
    std::vector<Child> children; ///< `_modules`, in order
    /// All other attributes of the instance in order: `in_features`, user attributes, plain tensors, opaque objects.
    /// Hook dictionaries and other fields of every module are excluded and stay in the origin, but modules of traced
    /// source have the hooks of weight_norm and spectral_norm as `_forward_pre_hooks`. A pytree TreeSpec is a
    /// NamedTuple `TreeSpec(type, context, children)`, a leaf of it `TreeSpec(None, None, [])`.
    std::vector<std::pair<std::string, std::variant<Argument, TensorPtr>>> attributes;
    /// The pickled object that it was read from.
    FileObject origin;

    /// The graph of a module that is itself a GraphModule, else null. `graphModule->root` is a copy of this Module,
    /// with the same children and tensors but without a `graphModule`.
    std::shared_ptr<GraphModule> graphModule;

    /// The class with its Python module: "torch.nn.modules.conv.Conv2d".
    std::string qualifiedType() const { return classModule.empty() ? className : classModule + "." + className; }
    /// Sets the class, as `qualifiedType` returns it.
    void setType(std::string_view type);
    /// Returns the child, or null if it is missing or None.
    const Module* child(std::string_view name) const;
    std::size_t childIndex(std::string_view name) const; ///< the index in `children`, or their number
    /// Returns the parameter slot, or null.
    const Slot* parameter(std::string_view name) const;
    /// Returns the buffer slot, or null.
    const Slot* buffer(std::string_view name) const;
    /// Returns the parameter or buffer, or null if it is missing or None.
    TensorPtr tensor(std::string_view name) const;
    /// Returns the attribute, or null.
    const std::variant<Argument, TensorPtr>* attribute(std::string_view name) const;
    /// Returns an attribute that is not a tensor, or null.
    const Argument* setting(std::string_view name) const;
    /// Returns an attribute if it is a T, or null.
    template<class T> const T* setting(std::string_view name) const {
        const Argument* value = setting(name);
        return value ? value->as<T>() : nullptr;
    }
};

/// The member that a dotted path leads to, as with Python's chained getattr.
struct PathTarget {
    enum class Kind : std::uint8_t { Missing, Module, Parameter, Buffer, Tensor, Attribute };
    Kind kind = Kind::Missing;
    const Module* module = nullptr;  ///< for Module
    std::shared_ptr<Module> shared;  ///< the owner of `module`; null for the root itself
    TensorPtr tensor;                ///< for Parameter, Buffer, Tensor
    bool persistent = true;          ///< for Buffer
    const Argument* value = nullptr; ///< for Attribute; owned by the module
    std::string missingAt;           ///< the atom that does not exist, for Missing
    const Module* holder = nullptr;  ///< the last existing module on the path
};
/// Resolves a path from `root`. Linear in the members of the modules on the path.
PathTarget resolvePath(const Module& root, std::string_view path);
/// Resolves a path with the cache of `children`, for many paths in a tree that is edited in between.
PathTarget resolvePath(const Module& root, std::string_view path, ChildLookup& children);

/// Resolves many paths in one tree, which must not change. Wide modules are indexed on first use, so that the cost is
/// the length of the path, not the number of siblings. Not thread-safe.
class PathResolver {
public:
    explicit PathResolver(const Module& root) : m_root(root) {}
    /// Returns the result of `resolvePath(root, path)`.
    PathTarget resolve(std::string_view path);

private:
    friend PathTarget resolvePath(const Module& root, std::string_view path, ChildLookup& children);
    struct Place {
        enum class Kind : std::uint8_t { Attribute, Parameter, Buffer, Child } kind;
        std::size_t index;
    };
    /// Resolves a single path with an external cache.
    PathResolver(const Module& root, ChildLookup& children) : m_root(root), m_children(&children) {}
    struct Index {
        NameIndex names; ///< from name to index in `places`
        std::vector<Place> places;
    };
    std::optional<Place> find(const Module& module, std::string_view name);
    PathTarget member(const Module& module, std::string_view name);

    const Module& m_root;
    ChildLookup* m_children = nullptr;
    std::unordered_map<const Module*, Index> m_indexes;
};

/// Visits the tree in the order of `named_modules`: each distinct module once, the root first (path ""). Iterative.
/// Nested GraphModules are visited as modules.
void forEachModule(const Module& root, const std::function<void(const std::string& path, const Module&)>& visit);

/// Creates an empty module of a class, by default torch.nn.Module.
std::shared_ptr<Module> emptyModule(std::string_view type = "torch.nn.modules.module.Module");

/// Calls `use(name, tensor)` for each tensor of a module without its children: parameters, buffers, attributes.
/// `tensor` is a TensorPtr that is not null; `use` may replace it if `module` is not const.
template<class AnyModule, class Use> void forEachOwnTensor(AnyModule& module, const Use& use) {
    for (auto* slots : {&module.parameters, &module.buffers})
        for (auto& slot : *slots)
            if (slot.tensor) use(slot.name, slot.tensor);
    for (auto& [name, value] : module.attributes)
        if (auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor) use(name, *tensor);
}

/// Totals of tensors; tied tensors count once.
struct TensorTotals {
    std::int64_t tensors = 0, elements = 0, bytes = 0; ///< tensors, elements and their memory in bytes
};
/// Totals of a module tree; shared objects count once.
struct ModuleTotals {
    std::int64_t modules = 0; ///< distinct modules without the root
    TensorTotals parameters, buffers;
};
/// Computes the totals of a module tree.
ModuleTotals totals(const Module& root);

} // namespace fx

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
    bool training = true;

    struct Slot {
        std::string name;
        TensorPtr tensor;       ///< null if registered as None
        bool persistent = true; ///< buffers only
    };
    std::vector<Slot> parameters;
    std::vector<Slot> buffers;
    struct Child {
        std::string name;
        std::shared_ptr<Module> module; ///< null if registered as None. One Module may be the child of several.
    };
    std::vector<Child> children;
    /// All other attributes of the instance (`in_features`, user attributes, plain tensors, opaque objects), in order.
    /// Hook dictionaries and other fields common to all modules are not listed; they stay in the origin. Modules of
    /// traced source have the hooks of weight_norm and spectral_norm as `_forward_pre_hooks`. A pytree
    /// TreeSpec is a NamedTuple `TreeSpec(type, context, children)`, a leaf of it `TreeSpec(None, None, [])`.
    std::vector<std::pair<std::string, std::variant<Argument, TensorPtr>>> attributes;
    FileObject origin;

    /// The graph of a child that is itself a GraphModule, else null. `graphModule->root` is a copy of this Module, with
    /// the same children and tensors but without a `graphModule`.
    std::shared_ptr<GraphModule> graphModule;

    /// "torch.nn.modules.conv.Conv2d"
    std::string qualifiedType() const { return classModule.empty() ? className : classModule + "." + className; }
    const Module* child(std::string_view name) const;
    std::size_t childIndex(std::string_view name) const; ///< in `children`, or their number
    const Slot* parameter(std::string_view name) const;
    const Slot* buffer(std::string_view name) const;
    const std::variant<Argument, TensorPtr>* attribute(std::string_view name) const;
    /// An attribute that is no tensor, or null; with a type, only if it is one.
    const Argument* setting(std::string_view name) const;
    template<class T> const T* setting(std::string_view name) const {
        const Argument* value = setting(name);
        return value ? value->as<T>() : nullptr;
    }
};

/// The target of a dotted path from a module, as with Python's chained getattr.
struct PathTarget {
    enum class Kind : std::uint8_t { Missing, Module, Parameter, Buffer, Tensor, Attribute };
    Kind kind = Kind::Missing;
    const Module* module = nullptr;  ///< for Module
    std::shared_ptr<Module> shared;  ///< the same with its ownership; null for the root itself
    TensorPtr tensor;                ///< for Parameter, Buffer, Tensor
    bool persistent = true;          ///< for Buffer
    const Argument* value = nullptr; ///< for Attribute
    std::string missingAt;           ///< the atom that does not exist, for Missing
    const Module* holder = nullptr;  ///< the last existing module on the path
};
PathTarget resolvePath(const Module& root, std::string_view path);
/// The same with what `children` knows, for many paths in a tree that changes in between.
PathTarget resolvePath(const Module& root, std::string_view path, ChildLookup& children);

/// Resolves many paths in one tree, which must not change meanwhile. Wide modules are indexed on first use, so that a
/// path costs its length and not the number of siblings. Not thread-safe.
class PathResolver {
public:
    explicit PathResolver(const Module& root) : m_root(root) {}
    /// Like `resolvePath(root, path)`.
    PathTarget resolve(std::string_view path);

private:
    friend PathTarget resolvePath(const Module& root, std::string_view path, ChildLookup& children);
    struct Place {
        enum class Kind : std::uint8_t { Attribute, Parameter, Buffer, Child } kind;
        std::size_t index;
    };
    /// For a single path, with another index.
    PathResolver(const Module& root, ChildLookup& children) : m_root(root), m_children(&children) {}
    struct Index {
        NameIndex names; ///< to `places`
        std::vector<Place> places;
    };
    std::optional<Place> find(const Module& module, std::string_view name);
    PathTarget member(const Module& module, std::string_view name);

    const Module& m_root;
    ChildLookup* m_children = nullptr;
    std::unordered_map<const Module*, Index> m_indexes;
};

/// Visits the tree in `named_modules` order: each distinct module once, root first (path ""), iteratively. Nested
/// GraphModules are visited as modules.
void forEachModule(const Module& root, const std::function<void(const std::string& path, const Module&)>& visit);

/// Totals of a tree; tied tensors count once.
struct TensorTotals {
    std::int64_t tensors = 0, elements = 0, bytes = 0;
};
/// Totals of a whole tree; shared objects count once.
struct ModuleTotals {
    std::int64_t modules = 0; ///< distinct modules without the root
    TensorTotals parameters, buffers;
};
ModuleTotals totals(const Module& root);

} // namespace fx

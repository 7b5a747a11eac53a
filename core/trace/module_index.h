// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/text_hash.h"
#include "core/trace/value.h"

#include <string_view>
#include <unordered_map>

namespace fx::trace {

/// Looks up the paths of modules and tensors in a module tree in O(1), like torch.fx with `named_modules`,
/// `named_parameters` and `named_buffers` (the first name wins), and members of a module by name.
class ModuleIndex {
public:
    explicit ModuleIndex(Module& root);

    Module& root() const { return m_root; } ///< the root of the tree
    /// Returns the path of a module, or null if it is not in the tree.
    const std::string* modulePath(const Module* module) const { return find(m_modules, module); }
    /// Returns the path of a parameter, or null.
    const std::string* parameterPath(const TensorRef* tensor) const { return find(m_parameters, tensor); }
    /// Returns the path of a buffer, or null.
    const std::string* bufferPath(const TensorRef* tensor) const { return find(m_buffers, tensor); }
    /// Returns the path of a tensor that is a plain attribute of a module, or null.
    const std::string* attributePath(const TensorRef* tensor) const { return find(m_attributes, tensor); }

    /// Returns `module.name` before torch.fx turns it into a proxy. Parameters are TensorValues with isParameter set.
    std::optional<Value> member(const Module& module, std::string_view name);

    /// Reads the parameters and buffers of all modules again after the code has replaced some.
    void readTensors();

    /// Stores a constant on the root under a fresh `_tensor_constantN` and returns that name.
    std::string addConstant(const TensorPtr& tensor);

private:
    template<class Key> static const std::string* find(const std::unordered_map<Key, std::string>& map, Key key) {
        const auto found = map.find(key);
        return found == map.end() ? nullptr : &found->second;
    }
    using Members = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
    const Members& membersOf(const Module& module);

    Module& m_root;
    std::unordered_map<const Module*, std::string> m_modules;
    std::unordered_map<const TensorRef*, std::string> m_parameters, m_buffers, m_attributes;
    std::unordered_map<const Module*, Members> m_members;
    std::size_t m_nextConstant = 0;
};

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/id_list.h"
#include "core/base/ordered_id_set.h"
#include "core/base/rare.h"
#include "core/ir/argument.h"
#include "core/ir/callable.h"
#include "core/ir/type_expr.h"

#include <optional>

namespace fx {

/// The opcode of a node; `opName` returns torch.fx's name.
enum class Op : std::uint8_t { Placeholder, GetAttr, CallFunction, CallMethod, CallModule, Output };
/// Returns torch.fx's name of an opcode: "call_function".
std::string_view opName(Op op);
/// Returns the opcode of a torch.fx name.
std::optional<Op> opFromName(std::string_view name);

/// One entry of `nn_module_stack`. Stacks list the outermost module first.
struct ModuleFrame {
    std::string key;  ///< "L__self__layer1"
    std::string path; ///< "layer1.0"
    std::string type; ///< "torchvision.models.resnet.BasicBlock"
    bool operator==(const ModuleFrame&) const = default;
};

/// Describes the tensor (or number) that a node produces.
struct ValueInfo {
    std::string dtype;                ///< "torch.float32", "int", "bool", "float"; empty if unknown
    std::vector<std::string> sizes;   ///< printed sizes; symbolic ones are expressions: {"s77", "3"}
    std::vector<std::string> strides; ///< printed strides, as `sizes`
    std::string device;               ///< "cpu"
    bool isTensor = true;             ///< false for a symbolic number
    bool requiresGrad = false;
    /// Formats the shape: "1×64×56×56"; "" if unknown; "scalar" without dimensions.
    std::string shapeText() const;
    bool operator==(const ValueInfo&) const = default;
};

/// The metadata of a node (`node.meta`): shared, immutable, and replaced as a whole.
struct NodeMeta {
    std::vector<ModuleFrame> moduleStack;                   ///< torch.fx `nn_module_stack`
    std::string stackTrace;                                 ///< torch.fx `stack_trace`: Python's text, several lines
    std::vector<ValueInfo> values;                          ///< one per tensor that the node produces
    bool wrapped = false;                                   ///< torch.fx.wrap: the code prints `wrap("name")`
    std::vector<std::pair<std::string, std::string>> other; ///< unknown keys with their values as text, in order
};
/// Metadata that copies of a node share.
using MetaPtr = std::shared_ptr<const NodeMeta>;

/// A node of a Graph, like torch.fx.Node. Only Graph changes it.
///
/// `target()` is the text of a placeholder, get_attr, call_method, call_module or output. A call_function has the
/// qualified name of its callable as target, and `callable()` is not null.
class Node {
public:
    NodeId id() const { return m_id; } ///< never changes
    Op op() const { return m_op; }
    /// Unique in the graph, unless `Graph::setNameUnchecked` set it.
    const std::string& name() const { return m_name; }
    const std::string& target() const { return m_callable ? m_callable->qualifiedName : m_target; }
    /// The callable of a call_function; null for other opcodes.
    const CallablePtr& callable() const { return m_callable; }
    const std::vector<Argument>& args() const { return m_args; } ///< torch.fx `args`
    const Kwargs& kwargs() const { return m_kwargs.get(); }      ///< torch.fx `kwargs`, in order
    /// Returns a keyword argument, or null.
    const Argument* kwarg(std::string_view name) const {
        for (const auto& [key, value] : kwargs())
            if (key == name) return &value;
        return nullptr;
    }
    /// Returns the argument at a position, or else by keyword; null if neither is given.
    const Argument* argument(std::size_t place, std::string_view name) const {
        return place < m_args.size() ? &m_args[place] : kwarg(name);
    }
    /// torch.fx `_input_nodes`: each input once, in order of first appearance, args before kwargs.
    IdSpan<NodeId> inputs() const { return m_inputs.span(); }
    /// torch.fx `users`, in order of insertion.
    const OrderedIdSet<NodeId>& users() const { return m_users; }
    /// The annotation, `node.type`; may be null.
    const TypePtr& type() const { return m_type.get(); }
    /// The metadata; empty if nothing is known.
    const NodeMeta& meta() const;
    const MetaPtr& sharedMeta() const { return m_meta; } ///< for `Graph::setMeta` of a copy; null if nothing is known
    /// True after `Graph::erase`; the id stays readable.
    bool erased() const { return m_erased; }

    /// Call_function, call_method or call_module.
    bool isCall() const { return m_op == Op::CallFunction || m_op == Op::CallMethod || m_op == Op::CallModule; }

private:
    friend class Graph;
    NodeId m_id = kNoNode;
    Op m_op = Op::Placeholder;
    bool m_erased = false;
    std::string m_name;
    std::string m_target;
    CallablePtr m_callable;
    std::vector<Argument> m_args;
    Rare<Kwargs> m_kwargs;
    IdList<NodeId> m_inputs;
    OrderedIdSet<NodeId> m_users;
    Rare<TypePtr> m_type;
    MetaPtr m_meta;
};

} // namespace fx

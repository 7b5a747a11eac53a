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
std::string_view opName(Op op);
std::optional<Op> opFromName(std::string_view name);

/// One step of `nn_module_stack`, outermost first.
struct ModuleFrame {
    std::string key;  ///< "L__self__layer1"
    std::string path; ///< "layer1.0"
    std::string type; ///< "torchvision.models.resnet.BasicBlock"
    bool operator==(const ModuleFrame&) const = default;
};

/// Describes the tensor (or number) that a node produces.
struct ValueInfo {
    std::string dtype;              ///< "torch.float32", "int", "bool", "float"; empty if unknown
    std::vector<std::string> sizes; ///< printed sizes, symbolic ones as written: {"s77", "3"}
    std::vector<std::string> strides;
    std::string device;   ///< "cpu"
    bool isTensor = true; ///< false for a symbolic number
    bool requiresGrad = false;
    /// "1×64×56×56" or "" for an unknown shape; "scalar" if there are no dimensions.
    std::string shapeText() const;
    bool operator==(const ValueInfo&) const = default;
};

/// Metadata of a node (`node.meta`); shared and immutable, replaced as a whole.
struct NodeMeta {
    std::vector<ModuleFrame> moduleStack;
    std::string stackTrace;
    std::vector<ValueInfo> values;                          ///< one per tensor that the node produces
    bool wrapped = false;                                   ///< torch.fx.wrap: printed as `wrap("name")` in the code
    std::vector<std::pair<std::string, std::string>> other; ///< unknown keys, as text, in order
};
using MetaPtr = std::shared_ptr<const NodeMeta>;

/// A node of a Graph: mirrors torch.fx.Node. Read through these accessors; changed only by Graph.
///
/// `target()` is the text for placeholder, get_attr, call_method, call_module and output; for call_function it is the
/// callable's qualified name, and `callable()` is not null.
class Node {
public:
    NodeId id() const { return m_id; }
    Op op() const { return m_op; }
    const std::string& name() const { return m_name; }
    const std::string& target() const { return m_callable ? m_callable->qualifiedName : m_target; }
    const CallablePtr& callable() const { return m_callable; }
    const std::vector<Argument>& args() const { return m_args; }
    const Kwargs& kwargs() const { return m_kwargs.get(); }
    /// torch.fx `_input_nodes`: each input once, in order of first appearance, args then kwargs.
    IdSpan<NodeId> inputs() const { return m_inputs.span(); }
    const OrderedIdSet<NodeId>& users() const { return m_users; }
    const TypePtr& type() const { return m_type.get(); }
    const NodeMeta& meta() const;
    const MetaPtr& sharedMeta() const { return m_meta; } ///< for `Graph::setMeta` of a copy; null: nothing is known
    bool erased() const { return m_erased; }

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

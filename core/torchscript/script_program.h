// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/joined_path.h"
#include "core/ir/argument.h"
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

/// The content of a TorchScript file as LibTorch reads it, as data: classes with their methods as graphs, before any
/// inlining. The worker describes it (app/worker/script/describe_script.h); script_objects.h reads the objects and
/// their tensors from the file.
namespace fx::script {

/// Type name of a member of an enum; its repr is `__torch__.Format('NCHW')`.
inline constexpr std::string_view kEnum = "enum";

/// A type as TorchScript's graphs print it: "Tensor", "int[]", "Tensor?", "(Tensor, int)".
struct Type {
    std::string text;
    int classIndex = -1;    ///< class of an object
    int functionIndex = -1; ///< function of a function type

    bool isNumber() const { return text == "int" || text == "float" || text == "bool" || text == "Scalar"; }
    bool isTensor() const { return text == "Tensor"; }
    bool isOptional() const { return text.ends_with('?'); }
    bool isNone() const { return text == "NoneType"; }
    /// True for lists, including lists of lists.
    bool isList() const { return text.ends_with("[]"); }
};

/// A value of a graph; referred to by its index in `Method::values`.
struct Value {
    std::string name; ///< debug name, empty if it is a number
    std::uint32_t type = 0;
};

struct Node;
/// Consecutive nodes, with the values that they take and return.
struct Block {
    std::vector<std::uint32_t> inputs, outputs;
    std::vector<Node> nodes;
};

/// A call, or control flow with nested blocks.
struct Node {
    std::uint32_t kind = 0; ///< index in `Program::kinds`
    std::vector<std::uint32_t> inputs, outputs;
    std::int32_t source = -1;                                    ///< index in `Program::sources`
    std::int32_t constant = -1;                                  ///< index in `Program::constants`, for prim::Constant
    std::string name;                                            ///< for prim::GetAttr, SetAttr and CallMethod
    std::optional<std::pair<std::int64_t, std::int64_t>> bounds; ///< for prim::TupleSlice
    std::vector<std::uint32_t> types;                            ///< types that prim::isinstance tests for
    bool hasMore = false;                                        ///< has further attributes, which are not described
    std::vector<Block> blocks;
};

/// A parameter of a method.
struct Parameter {
    std::string name;
    std::string annotation; ///< "Optional[Tensor]"
    /// Index in `Program::constants`, or -1.
    std::int32_t defaultValue = -1;
};

/// A method or a function.
struct Method {
    std::string name;
    std::vector<Parameter> parameters; ///< including self
    std::vector<Value> values;
    Block body;
};

/// A class of the file: a module with its attributes and methods, or another class.
struct Class {
    /// A declared attribute.
    struct Attribute {
        /// How the module holds the attribute.
        enum class Kind : std::uint8_t { Plain, Parameter, Buffer };
        std::string name;
        std::uint32_t type = 0;
        Kind kind = Kind::Plain;
    };
    std::string name; ///< "__torch__.torch.nn.modules.conv.___torch_mangle_5.Conv2d"
    bool isModule = false;
    std::vector<Attribute> attributes;
    /// Names of class constants with indices in `Program::constants`.
    std::vector<std::pair<std::string, std::int32_t>> constants;
    std::vector<Method> methods;

    /// Returns a method by name, or null.
    const Method* method(std::string_view wanted) const;
    /// Returns an attribute by name, or null.
    const Attribute* attribute(std::string_view wanted) const;
};

/// The name of an operator: "aten::add" and its overload "Tensor".
struct Kind {
    std::string name, overload;
    bool is(std::string_view other) const { return name == other; }
    bool isPrim() const { return name.starts_with("prim::"); }
    /// Returns "aten::add.Tensor".
    std::string full() const { return overload.empty() ? name : name + "." + overload; }
};

/// The whole content of a TorchScript file, in tables to which its nodes refer by index.
struct Program {
    /// A literal or a tensor.
    using Constant = std::variant<Argument, TensorPtr>;
    std::vector<Kind> kinds;
    std::vector<Type> types;
    std::vector<std::string> sources; ///< "/home/me/net.py:12"
    std::vector<Constant> constants;
    std::vector<Class> classes;
    std::vector<Method> functions;
    std::vector<std::string> missing; ///< operators that no loaded library has: "torchvision::nms"
    std::int32_t root = 0;            ///< class of the file's module

    /// Returns the operator of a node.
    const Kind& kindOf(const Node& node) const { return kinds[node.kind]; }
    /// Returns the type of a value of a method.
    const Type& typeOf(const Method& method, std::uint32_t value) const { return types[method.values[value].type]; }
    /// Returns a class by name, or null.
    const Class* findClass(const std::string& name) const;

private:
    mutable std::unordered_map<std::string, const Class*> m_byName;
};

/// Converts a name to one that can be part of a path of attributes. quantize_jit calls packed weights
/// "conv._jit_pass_packed_weight_0".
std::string attributeName(std::string_view name);

/// Returns the object that represents a member of an enum.
Argument enumMember(const std::string& className, const Argument& value);

/// Returns the class name without the parts that TorchScript adds to make it unique: "torch.nn.modules.conv.Conv2d".
std::string plainClassName(std::string_view name);

} // namespace fx::script

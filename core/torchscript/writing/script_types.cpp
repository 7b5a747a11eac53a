// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_types.h"

#include "core/base/listed.h"
#include "core/diag/error.h"
#include "core/ops/catalogue.h"
#include "core/ops/parameter_list.h"
#include "core/torchscript/input_types.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <optional>

namespace fx::script {
namespace {

bool isNumber(std::string_view type) { return type == "int" || type == "float" || type == "bool"; }

/// `Tensor(a!)[]` of a schema as an annotation.
std::string ofSchema(std::string_view type) {
    std::string plain;
    int depth = 0;
    for (const char c : type) {
        if (c == '(') ++depth;
        if (depth == 0) plain += c;
        if (c == ')') --depth;
    }
    if (const std::size_t at = plain.find("SymInt"); at != plain.npos) plain.replace(at, 6, "int");
    return annotationOf(plain);
}

/// The type that all of these operators return; nullopt if they differ or there are none.
std::optional<std::string> returnedBy(const std::vector<ops::Operator>& operators) {
    std::optional<std::string> out;
    for (const ops::Operator& one : operators) {
        std::vector<std::string> types;
        for (const ops::Argument each : one.returns()) types.push_back(ofSchema(each.type()));
        if (std::string(one.overload()).ends_with("out") || types.empty()) continue;
        std::string type = types.size() == 1 ? types.front() : "Tuple[" + joined(types) + "]";
        if (out && *out != type) return std::nullopt;
        out = std::move(type);
    }
    return out;
}

/// Whether a value of this type may be an argument of a type of a schema.
bool admits(std::string_view schema, std::string_view type) {
    if (schema.ends_with('?')) {
        if (type == "Optional[Tensor]") return true; // None
        schema.remove_suffix(1);
    }
    const bool isList = schema.ends_with(']');
    if (type.starts_with("List[")) return isList;
    if (isList && schema.ends_with("[]")) return false; // `int[2]` admits a number
    if (schema.starts_with("Tensor")) return type == "Tensor";
    if (schema.starts_with("Scalar") && !schema.starts_with("ScalarType")) return isNumber(type);
    if (schema.starts_with("float")) return type == "float" || type == "int";
    if (schema.starts_with("int") || schema.starts_with("SymInt")) return type == "int";
    if (schema == "bool" || schema == "str") return type == schema;
    return schema != "Dimname" || type == "str";
}

std::string typesInside(const std::string& type, std::size_t start) {
    return type.substr(start, type.size() - start - 1);
}

} // namespace

std::string ValueTypes::of(const Argument& value) {
    if (value.isNode()) {
        std::string& known = m_types[value.node()];
        if (known.empty()) known = "Tensor", known = ofNode(m_graph.node(value.node()));
        return known;
    }
    const Sequence* sequence = value.asList() ? value.asList() : value.asTuple();
    if (!sequence || sequence->items.empty()) {
        const std::string type = value.isNone() ? "Optional[Tensor]" : attributeType(value);
        return type.empty() ? "Tensor" : type;
    }
    std::vector<std::string> items;
    for (const Argument& item : sequence->items) items.push_back(of(item));
    return value.asList() ? "List[" + items.front() + "]" : "Tuple[" + joined(items) + "]";
}

std::string ValueTypes::ofNode(const fx::Node& node) {
    if (node.op() == Op::Placeholder || node.op() == Op::CallModule || node.op() == Op::GetAttr) return m_known(node);
    const std::string& target = node.target();
    if (node.op() == Op::CallMethod) {
        if (target == "size" || target == "stride") return node.args().size() > 1 ? "int" : "List[int]";
        return ofCall(node, target);
    }
    const auto* member = target == "getattr" && node.args().size() == 2 ? node.args()[1].as<std::string>() : nullptr;
    if (member)
        return *member == "shape"                        ? "List[int]"
               : *member == "ndim" || *member == "dtype" ? "int"
               : *member == "device"                     ? "Device"
                                                         : "Tensor";
    if (target == "_operator.getitem" && node.args().size() == 2) return ofItem(node);
    if (target.starts_with("_operator.")) return ofArithmetic(node, std::string_view(target).substr(10));
    if (isNumber(target)) return target;
    if (target == "len" || target == "math.floor" || target == "math.ceil") return "int";
    if (target.starts_with("math.")) return "float";
    if (target.starts_with("torch.ops."))
        if (const auto known = ops::findOperator(target)) return returnedBy({*known}).value_or("Tensor");
    if (target.starts_with("torch.nn.functional.")) {
        const bool* indices = nullptr;
        for (const auto& [name, value] : node.kwargs())
            if (name == "return_indices") indices = value.as<bool>();
        return target.ends_with("_with_indices") || (indices && *indices) ? "Tuple[Tensor, Tensor]" : "Tensor";
    }
    return ofCall(node, target.substr(target.rfind('.') + 1));
}

/// By the overloads that take these arguments: `torch.max(x, dim=1)` has two results.
std::string ValueTypes::ofCall(const fx::Node& node, const std::string& name) {
    std::vector<ops::Operator> fitting = ops::overloads("aten::" + name);
    std::vector<std::string> positional;
    for (const Argument& arg : node.args()) positional.push_back(of(arg));
    std::erase_if(fitting, [&](const ops::Operator& one) {
        std::size_t place = 0, named = 0;
        for (const ops::Argument argument : one.arguments()) {
            const auto given = std::find_if(node.kwargs().begin(), node.kwargs().end(), [&](const auto& each) {
                return each.first == argument.name() || (each.first == "input" && argument.name() == "self");
            });
            const bool isNamed = given != node.kwargs().end();
            if (place < positional.size() ? !admits(argument.type(), positional[place])
                : isNamed                 ? !admits(argument.type(), of(given->second))
                                          : !argument.hasDefault())
                return true;
            named += isNamed, ++place;
        }
        return place < positional.size() || named < node.kwargs().size();
    });
    return returnedBy(fitting).value_or("Tensor");
}

std::string ValueTypes::ofItem(const fx::Node& node) {
    const std::string whole = of(node.args()[0]);
    const bool isSlice = node.args()[1].as<Slice>() != nullptr;
    const auto* index = node.args()[1].as<std::int64_t>();
    if (whole.starts_with("List[")) return isSlice ? whole : typesInside(whole, 5);
    if (!whole.starts_with("Tuple[") || !index) return "Tensor";
    const std::string items = typesInside(whole, 6);
    const auto types = ops::splitTopLevel(items);
    const auto place = *index < 0 ? *index + static_cast<std::int64_t>(types.size()) : *index;
    return place >= 0 && place < static_cast<std::int64_t>(types.size())
               ? std::string(types[static_cast<std::size_t>(place)])
               : "Tensor";
}

/// The result is a tensor if an operand is one.
std::string ValueTypes::ofArithmetic(const fx::Node& node, std::string_view name) {
    static constexpr std::string_view kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge", "not_", "is_", "is_not"};
    const auto* exponent = name == "pow" && node.args().size() == 2 ? node.args()[1].as<std::int64_t>() : nullptr;
    bool anyReal = name == "truediv" || (name == "pow" && !(exponent && *exponent >= 0));
    for (const Argument& arg : node.args()) {
        const std::string type = of(arg);
        if (!isNumber(type)) return "Tensor";
        anyReal = anyReal || type == "float";
    }
    const bool compares = std::find(std::begin(kCompares), std::end(kCompares), name) != std::end(kCompares);
    return compares ? "bool" : anyReal ? "float" : "int";
}

std::string typeOfInput(const fx::Node& node) {
    if (node.type() || node.args().empty()) return scriptType(node.type());
    if (node.args()[0].isNone()) return "Optional[Tensor]";
    std::string type = node.args()[0].as<TorchConstant>() ? "int" : attributeType(node.args()[0]);
    if (type.empty()) throw Error(ErrorKind::Refused, Message("script.no_input", {{"name", node.target()}}));
    return type;
}

std::string typeOfResult(const Module& module) {
    const auto* block = isScriptBlock(module) ? module.setting<std::string>("graph") : nullptr;
    const std::vector<std::string> types = block ? blockOutputTypes(*block) : std::vector<std::string>();
    if (!types.empty()) return types.size() == 1 ? types.front() : "Tuple[" + joined(types) + "]";
    const std::string& name = module.className;
    const auto* indices = module.setting<bool>("return_indices");
    if (name == "LSTM") return "Tuple[Tensor, Tuple[Tensor, Tensor]]";
    const bool isPair = name == "GRU" || name == "RNN" || name == "LSTMCell" || name == "MultiheadAttention";
    return isPair || (indices && *indices) ? "Tuple[Tensor, Tensor]" : "Tensor";
}

} // namespace fx::script

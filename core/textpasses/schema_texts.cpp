// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/schema_texts.h"

#include <array>
#include <string_view>
#include <utility>

namespace fx::python {
namespace {

/// A type of a schema as Python has it: `Tensor(a!)?` is "typing.Optional[torch.Tensor]".
struct SchemaType {
    std::string text;
    bool isClass = false; ///< otherwise an object of `typing`
};

/// The class or the object of `typing` that the name of a type stands for: TorchScript has ints for some.
SchemaType namedType(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kClasses = {
        {{"Tensor", "torch.Tensor"},
         {"Scalar", "numbers.Number"},
         {"number", "numbers.Number"},
         {"SymInt", "int"},
         {"ScalarType", "int"},
         {"Layout", "int"},
         {"MemoryFormat", "int"},
         {"DeviceIndex", "int"},
         {"ConstQuantizerPtr", "int"},
         {"SymBool", "bool"},
         {"SymFloat", "float"},
         {"Dimname", "str"},
         {"string", "str"},
         {"Device", "torch.device"},
         {"QScheme", "torch.qscheme"},
         {"Storage", "torch.storage.UntypedStorage"},
         {"AnyEnumType", "enum.Enum"}}};
    for (const auto& [from, to] : kClasses)
        if (name == from) return {std::string(to), true};
    if (name == "Generator" || name == "Any") return {"typing." + std::string(name), false};
    if (name == "t") return {"~t", false};
    return {std::string(name), true};
}

/// Splits at the commas that stand in no brackets.
std::vector<std::string_view> partsOf(std::string_view list) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i < list.size() && (list[i] == '(' || list[i] == '[')) ++depth;
        if (i < list.size() && (list[i] == ')' || list[i] == ']')) --depth;
        if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
        std::string_view part = list.substr(start, i - start);
        while (part.starts_with(' ')) part.remove_prefix(1);
        if (!part.empty()) parts.push_back(part);
        start = i + 1;
    }
    return parts;
}

SchemaType schemaType(std::string_view type) {
    std::string before, after;
    for (;;) {
        const bool isOptional = type.ends_with('?');
        if (isOptional || type.ends_with(']')) {
            type = type.substr(0, isOptional ? type.size() - 1 : type.rfind('['));
            before += isOptional ? "typing.Optional[" : "typing.List[";
            after += ']';
            continue;
        }
        const std::size_t open = type.ends_with(')') ? type.rfind('(') : type.npos;
        if (open == type.npos || open == 0 || type.substr(0, open).ends_with("Dict")) break;
        type = type.substr(0, open); // what it is an alias of
    }
    const std::size_t open = type.find('(');
    SchemaType inner;
    if (open == type.npos) {
        inner = namedType(type);
    } else { // "Dict(str, Tensor)", "(int, Tensor)"
        inner.text = "typing." + std::string(open == 0 ? "Tuple" : type.substr(0, open)) + "[";
        std::string_view separator;
        for (const std::string_view part : partsOf(type.substr(open + 1, type.size() - open - 2))) {
            inner.text.append(separator).append(schemaType(part).text);
            separator = ", ";
        }
        inner.text += ']';
    }
    if (before.empty()) return inner;
    return {before + inner.text + after, false};
}

/// `inspect.formatannotation`
std::string annotationText(const SchemaType& type) {
    constexpr std::string_view kTyping = "typing.";
    std::string text = type.text;
    for (std::size_t at = 0; (at = text.find(kTyping, at)) != text.npos;) text.erase(at, kTyping.size());
    return text;
}

std::string returnText(const ops::ArgumentRange& returns) {
    if (returns.empty()) return "None";
    if (returns.size() == 1) return annotationText(schemaType(returns[0].type()));
    std::string text = "(", separator;
    for (const ops::Argument result : returns) {
        const SchemaType type = schemaType(result.type());
        text += separator + (type.isClass ? "<class '" + type.text + "'>" : type.text);
        separator = ", ";
    }
    return text + ")";
}

} // namespace

std::string signatureText(const ops::Operator& op) {
    std::string text = "(", separator;
    bool isKeywordOnly = false;
    for (const ops::Argument argument : op.arguments()) {
        text += std::exchange(separator, ", ");
        if (argument.isKeywordOnly() && !std::exchange(isKeywordOnly, true)) text += "*, ";
        text.append(argument.name() == "self" ? "input" : argument.name());
        text += ": " + annotationText(schemaType(argument.type()));
        if (argument.hasDefault()) text.append(" = ").append(argument.defaultValue());
    }
    return text + ") -> " + returnText(op.returns());
}

std::string ambiguityText(const std::string& target, const std::vector<ops::Operator>& overloads) {
    // `torch.typename`: functions of torch are static methods of a class, and those of packets methods of pybind11's.
    constexpr std::string_view kTorch = "torch.", kOps = "torch.ops.";
    std::string name = target;
    const std::size_t last = name.rfind('.');
    if (target.starts_with(kOps)) {
        name.insert(last + 1, "pybind11_detail_function_record_v1_system_libstdcpp_gxx_abi_1xxx_use_cxx11_abi_1.");
        name.replace(0, kOps.size(), "torch._ops.");
    } else if (last + 1 == kTorch.size() && target.starts_with(kTorch))
        name.insert(last + 1, "_VariableFunctionsClass.");
    std::string text = "Tried to normalize arguments to " + name +
                       " but the schema match was ambiguous! Please provide argument types to the "
                       "normalize_arguments() call. Available schemas:";
    for (const ops::Operator& op : overloads) text += "\n" + signatureText(op);
    return text;
}

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/input_types.h"

#include "core/ops/parameter_list.h"

#include <algorithm>
#include <optional>

namespace fx::script {
namespace {

constexpr int kMostNested = 20;

TypePtr parsed(std::string_view text, int depth) {
    TypeExpr out;
    if (text == "Tensor") {
        out.module = "torch", out.name = "Tensor", out.fromTorch = true;
        return std::make_shared<const TypeExpr>(std::move(out));
    }
    if (text == "Any") {
        out.module = "typing", out.name = "Any";
        return std::make_shared<const TypeExpr>(std::move(out));
    }
    if (text == "Device") {
        out.module = "torch", out.name = "device", out.fromTorch = true;
        return std::make_shared<const TypeExpr>(std::move(out));
    }
    for (const std::string_view plain : {"int", "float", "bool", "str", "complex"})
        if (text == plain) {
            out.module = "builtins", out.name = plain;
            return std::make_shared<const TypeExpr>(std::move(out));
        }
    const std::size_t open = text.find('[');
    if (open == text.npos || !text.ends_with(']') || depth > kMostNested) return nullptr;
    out.kind = TypeExpr::Kind::Generic, out.module = "typing", out.name = text.substr(0, open);
    for (const std::string_view known : {"Dict", "List", "Tuple", "Optional", "Union"})
        if (out.name == known) {
            for (const std::string_view part : ops::splitTopLevel(text.substr(open + 1, text.size() - open - 2))) {
                out.args.push_back(parsed(part, depth + 1));
                if (!out.args.back()) return nullptr;
            }
            return std::make_shared<const TypeExpr>(std::move(out));
        }
    return nullptr;
}

std::string written(const TypeExpr& type, int depth) {
    if (type.kind == TypeExpr::Kind::Class && (type.name == "int" || type.name == "float" || type.name == "bool" ||
                                               type.name == "str" || type.name == "complex"))
        return type.name;
    if (type.kind == TypeExpr::Kind::Class && type.module == "torch" && type.name == "device") return "Device";
    if (type.kind == TypeExpr::Kind::Class && type.module == "typing" && type.name == "Any") return type.name;
    std::string name = type.name;
    if (!name.empty()) name[0] = static_cast<char>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 32 : name[0]);
    const bool known = name == "Dict" || name == "List" || name == "Tuple" || name == "Optional" || name == "Union";
    if (type.kind == TypeExpr::Kind::Union && type.args.size() == 2 && depth < kMostNested) {
        const bool noneFirst = type.args[0]->name == "NoneType";
        return "Optional[" + written(*type.args[noneFirst ? 1 : 0], depth + 1) + "]";
    }
    if (type.kind != TypeExpr::Kind::Generic || !known || depth > kMostNested || type.args.empty()) return "Tensor";
    std::string out = name + "[";
    for (const TypePtr& part : type.args) out += (&part == &type.args.front() ? "" : ", ") + written(*part, depth + 1);
    return out + "]";
}

constexpr std::string_view kEmptyList = "List[]", kEmptyDict = "Dict[]";

/// The narrowest type that admits values of both types, or empty.
std::string common(const std::string& a, const std::string& b) {
    if (a == b || a.empty() || b.empty()) return a == b ? a : std::string();
    const auto isEmpty = [](const std::string& type) { return type == kEmptyList || type == kEmptyDict; };
    if (isEmpty(a) && b.starts_with(a.substr(0, 5))) return b;
    if (isEmpty(b) && a.starts_with(b.substr(0, 5))) return a;
    const auto isOptional = [](const std::string& type) { return type.starts_with("Optional["); };
    const auto inner = [&](const std::string& type) {
        return isOptional(type) ? type.substr(9, type.size() - 10) : type;
    };
    if (a == "None") return isOptional(b) ? b : "Optional[" + b + "]";
    if (b == "None") return common(b, a);
    if (!isOptional(a) && !isOptional(b)) return {};
    const std::string both = common(inner(a), inner(b));
    return both.empty() ? both : "Optional[" + both + "]";
}

/// As `attributeType`, with "List[]" and "Dict[]" for those that are empty.
std::string typeOfLiteral(const Argument& value, int depth) {
    if (depth > kMostNested) return {};
    if (value.isNone()) return "None";
    if (value.as<bool>()) return "bool";
    if (value.as<std::int64_t>()) return "int";
    if (value.as<double>()) return "float";
    if (value.as<Complex>()) return "complex";
    if (value.as<std::string>()) return "str";
    if (value.as<Device>()) return "Device";
    if (const Sequence* tuple = value.asTuple()) {
        std::string all;
        for (const Argument& item : tuple->items) {
            const std::string type = typeOfLiteral(item, depth + 1);
            if (type.empty()) return {};
            all += (all.empty() ? "" : ", ") + type;
        }
        return all.empty() ? "Tuple[()]" : "Tuple[" + all + "]";
    }
    std::optional<std::string> key, item;
    const auto meet = [depth](std::optional<std::string>& known, const Argument& more) {
        const std::string type = typeOfLiteral(more, depth + 1);
        known = known ? common(*known, type) : type;
        return !known->empty();
    };
    if (const Sequence* list = value.asList()) {
        for (const Argument& each : list->items)
            if (!meet(item, each)) return {};
        return item ? "List[" + *item + "]" : std::string(kEmptyList);
    }
    const auto* dict = value.as<Dict>();
    if (!dict) return {};
    for (const auto& [first, second] : dict->items)
        if (!meet(key, first) || !meet(item, second)) return {};
    if (!key) return std::string(kEmptyDict);
    constexpr std::string_view kKeys[] = {"int", "bool", "float", "complex", "str"};
    if (std::find(std::begin(kKeys), std::end(kKeys), *key) == std::end(kKeys)) return {};
    return "Dict[" + *key + ", " + *item + "]";
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
        text.replace(at, from.size(), to);
}

} // namespace

std::string attributeType(const Argument& value) {
    std::string type = typeOfLiteral(value, 0);
    replaceAll(type, kEmptyList, "List[Tensor]");
    replaceAll(type, kEmptyDict, "Dict[str, Tensor]");
    return type;
}

std::string annotationOf(std::string_view type) {
    if (type.ends_with('?')) return "Optional[" + annotationOf(type.substr(0, type.size() - 1)) + "]";
    if (type.ends_with("[]")) return "List[" + annotationOf(type.substr(0, type.size() - 2)) + "]";
    const bool isDict = type.starts_with("Dict("), isUnion = type.starts_with("Union(");
    if (!type.ends_with(')') || !(isDict || isUnion || type.starts_with('('))) return std::string(type);
    const std::size_t open = type.find('(');
    std::string out;
    for (const std::string_view part : ops::splitTopLevel(type.substr(open + 1, type.size() - open - 2)))
        out += (out.empty() ? "" : ", ") + annotationOf(part);
    return (isDict ? "Dict[" : isUnion ? "Union[" : "Tuple[") + out + "]";
}

std::vector<std::string> blockInputTypes(std::string_view block) {
    const std::size_t open = block.find('('), end = block.find("):\n");
    std::vector<std::string> out;
    if (open == block.npos || end == block.npos || end < open) return out;
    for (const std::string_view parameter : ops::splitTopLevel(block.substr(open + 1, end - open - 1)))
        out.push_back(annotationOf(parameter.substr(std::min(parameter.find(" : ") + 3, parameter.size()))));
    return out;
}

std::vector<std::string> blockOutputTypes(std::string_view block) {
    constexpr std::string_view kReturn = "\n  return (";
    const std::size_t from = block.rfind(kReturn), end = block.rfind(')');
    std::vector<std::string> out;
    if (from == block.npos || end == block.npos || end < from + kReturn.size()) return out;
    for (const std::string_view name :
         ops::splitTopLevel(block.substr(from + kReturn.size(), end - from - kReturn.size()))) {
        const std::size_t defined = block.find(std::string(name) + " : ");
        std::string_view rest = block.substr(std::min(defined, block.size()));
        rest.remove_prefix(std::min(name.size() + 3, rest.size()));
        rest = rest.substr(0, std::min(rest.find(" = "), rest.find("):\n")));
        const auto parts = ops::splitTopLevel(rest); // of several that a line defines, the first
        out.push_back(parts.empty() ? "Tensor" : annotationOf(parts.front()));
    }
    return out;
}

TypePtr inputType(std::string_view annotation) { return annotation == "Tensor" ? nullptr : parsed(annotation, 0); }

std::string scriptType(const TypePtr& type) { return type ? written(*type, 0) : "Tensor"; }

} // namespace fx::script

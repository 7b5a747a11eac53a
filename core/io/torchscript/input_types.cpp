// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/input_types.h"

#include "core/ops/parameter_list.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr int kMostNested = 20;

TypePtr parsed(std::string_view text, int depth) {
    TypeExpr out;
    if (text == "Tensor") {
        out.module = "torch", out.name = "Tensor", out.fromTorch = true;
        return std::make_shared<const TypeExpr>(std::move(out));
    }
    for (const std::string_view plain : {"int", "float", "bool", "str"})
        if (text == plain) {
            out.module = "builtins", out.name = plain;
            return std::make_shared<const TypeExpr>(std::move(out));
        }
    const std::size_t open = text.find('[');
    if (open == text.npos || !text.ends_with(']') || depth > kMostNested) return nullptr;
    out.kind = TypeExpr::Kind::Generic, out.module = "typing", out.name = text.substr(0, open);
    for (const std::string_view known : {"Dict", "List", "Tuple", "Optional"})
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
    if (type.kind == TypeExpr::Kind::Class &&
        (type.name == "int" || type.name == "float" || type.name == "bool" || type.name == "str"))
        return type.name;
    std::string name = type.name;
    if (!name.empty()) name[0] = static_cast<char>(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 32 : name[0]);
    const bool known = name == "Dict" || name == "List" || name == "Tuple" || name == "Optional";
    if (type.kind == TypeExpr::Kind::Union && type.args.size() == 2 && depth < kMostNested) {
        const bool noneFirst = type.args[0]->name == "NoneType";
        return "Optional[" + written(*type.args[noneFirst ? 1 : 0], depth + 1) + "]";
    }
    if (type.kind != TypeExpr::Kind::Generic || !known || depth > kMostNested || type.args.empty()) return "Tensor";
    std::string out = name + "[";
    for (const TypePtr& part : type.args) out += (&part == &type.args.front() ? "" : ", ") + written(*part, depth + 1);
    return out + "]";
}

} // namespace

TypePtr inputType(std::string_view annotation) { return annotation == "Tensor" ? nullptr : parsed(annotation, 0); }

std::string scriptType(const TypePtr& type) { return type ? written(*type, 0) : "Tensor"; }

} // namespace fx::script

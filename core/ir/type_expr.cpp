// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/type_expr.h"

namespace fx {
namespace {
bool isNone(const TypeExpr& type) { return type.module == "builtins" && type.name == "NoneType"; }

std::string joined(const TypeExpr& type, const char* separator) {
    std::string out;
    for (const auto& arg : type.args) {
        if (!out.empty()) out += separator;
        out += type.kind == TypeExpr::Kind::Union && isNone(*arg) ? "None" : arg->repr();
    }
    return out;
}
} // namespace

std::string TypeExpr::repr() const {
    switch (kind) {
    case Kind::Text: return name;
    case Kind::Union: return joined(*this, " | ");
    case Kind::Class: return module.empty() || module == "builtins" ? name : module + "." + name;
    case Kind::Generic: break;
    }
    const std::string origin = module.empty() || module == "builtins" ? name : module + "." + name;
    if (module == "typing" && name == "Union" && args.size() == 2 && (isNone(*args[0]) || isNone(*args[1])))
        return "typing.Optional[" + args[isNone(*args[0]) ? 1 : 0]->repr() + "]";
    if (module == "typing" && name == "Callable" && !args.empty()) { // the parameters print as a list of their own
        std::string parameters;
        for (std::size_t i = 0; i + 1 < args.size(); ++i) parameters += (i ? ", " : "") + args[i]->repr();
        return origin + "[[" + parameters + "], " + args.back()->repr() + "]";
    }
    return args.empty() ? origin : origin + "[" + joined(*this, ", ") + "]";
}

} // namespace fx

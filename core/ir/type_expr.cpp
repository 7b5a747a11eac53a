// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/type_expr.h"

namespace fx {
namespace {
std::string joined(const TypeExpr& type, const char* separator) {
    std::string out;
    for (const auto& arg : type.args) {
        if (!out.empty()) out += separator;
        out += arg->repr();
    }
    return out;
}
} // namespace

std::string TypeExpr::repr() const {
    switch (kind) {
    case Kind::Text: return name;
    case Kind::Union: return joined(*this, " | ");
    case Kind::Class:
        if (module == "builtins") return name == "NoneType" ? "None" : name;
        return module.empty() ? name : module + "." + name;
    case Kind::Generic: break;
    }
    const std::string origin = module.empty() || module == "builtins" ? name : module + "." + name;
    if (module == "typing" && name == "Callable" && !args.empty()) { // the parameters print as a list of their own
        std::string parameters;
        for (std::size_t i = 0; i + 1 < args.size(); ++i) parameters += (i ? ", " : "") + args[i]->repr();
        return origin + "[[" + parameters + "], " + args.back()->repr() + "]";
    }
    return origin + "[" + (args.empty() ? "()" : joined(*this, ", ")) + "]";
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/node.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
constexpr std::array<std::string_view, 6> kOpNames = {"placeholder", "get_attr",    "call_function",
                                                      "call_method", "call_module", "output"};
} // namespace

std::string_view opName(Op op) { return kOpNames[static_cast<std::size_t>(op)]; }

std::optional<Op> opFromName(std::string_view name) {
    const auto found = std::find(kOpNames.begin(), kOpNames.end(), name);
    if (found == kOpNames.end()) return std::nullopt;
    return static_cast<Op>(found - kOpNames.begin());
}

std::string ValueInfo::shapeText() const {
    if (dtype.empty() || !isTensor) return {};
    if (sizes.empty()) return "scalar";
    std::string out;
    for (const auto& size : sizes) {
        if (!out.empty()) out += "×";
        out += size;
    }
    return out;
}

const NodeMeta& Node::meta() const {
    static const NodeMeta kNone;
    return m_meta ? *m_meta : kNone;
}

std::string Callable::prettyName() const {
    if (module == "builtins") return "builtins." + name;
    if (module == "_operator") return "operator." + name;
    return qualifiedName;
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/number_values.h"

#include "core/base/one_of.h"
#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx {
namespace {
constexpr std::string_view kNumberMethods[] = {"__bool__",     "__float__", "__int__",        "__len__",  "dim",
                                               "element_size", "item",      "ndimension",     "nelement", "numel",
                                               "size",         "stride",    "storage_offset", "tolist"};
constexpr std::string_view kNumberAttributes[] = {"itemsize", "nbytes", "ndim", "shape"};
constexpr std::string_view kNumberTypes[] = {"bool", "float", "int"};
} // namespace

NumberValues::NumberValues(const Graph& graph) : m_isNumber(graph.idLimit()) {
    for (const Node& node : graph.nodes()) m_isNumber[index(node.id())] = gives(node);
}

bool NumberValues::gives(const Node& node) const {
    if (const auto& values = node.meta().values; values.size() == 1 && !values[0].isTensor) return true;
    switch (node.op()) {
    case Op::Placeholder: return node.type() && isOneOf(node.type()->repr(), kNumberTypes);
    case Op::CallMethod: return isOneOf(node.target(), kNumberMethods);
    case Op::CallFunction: return functionGives(node);
    default: return false;
    }
}

bool NumberValues::functionGives(const Node& node) const {
    const Callable& callable = *node.callable();
    const auto* attribute = node.args().size() > 1 ? node.args()[1].as<std::string>() : nullptr;
    if (callable.name == "getattr") return attribute && isOneOf(*attribute, kNumberAttributes);
    if (callable.module == "builtins" || callable.module == "math") return true;
    const std::string name = canonicalName(node);
    if (name.starts_with("sym_") || isOneOf(name, kNumberMethods)) return true;
    return callable.module == "_operator" && !node.inputs().empty() &&
           std::all_of(node.inputs().begin(), node.inputs().end(), [&](NodeId id) { return contains(id); });
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
// What is one type in a script and another in Python: dtypes and layouts are numbers there, sizes are lists.
#include "core/io/torchscript/folding.h"
#include "core/io/torchscript/importer.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::script {

/// The type that a schema gives to what a node computes, where a script has a number: "ScalarType" of `x.dtype`,
/// "Layout" of `x.layout`. Empty for others.
std::string_view Importer::numberedType(const Argument& value) const {
    if (!value.isNode()) return {};
    const fx::Node& node = m_module->graph.node(value.node());
    if (node.op() != Op::CallFunction) return {};
    const auto* name =
        node.target() == "getattr" && node.args().size() == 2 ? node.args()[1].as<std::string>() : nullptr;
    if (!name) return {};
    return *name == "dtype" ? "ScalarType" : *name == "layout" ? "Layout" : "";
}

/// `x.dtype == 6` of a script is `x.dtype == torch.float32` in Python. False where the script needs the number, as
/// `str(x.dtype)` does.
bool Importer::nameNumbers(std::string_view function, std::vector<Argument>& args) const {
    std::string_view type;
    for (const Argument& arg : args)
        forEachNode(arg, [&](NodeId id) { type = type.empty() ? numberedType(Argument(id)) : type; });
    if (type.empty() || function == "_operator.getitem" || function == "len" || function == "list") return true;
    static constexpr std::string_view kCompares[] = {"_operator.eq", "_operator.ne", "_operator.is_",
                                                     "_operator.is_not", "_operator.contains"};
    if (std::find(std::begin(kCompares), std::end(kCompares), function) == std::end(kCompares)) return false;
    const auto name = [&](Argument& value) {
        if (value.isNone()) return true;
        if (value.isNode()) return numberedType(value) == type;
        value = torchConstantOr(value, type);
        return !value.isNone();
    };
    for (Argument& arg : args) {
        const Sequence* list = arg.asList();
        std::vector<Argument> items = list ? list->items : std::vector<Argument>{arg};
        if (!std::all_of(items.begin(), items.end(), name)) return false;
        arg = list ? Argument::list(std::move(items)) : items.front();
    }
    return true;
}

/// A value as the script has it: `x.size()` is a list there, and `x.dtype` a number. What Python's methods and
/// attributes give equals no list and no number; operators give what the script has.
Argument Importer::asInScript(const Frame& frame, const Argument& value) {
    if (const auto* dict = value.as<Dict>()) {
        std::vector<std::pair<Argument, Argument>> entries;
        for (const auto& [key, item] : dict->items) entries.emplace_back(key, asInScript(frame, item));
        return Argument::dict(std::move(entries));
    }
    if (const Sequence* sequence = value.asList() ? value.asList() : value.asTuple()) {
        std::vector<Argument> items;
        for (const Argument& item : sequence->items) items.push_back(asInScript(frame, item));
        return value.asList() ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (!value.isNode()) return value;
    const fx::Node& node = m_module->graph.node(value.node());
    const bool isTuple = node.op() == Op::CallMethod && (node.target() == "size" || node.target() == "stride") &&
                         node.args().size() == 1 && node.kwargs().empty();
    if (!isTuple && numberedType(value).empty()) return value;
    const std::string name = isTuple ? "aten." + node.target() : "prim." + *node.args()[1].as<std::string>();
    const std::vector<Argument> args = {node.args()[0]};
    return finish(frame, nullptr,
                  m_module->graph.callFunction(resolveCallable("torch.ops." + name + ".default"), args));
}

} // namespace fx::script

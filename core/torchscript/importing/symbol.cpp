// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/symbol.h"

#include "core/base/joined_path.h"

#include <algorithm>

namespace fx::script {
namespace {

std::string_view familyOfValue(const Symbol& symbol) {
    if (symbol.asTensor || symbol.is == Symbol::Is::Tensor) return "Tensor";
    if (symbol.is == Symbol::Is::List) return "list";
    if (symbol.is == Symbol::Is::Tuple) return "tuple";
    if (symbol.is == Symbol::Is::Dict) return "dict";
    if (const Argument* literal = symbol.literal())
        return literal->isNone()             ? "NoneType"
               : literal->as<bool>()         ? "bool"
               : literal->as<std::int64_t>() ? "int"
               : literal->as<double>()       ? "float"
               : literal->as<std::string>()  ? "str"
                                             : "";
    return symbol.type && !symbol.maybeNone ? familyOf(symbol.type->text) : std::string_view();
}

/// A list, tuple or dict with the symbols of its items: those of a script can be changed.
Symbol withItems(const Argument& literal, int depth) {
    if (depth > 20) throw Unsupported(Message("script.too_deep"));
    const Sequence* sequence = literal.asList() ? literal.asList() : literal.asTuple();
    const auto* dict = literal.as<Dict>();
    if (!sequence && !dict) return Symbol::of(literal);
    Symbol out;
    out.is = dict ? Symbol::Is::Dict : literal.asList() ? Symbol::Is::List : Symbol::Is::Tuple;
    out.items = std::make_shared<std::vector<Symbol>>();
    if (sequence)
        for (const Argument& item : sequence->items) out.items->push_back(withItems(item, depth + 1));
    if (dict)
        for (const auto& [key, item] : dict->items)
            out.items->push_back(Symbol::of(key)), out.items->push_back(withItems(item, depth + 1));
    out.depth = deepest(*out.items) + 1;
    return out;
}

} // namespace

std::string_view familyOf(std::string_view type) {
    if (type == "list" || type.ends_with("[]")) return "list";
    if (type == "tuple" || (type.starts_with('(') && type.ends_with(')'))) return "tuple";
    if (type.starts_with("Dict(") && type.ends_with(')')) return "dict";
    for (const char* plain : {"Tensor", "int", "float", "bool", "str", "NoneType"})
        if (type == plain) return plain;
    return {};
}

int deepest(const std::vector<Symbol>& items) {
    int depth = 0;
    for (const Symbol& item : items) depth = std::max(depth, item.isContainer() ? item.depth : 0);
    return depth;
}

Symbol containerWith(const Argument& literal) { return withItems(literal, 0); }

Symbol partOf(const Symbol& whole, std::int64_t index, bool maybeNone) {
    if (whole.isContainer()) {
        const auto size = static_cast<std::int64_t>(whole.items->size());
        if (index < 0) index += size;
        if (index < 0 || index >= size) throw Unsupported(Message("script.raises"));
        return (*whole.items)[static_cast<std::size_t>(index)];
    }
    if (!whole.isNode()) throw Unsupported(Message("script.unknown_object"));
    Symbol out;
    out.is = Symbol::Is::Part, out.value = whole.value, out.index = index, out.maybeNone = maybeNone;
    return out;
}

std::optional<bool> isOfType(std::string_view held, std::string_view asked) {
    const std::string_view known = familyOf(held), wanted = familyOf(asked);
    if (known.empty() || wanted.empty()) return std::nullopt;
    if (known != wanted) return false;
    return held == asked || asked == wanted ? std::optional(true) : std::nullopt;
}

std::optional<bool> isOfType(const Symbol& symbol, std::string_view type) {
    const std::string_view known = familyOfValue(symbol), asked = familyOf(type);
    if (known.empty() || asked.empty()) return std::nullopt;
    if (known != asked) return false;
    if (type == asked || (!symbol.isContainer() && symbol.type && symbol.type->text == type)) return true;
    if (symbol.is != Symbol::Is::List || symbol.items->empty()) return std::nullopt;
    const std::string_view item = type.substr(0, type.size() - 2);
    std::optional<bool> all = true;
    for (const Symbol& each : *symbol.items) {
        const std::optional<bool> one = isOfType(each, item);
        if (one == false) return false;
        if (!one) all.reset();
    }
    return all;
}

Symbol tensorList(const Object& object, const std::string& path, const std::vector<TensorPtr>& tensors,
                  const std::function<std::string(const TensorPtr&)>& constantPath) {
    Symbol out;
    out.is = Symbol::Is::List, out.depth = 1, out.ofModule = true;
    out.items = std::make_shared<std::vector<Symbol>>();
    for (const TensorPtr& tensor : tensors) {
        const std::string* name = object.isModule() ? object.nameOf(*tensor) : nullptr;
        if (isSparse(*tensor) || tensor->dtype == DType::Other || !object.isModule())
            throw Unsupported(Message("script.object", {{"class", object.className}}));
        Symbol item;
        item.is = Symbol::Is::Tensor, item.path = name ? joinedPath(path, *name) : constantPath(tensor);
        out.items->push_back(std::move(item));
    }
    return out;
}

} // namespace fx::script

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/mutable_values.h"

#include <algorithm>

namespace fx::script {

void MutableValues::rollBack(const Mark& mark) {
    m_replaced = mark.replaced, m_attributes = mark.attributes;
    m_owned = mark.owned, m_aliased = mark.aliased;
    for (; m_changes.size() > mark.changes; m_changes.pop_back()) {
        Change& last = m_changes.back();
        if (last.all) {
            m_kept -= last.all->size();
            *last.items = std::move(*last.all);
            continue;
        }
        last.items->resize(last.size);
        if (last.old) (*last.items)[last.old->first] = std::move(last.old->second);
    }
}

const Symbol& MutableValues::current(const Symbol& symbol) const {
    const Symbol* now = &symbol;
    for (auto known = m_replaced.end(); (known = m_replaced.find(Identity(*now))) != m_replaced.end();)
        now = &known->second;
    return *now;
}

void MutableValues::beforeChange(const Symbol& container, std::optional<std::size_t> index) {
    Change change{container.items, container.items->size(), {}};
    if (index) change.old.emplace(*index, (*container.items)[*index]);
    m_changes.push_back(std::move(change));
}

/// As `beforeChange`, for changes that move items: all of them are kept, which is bounded for whole scripts.
void MutableValues::beforeMoves(const Symbol& list) {
    if (m_kept + list.items->size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    m_kept += list.items->size();
    m_changes.push_back({list.items, list.items->size(), {}, *list.items});
}

void MutableValues::setItem(const Symbol& instance, std::size_t index, const Symbol& item) {
    beforeChange(instance, index);
    (*instance.items)[index] = item;
}

/// `dict[key] = item`. A dict of a module may get entries that it lacks: a later run finds what this one computes.
void MutableValues::setEntry(const Symbol& dict, const Symbol& key, const Symbol& item) {
    std::vector<Symbol>& items = *dict.items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const bool same = items[i].isSame(key);
        if (same ? dict.ofModule : !items[i].literal() || !key.literal())
            throw Unsupported(Message("script.changes_list"));
        if (same) return setItem(dict, i + 1, item);
    }
    m_stored += dict.ofModule;
    beforeChange(dict);
    items.push_back(key), items.push_back(item);
}

/// `list.insert(i, x)`, `pop`, `reverse` and `clear`.
std::optional<Symbol> MutableValues::rearrange(std::string_view method, Symbol& list,
                                               const std::vector<Symbol>& arguments) {
    std::vector<Symbol>& items = *list.items;
    const bool isInsert = method == "aten::insert", isPop = method == "aten::pop";
    const bool isPlain = method == "aten::reverse" || method == "aten::clear";
    if (list.is != Symbol::Is::List || !(isInsert || isPop || isPlain)) return std::nullopt;
    const auto* index = isPlain ? nullptr : arguments.at(1).as<std::int64_t>();
    if (!isPlain && !index) return std::nullopt;
    const auto size = static_cast<std::int64_t>(items.size());
    std::int64_t place = index && *index < 0 ? *index + size : index ? *index : 0;
    if (isInsert) place = std::clamp<std::int64_t>(place, 0, size);
    else if (isPop && (place < 0 || place >= size)) throw Unsupported(Message("script.raises"));
    const Symbol given = isInsert ? arguments.at(2) : Symbol();
    if (isInsert && place == size) beforeChange(list);
    else if (isPop && place == size - 1) beforeChange(list, static_cast<std::size_t>(place));
    else beforeMoves(list);
    Symbol result = list;
    if (isInsert) items.insert(items.begin() + place, given);
    else if (isPop) {
        result = items[static_cast<std::size_t>(place)];
        items.erase(items.begin() + place);
    } else if (method == "aten::reverse") std::reverse(items.begin(), items.end());
    else items.clear();
    list.depth = deepest(items) + 1;
    return result;
}

std::optional<Symbol> MutableValues::apply(std::string_view method, Symbol& container,
                                           const std::vector<Symbol>& arguments) {
    std::vector<Symbol>& items = *container.items;
    const bool isDict = container.is == Symbol::Is::Dict;
    if (items.size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    if (auto result = rearrange(method, container, arguments)) return result;
    if (method == "aten::append") {
        const Symbol& item = arguments.at(1);
        if (item.isContainer() && item.depth >= 20) throw Unsupported(Message("script.too_deep"));
        beforeChange(container);
        items.push_back(item);
        container.depth = std::max(container.depth, deepest(items) + 1);
    } else if (method == "aten::extend" || method == "aten::add_") {
        const Symbol& more = arguments.at(1);
        if (more.is != Symbol::Is::List) return std::nullopt;
        const std::vector<Symbol> copy = *more.items; // it may be the list itself
        beforeChange(container);
        items.insert(items.end(), copy.begin(), copy.end());
    } else if (method == "aten::_set_item" && isDict) {
        if (!arguments.at(1).literal()) return std::nullopt;
        setEntry(container, arguments.at(1), arguments.at(2));
    } else if (method == "aten::update" && isDict) {
        const Symbol& more = arguments.at(1);
        if (more.is != Symbol::Is::Dict) return std::nullopt;
        const std::vector<Symbol> pairs = *more.items;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) setEntry(container, pairs[i], pairs[i + 1]);
    } else if (const auto* index = method == "aten::_set_item" ? arguments.at(1).as<std::int64_t>() : nullptr;
               index && *index >= 0 && *index < static_cast<std::int64_t>(items.size())) {
        setItem(container, static_cast<std::size_t>(*index), arguments.at(2));
    } else return std::nullopt;
    return container;
}

const Symbol* MutableValues::attribute(const Object& object, const std::string& name) const {
    const auto known = m_attributes.find({&object, name});
    return known == m_attributes.end() ? nullptr : &known->second;
}

void MutableValues::setAttribute(const Object& object, const std::string& name, const Symbol& value) {
    m_attributes.insert_or_assign({&object, name}, value);
    ++m_stored;
}

const Symbol& MutableValues::containerOf(const Object& object, const std::string& name, const Argument& literal) {
    Symbol& known = m_containers[{&object, name}];
    if (known.is != Symbol::Is::Unset) return known;
    known = containerWith(literal);
    known.ofModule = true;
    return known;
}

void MutableValues::checkMutation(const std::vector<Symbol>& inputs, const std::set<std::size_t>& mutated) const {
    for (const std::size_t changed : mutated) {
        const Symbol& symbol = inputs[changed];
        const bool isOwn = symbol.isContainer() ? symbol.items && !symbol.ofModule : m_owned.contains(Identity(symbol));
        const auto holds = [&](const Symbol& item) {
            return item.is == Symbol::Is::List || item.is == Symbol::Is::Dict;
        };
        if (!isOwn || isAliased(symbol) ||
            (symbol.isContainer() && std::any_of(symbol.items->begin(), symbol.items->end(), holds)))
            throw Unsupported(Message("script.changes_list"));
        std::vector<const Symbol*> left;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (i != changed) left.push_back(&inputs[i]);
        while (!left.empty()) {
            const Symbol* next = left.back();
            left.pop_back();
            if (!next->isContainer() || !next->items) continue;
            for (const Symbol& item : *next->items) {
                if (Identity(current(item)) == Identity(symbol)) throw Unsupported(Message("script.changes_list"));
                left.push_back(&item);
            }
        }
    }
}

void MutableValues::replace(const Symbol& before, const Symbol& now) {
    own(now);
    m_replaced.insert_or_assign(Identity(before), now);
}

void MutableValues::alias(const std::vector<Symbol>& inputs, const std::set<std::size_t>& aliased) {
    for (const std::size_t shared : aliased)
        if (const Identity list(current(inputs[shared])); list != Identity(Symbol())) m_aliased.insert(list);
}

} // namespace fx::script

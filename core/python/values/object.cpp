// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/values/object.h"

#include "core/ir/print.h"

#include <cmath>

namespace fx::python {

bool Value::sameAs(const Value& other) const {
    if (kind != other.kind) return false;
    switch (kind) {
    case Kind::Unset:
    case Kind::None: return true;
    case Kind::Bool: return boolean == other.boolean;
    case Kind::Int: return integer == other.integer;
    case Kind::Float: return real == other.real;
    case Kind::Object: break;
    }
    if (object == other.object) return true;
    const auto *a = as<Traced>(), *b = other.as<Traced>();
    if (a && b) return trace::isSameObject(a->value, b->value);
    const auto *space = as<Space>(), *otherSpace = other.as<Space>();
    return space && otherSpace && space->path == otherSpace->path;
}

Value* Names::find(std::string_view name) {
    if (m_items.size() <= kFew) {
        for (auto& [key, value] : m_items)
            if (key == name) return &value;
        return nullptr;
    }
    const auto found = m_index.find(name);
    return found == m_index.end() ? nullptr : &m_items[found->second].second;
}

void Names::set(std::string_view name, Value value) {
    if (Value* known = find(name)) {
        *known = value;
        return;
    }
    m_items.emplace_back(std::string(name), value);
    if (m_items.size() == kFew + 1)
        for (std::size_t i = 0; i < m_items.size(); ++i) m_index.insert_or_assign(m_items[i].first, i);
    else if (m_items.size() > kFew) m_index.insert_or_assign(std::string(name), m_items.size() - 1);
}

bool Names::erase(std::string_view name) {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (m_items[i].first != name) continue;
        m_items.erase(m_items.begin() + static_cast<std::ptrdiff_t>(i));
        m_index.clear();
        if (m_items.size() > kFew)
            for (std::size_t k = 0; k < m_items.size(); ++k) m_index.insert_or_assign(m_items[k].first, k);
        return true;
    }
    return false;
}

namespace {
/// The dataclass whose `==` instances of a class have, itself or by inheritance; null if it is not a dataclass's.
const Class* comparing(const Class& type) {
    for (const Class* each : type.order) {
        if (each->compared) return each;
        if (each->members.find("__eq__")) return nullptr;
    }
    return nullptr;
}
} // namespace

KeyMethods& keyMethods() {
    thread_local KeyMethods methods;
    return methods;
}

std::size_t hashOf(const Value& value) {
    if (value.as<Instance>() && keyMethods().hash)
        if (const auto own = keyMethods().hash(value)) return *own;
    if (value.isNumber()) {
        const double real = value.asReal();
        return value.kind == Value::Kind::Float && real != std::floor(real)
                   ? std::hash<double>()(real)
                   : std::hash<std::int64_t>()(static_cast<std::int64_t>(real));
    }
    if (value.kind != Value::Kind::Object) return static_cast<std::size_t>(value.kind);
    if (const auto* text = value.as<Str>()) return std::hash<std::string>()(text->text);
    if (const auto* tuple = value.as<Tuple>()) {
        std::size_t hash = 17;
        for (const Value& item : tuple->items) hash = hash * 31 + hashOf(item);
        return hash;
    }
    if (const auto* set = value.as<Set>(); set && set->isFrozen) {
        std::size_t hash = 19; // the same in any order
        set->items.forEach([&](const Value& item, const Value&) { hash += hashOf(item); });
        return hash;
    }
    if (const auto* instance = value.as<Instance>(); instance && instance->payload.isSet())
        return hashOf(instance->payload);
    const auto* record = value.as<Instance>();
    if (const Class* type = record ? comparing(*record->type) : nullptr; type && type->isFrozenRecord) {
        std::size_t hash = 23;
        for (const std::string& field : *type->compared)
            if (const Value* item = record->attributes.find(field)) hash = hash * 31 + hashOf(*item);
        return hash;
    }
    if (const auto* traced = value.as<Traced>())
        if (const auto* tensor = traced->value.as<trace::TensorValue>())
            return std::hash<const void*>()(tensor->tensor.get());
    if (value.as<Traced>() || value.as<Space>()) return 7;
    return std::hash<const void*>()(value.object);
}

const Value& plain(const Value& value) {
    const auto* instance = value.as<Instance>();
    return instance && instance->payload.isSet() ? instance->payload : value;
}

Value* keyword(Keywords& kwargs, std::string_view name) {
    for (auto& [key, value] : kwargs)
        if (key == name) return &value;
    return nullptr;
}

namespace {
bool equalItems(const Values& a, const Values& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!equalValues(a[i], b[i])) return false;
    return true;
}
bool equalItems(Dict& a, Dict& b) {
    bool same = a.size() == b.size();
    a.forEach([&](const Value& key, const Value& value) {
        const Value* other = b.find(key);
        same = same && other && equalValues(value, *other);
    });
    return same;
}
} // namespace

Dict* membersOf(const Value& value) {
    if (auto* set = value.as<Set>()) return &set->items;
    const auto* view = value.as<DictView>();
    return view && view->kind == DictView::Kind::Keys ? view->dict : nullptr;
}

namespace {
/// Sets and views of keys with the same members, views of items of dicts that are equal.
bool equalMembers(const Value& a, const Value& b) {
    if (auto* x = membersOf(a), *y = membersOf(b); x && y) {
        bool same = x->size() == y->size();
        x->forEach([&](const Value& key, const Value&) { same = same && y->find(key); });
        return same;
    }
    const auto *x = a.as<DictView>(), *y = b.as<DictView>();
    const bool areItems = x && y && x->kind == DictView::Kind::Items && y->kind == DictView::Kind::Items;
    return areItems && equalItems(*x->dict, *y->dict);
}
} // namespace

bool equalValues(const Value& left, const Value& right) {
    const Value &a = plain(left), &b = plain(right);
    if (a.isNumber() && b.isNumber()) {
        if (a.isInt() && b.isInt()) return a.asInt() == b.asInt();
        return a.asReal() == b.asReal();
    }
    if (a.sameAs(b)) return true;
    if (const auto* x = a.as<Str>(), *y = b.as<Str>(); x && y) return x->text == y->text;
    if (const auto* x = a.as<Tuple>(), *y = b.as<Tuple>(); x && y) return equalItems(x->items, y->items);
    if (const auto* x = a.as<List>(), *y = b.as<List>(); x && y) return equalItems(x->items, y->items);
    if (auto* x = a.as<Dict>(), *y = b.as<Dict>(); x && y) return equalItems(*x, *y);
    if (a.as<Set>() || a.as<DictView>()) return equalMembers(a, b);
    if (const auto* x = a.as<RangeObject>(), *y = b.as<RangeObject>(); x && y)
        return x->start == y->start && x->size() == y->size() && x->step == y->step;
    if (const auto* x = a.as<Traced>(), *y = b.as<Traced>(); x && y) {
        const auto *one = x->value.as<Argument>(), *other = y->value.as<Argument>();
        if (one && other) return *one == *other;
        const auto *f = x->value.as<trace::FunctionValue>(), *g = y->value.as<trace::FunctionValue>();
        return f && g && f->path == g->path;
    }
    const auto *x = a.as<Instance>(), *y = b.as<Instance>();
    if ((x || y) && keyMethods().equal)
        if (const auto own = keyMethods().equal(a, b)) return *own;
    if (const Class* type = x && y && x->type == y->type ? comparing(*x->type) : nullptr) {
        for (const std::string& field : *type->compared) {
            const Value *one = x->attributes.find(field), *other = y->attributes.find(field);
            if (!one || !other || !equalValues(*one, *other)) return false;
        }
        return true;
    }
    return false;
}

std::pair<Value, Value>* Dict::place(const Value& key) {
    if (m_items.size() > kFew) {
        const auto found = m_index.find(key);
        return found == m_index.end() ? nullptr : &m_items[found->second];
    }
    for (auto& item : m_items)
        if (item.first.isSet() && equalValues(item.first, key)) return &item;
    return nullptr;
}

Value* Dict::find(const Value& key) {
    auto* const found = place(key);
    return found ? &found->second : nullptr;
}

Value* Dict::find(std::string_view key) {
    Str text{std::string(key)};
    text.tag = tagOf<Str>(); // no heap made it
    return find(Value(&text));
}

void Dict::set(const Value& key, Value value) {
    auto* const known = place(key);
    if (known) {
        known->second = value;
    } else {
        if (m_items.size() > 2 * m_size + kFew) dropErased();
        ++m_size;
        m_items.emplace_back(key, value);
        if (m_items.size() > kFew)
            for (std::size_t i = m_items.size() == kFew + 1 ? 0 : m_items.size() - 1; i < m_items.size(); ++i)
                if (m_items[i].first.isSet()) m_index.emplace(m_items[i].first, i);
    }
    if (changed) changed(key, &value);
}

void Dict::dropErased() {
    std::erase_if(m_items, [](const auto& item) { return !item.first.isSet(); });
    m_index.clear();
    if (m_items.size() > kFew)
        for (std::size_t i = 0; i < m_items.size(); ++i) m_index.emplace(m_items[i].first, i);
}

bool Dict::erase(const Value& key) {
    auto* const found = place(key);
    if (!found) return false;
    const Value gone = key; // which may be the dict's own
    if (m_items.size() > kFew) m_index.erase(gone);
    *found = {};
    --m_size;
    if (changed) changed(gone, nullptr);
    return true;
}

void Dict::clear() {
    m_index.clear();
    m_size = 0;
    const auto gone = std::exchange(m_items, {});
    if (!changed) return;
    for (const auto& [key, value] : gone)
        if (key.isSet()) changed(key, nullptr);
}

Value* Class::find(std::string_view member) const {
    for (Class* each : order)
        if (Value* found = each->members.find(member)) return found;
    return nullptr;
}

bool Class::derivesFrom(const Class* other) const {
    for (const Class* each : order)
        if (each == other || (!other->torchPath.empty() && each->torchPath == other->torchPath)) return true;
    return false;
}

} // namespace fx::python

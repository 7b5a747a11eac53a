// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/values/object.h"

#include "core/ir/print.h"
#include "core/python/imports/sources.h"
#include "core/python/values/set_order.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fx::python {
namespace {
constexpr std::string_view kComparing = " in comparison";
constexpr std::size_t kItemBytes = 96; ///< of a dict, with its place in the table
} // namespace

void throwOtherType(const Value& value) {
    if (const auto* unknown = value.as<Opaque>()) throw trace::CannotFollow(unknownImport(*unknown));
    throw trace::PythonError("TypeError: an object of another type was expected");
}

std::int64_t Value::noInteger() const {
    requireKnown(*this);
    const auto* traced = as<Traced>();
    const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
    if (argument && argument->as<BigInt>()) throw trace::CannotFollow(Message("trace.long_number"));
    throw trace::PythonError("TypeError: an integer is required");
}

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
    trace::chargeBytes(sizeof(m_items[0]) + name.size());
    m_items.emplace_back(std::string(name), value);
    if (m_items.size() == kFew + 1)
        for (std::size_t i = 0; i < m_items.size(); ++i) m_index.insert_or_assign(m_items[i].first, i);
    else if (m_items.size() > kFew) m_index.insert_or_assign(std::string(name), m_items.size() - 1);
}

bool Names::erase(std::string_view name) {
    trace::charge(m_items.size() / 2);
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

namespace {
/// A hash as Python may show it: a positive number of 63 bits.
std::size_t shown(std::size_t hash) { return hash >> 1; }
} // namespace

KeyMethods& keyMethods() {
    thread_local KeyMethods methods;
    return methods;
}

std::size_t hashOf(const Value& value) {
    if (value.isNumber()) return static_cast<std::size_t>(constantHash(value).value_or(0));
    if (value.kind != Value::Kind::Object) return static_cast<std::size_t>(value.kind);
    if (const auto* text = value.as<Str>()) {
        trace::charge(text->text.size() / 256);
        return shown(std::hash<std::string>()(text->text));
    }
    const trace::Deeper deeper;
    trace::charge(1);
    if (value.as<Instance>() && keyMethods().hash)
        if (const auto own = keyMethods().hash(value)) return *own;
    if (const auto* tuple = value.as<Tuple>()) {
        std::vector<std::int64_t> hashes;
        hashes.reserve(tuple->items.size());
        for (const Value& item : tuple->items) hashes.push_back(static_cast<std::int64_t>(hashOf(item)));
        return static_cast<std::size_t>(hashOfItems(hashes));
    }
    if (const auto* set = value.as<Set>(); set && set->isFrozen) {
        std::size_t hash = 19; // the same in any order
        set->items.forEach([&](const Value& item, const Value&) { hash += hashOf(item); });
        return shown(hash);
    }
    if (const auto* instance = value.as<Instance>(); instance && instance->payload.isSet())
        return hashOf(instance->payload);
    if (const auto* traced = value.as<Traced>(); traced && traced->value.isProxy()) {
        const auto* proxy = traced->value.as<trace::Proxy>();
        return proxy ? (static_cast<std::size_t>(proxy->node) + 1) * 0x9E3779B97F4A7C15U >> 1
                     : std::hash<const void*>()(traced->value.asLazy()->get()) >> 1;
    }
    if (const auto* method = value.as<Method>())
        return shown(
            std::hash<const void*>()(method->function.kind == Value::Kind::Object ? method->function.object : nullptr));
    if (const auto* range = value.as<RangeObject>())
        return shown(static_cast<std::size_t>(range->size() * 31 + (range->size() ? range->start : 0)));
    const auto* record = value.as<Instance>();
    if (const Class* type = record ? comparing(*record->type) : nullptr; type && type->isFrozenRecord) {
        std::size_t hash = 23;
        for (const std::string& field : *type->compared)
            if (const Value* item = record->attributes.find(field)) hash = hash * 31 + hashOf(*item);
        return shown(hash);
    }
    if (const auto* traced = value.as<Traced>()) {
        if (const auto* tensor = traced->value.as<trace::TensorValue>())
            return shown(std::hash<const void*>()(&tensor->object()));
        if (const auto hash = constantHash(value)) return static_cast<std::size_t>(*hash);
    }
    if (value.as<Traced>() || value.as<Space>()) return 7;
    return shown(std::hash<const void*>()(value.object));
}

namespace {
bool hasMethods(const Value& value) {
    const auto* traced = value.as<Traced>();
    return value.as<Instance>() || (traced && (traced->value.isProxy() || traced->value.as<trace::TensorValue>()));
}
/// Whether a key is or holds a proxy or a tensor, which `==` would ask.
bool holdsAsked(const Value& key) {
    if (key.as<Traced>()) return hasMethods(key);
    const trace::Deeper deeper;
    if (const auto* tuple = plain(key).as<Tuple>())
        return std::any_of(tuple->items.begin(), tuple->items.end(), holdsAsked);
    const auto* record = key.as<Instance>();
    return record && record->type->isFrozenRecord &&
           std::any_of(record->attributes.items().begin(), record->attributes.items().end(),
                       [](const auto& each) { return holdsAsked(each.second); });
}
} // namespace

bool isSameKey(const Value& a, const Value& b) {
    if (a.sameAs(b)) return true;
    const auto isSimple = [](const Value& key) { return key.kind != Value::Kind::Object || key.as<Str>(); };
    if (isSimple(a) && isSimple(b)) return isSameItem(a, b);
    if ((a.as<Traced>() && hasMethods(a)) || (b.as<Traced>() && hasMethods(b))) return false;
    return (!(holdsAsked(a) || holdsAsked(b)) || hashOf(a) == hashOf(b)) && isSameItem(a, b);
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
/// Lists of different sizes are not looked into; tuples are.
bool equalItems(const Values& a, const Values& b, bool areLists) {
    if (areLists && a.size() != b.size()) return false;
    const trace::Deeper deeper(kComparing);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) { // `__eq__` of an item may change both
        const Value one = a[i], other = b[i];
        if (!isSameItem(one, other)) return false;
    }
    return a.size() == b.size();
}
/// Whether the keys of two dicts are equal in their order, as OrderedDicts compare.
bool equalOrder(const Dict& a, const Dict& b) {
    std::size_t here = 0, there = 0;
    for (;;) {
        const auto [one, first] = a.nextItem(here);
        const auto [other, second] = b.nextItem(there);
        if (!one.isSet() || !other.isSet()) return one.isSet() == other.isSet();
        if (!isSameItem(one, other)) return false;
    }
}
bool equalItems(Dict& a, Dict& b) {
    const trace::Deeper deeper(kComparing);
    bool same = a.size() == b.size() && (!a.isOrdered || !b.isOrdered || equalOrder(a, b));
    a.forEach([&](const Value& key, const Value& value) {
        const Value* other = b.find(key);
        const Value there = other ? *other : Value();
        same = same && there.isSet() && isSameItem(there, value);
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
    if (areItems || !(x || y)) return areItems && equalItems(*x->dict, *y->dict);
    const bool isFirst = x && x->kind == DictView::Kind::Items;
    const DictView* const items = isFirst ? x : y;
    if (!items || items->kind != DictView::Kind::Items) return false;
    Dict* const members = membersOf(isFirst ? b : a); // pairs, if they equal items
    Dict& dict = *items->dict;
    bool same = members && members->size() == dict.size();
    if (same)
        dict.forEach([&](const Value& key, const Value& value) {
            Tuple pair;
            pair.tag = tagOf<Tuple>(); // no heap made it
            pair.items = {key, value};
            same = same && members->find(Value(&pair));
        });
    return same;
}
} // namespace

int orderOfNumbers(const Value& a, const Value& b) {
    const auto sign = [](auto one, auto other) { return (one > other) - (one < other); };
    if (a.isInt() && b.isInt()) return sign(a.asInt(), b.asInt());
    if (!a.isInt() && !b.isInt()) return sign(a.asReal(), b.asReal());
    if (!a.isInt()) return -orderOfNumbers(b, a);
    if (!(std::abs(b.real) < 0x1p63)) return b.real > 0 ? -1 : 1;
    const double whole = std::floor(b.real);
    const int order = sign(a.asInt(), static_cast<std::int64_t>(whole));
    return order == 0 && whole < b.real ? -1 : order;
}

bool isSameItem(const Value& a, const Value& b) {
    const auto isNaN = [](const Value& each) { return each.kind == Value::Kind::Float && std::isnan(each.real); };
    if (isNaN(a) && isNaN(b)) throw trace::CannotFollow(Message("trace.unknown_identity", {{"type", "float"}}));
    return a.sameAs(b) || equalValues(a, b);
}

bool equalValues(const Value& left, const Value& right) {
    const Value a = plain(left), b = plain(right); // what is compared may be replaced meanwhile
    trace::charge(1);
    if ((hasMethods(left) || hasMethods(right)) && keyMethods().equal)
        if (const auto own = keyMethods().equal(left, right)) return *own;
    if (a.isNumber() && b.isNumber())
        return !std::isnan(a.asReal()) && !std::isnan(b.asReal()) && orderOfNumbers(a, b) == 0;
    if (a.sameAs(b)) return true;
    requireKnown(a), requireKnown(b);
    for (const auto& [wide, number] : {std::pair(a, b), std::pair(b, a)})
        if (const auto* traced = number.isNumber() ? wide.as<Traced>() : nullptr) {
            const auto* argument = traced->value.as<Argument>();
            const auto* complex = argument ? argument->as<Complex>() : nullptr;
            if (complex) return complex->im == 0 && equalValues(Value(complex->re), number);
        }
    if (const auto* x = a.as<Str>(), *y = b.as<Str>(); x && y) {
        trace::charge(x->text.size() / 256);
        return x->text == y->text;
    }
    if (const auto* x = a.as<Tuple>(), *y = b.as<Tuple>(); x && y) return equalItems(x->items, y->items, false);
    if (const auto* x = a.as<List>(), *y = b.as<List>(); x && y) return equalItems(x->items, y->items, true);
    if (auto* x = a.as<Dict>(), *y = b.as<Dict>(); x && y) return equalItems(*x, *y);
    if (a.as<Set>() || a.as<DictView>()) return (b.as<Set>() || b.as<DictView>()) && equalMembers(a, b);
    if (const auto* x = a.as<RangeObject>(), *y = b.as<RangeObject>(); x && y)
        return x->size() == y->size() &&
               (x->size() == 0 || (x->start == y->start && (x->size() == 1 || x->step == y->step)));
    if (const auto* x = a.as<Method>(), *y = b.as<Method>(); x && y)
        return x->self.sameAs(y->self) && x->function.sameAs(y->function);
    if (const auto* x = a.as<SliceObject>(), *y = b.as<SliceObject>(); x && y)
        return isSameItem(x->start, y->start) && isSameItem(x->stop, y->stop) && isSameItem(x->step, y->step);
    if (const auto* x = a.as<Traced>(), *y = b.as<Traced>(); x && y) {
        const auto *one = x->value.as<Argument>(), *other = y->value.as<Argument>();
        const auto *z = one ? one->as<Complex>() : nullptr, *w = other ? other->as<Complex>() : nullptr;
        if (z && w) return z->re == w->re && z->im == w->im;
        if (one && other) return *one == *other;
        const auto *f = x->value.as<trace::FunctionValue>(), *g = y->value.as<trace::FunctionValue>();
        return f && g && f->path == g->path;
    }
    const auto *x = a.as<Instance>(), *y = b.as<Instance>();
    if (const Class* type = x && y && x->type == y->type ? comparing(*x->type) : nullptr) {
        const trace::Deeper deeper(kComparing);
        for (const std::string& field : *type->compared) {
            const Value *one = x->attributes.find(field), *other = y->attributes.find(field);
            if (!one || !other || !isSameItem(*one, *other)) return false;
        }
        return true;
    }
    return false;
}

bool isSize(const Value& value) {
    const auto* tuple = value.as<Tuple>();
    return tuple && tuple->isSize;
}

std::string nameInMessages(const Class& type) {
    static constexpr std::pair<std::string_view, std::string_view> kModules[] = {{"OrderedDict", "collections"},
                                                                                 {"defaultdict", "collections"},
                                                                                 {"deque", "collections"},
                                                                                 {"partial", "functools"},
                                                                                 {"Size", "torch"}};
    if (type.file && !type.file->path.empty()) return type.name;
    for (const auto& [name, module] : kModules) // types in C, whose names have a module
        if (type.name == name) return std::string(module) + "." + type.name;
    return type.name;
}

namespace {
/// Python looks for no key that may change. Returns the unknown object that the key is or holds, or null.
const Opaque* requireHash(const Value& key) {
    if (key.kind != Value::Kind::Object || key.as<Str>()) return nullptr;
    const auto* instance = key.as<Instance>();
    const Value* hash = instance ? instance->type->find("__hash__") : nullptr;
    const Value inner = hash ? Value() : plain(key); // of a class derived from list, too
    const auto* set = inner.as<Set>();
    std::string type = inner.as<List>()          ? "list"
                       : inner.as<Dict>()        ? "dict"
                       : set && !set->isFrozen   ? "set"
                       : inner.as<SliceObject>() ? "slice"
                                                 : "";
    if (instance && (!type.empty() || (hash && hash->isNone()))) type = nameInMessages(*instance->type);
    if (!type.empty()) throw trace::PythonError("TypeError: unhashable type: '" + type + "'");
    const auto* tuple = key.as<Tuple>();
    if (!tuple) return key.as<Opaque>();
    const trace::Deeper deeper;
    trace::charge(tuple->items.size());
    const Opaque* unknown = nullptr;
    for (const Value& item : tuple->items)
        if (const Opaque* held = requireHash(item)) unknown = held;
    return unknown;
}
} // namespace

/// Returns the place of a key. Python compares the keys that have its hash, in their order.
std::size_t Dict::search(const Value& key, std::size_t hash) {
    std::vector<std::size_t> places;
    for (bool isAtRest = false; !isAtRest; trace::charge(1)) {
        places.clear();
        if (m_isIndexed) {
            const auto [first, last] = m_index.equal_range(hash);
            for (auto each = first; each != last; ++each) places.push_back(each->second);
            trace::charge(places.size() / 8);
            std::sort(places.begin(), places.end());
        } else {
            for (std::size_t i = 0; i < m_items.size(); ++i)
                if (m_items[i].first.isSet() && m_items[i].hash == hash) places.push_back(i);
        }
        isAtRest = true;
        const std::size_t before = m_changes;
        for (const std::size_t at : places) {
            const Value each = m_items[at].first;
            const bool isFound = isSameKey(each, key);
            isAtRest = m_changes == before; // `__eq__` of a key may change the dict; CPython begins again then
            if (!isAtRest) break;
            if (isFound) return at;
        }
    }
    return kNowhere;
}

std::size_t Dict::place(const Value& key, std::size_t hash) {
    trace::charge(1);
    const std::size_t found = search(key, hash);
    if (found != kNowhere || m_size == 0) return found;
    const Opaque* held = requireHash(key);
    if (!held && !m_holdsUnknown) return kNowhere;
    for (std::size_t i = 0; !held && i < m_items.size(); ++i) held = requireHash(m_items[i].first);
    if (held) throw trace::CannotFollow(unknownImport(*held));
    return kNowhere;
}

namespace {
std::size_t hashOfKey(const Value& key) {
    requireHash(key);
    return hashOf(key);
}
} // namespace

Value* Dict::find(const Value& key) {
    const std::size_t found = place(key, hashOfKey(key));
    return found == kNowhere ? nullptr : &m_items[found].second;
}

Value* Dict::find(std::string_view key) {
    Str text{std::string(key)};
    text.tag = tagOf<Str>(); // no heap made it
    return find(Value(&text));
}

void Dict::set(const Value& key, Value value) {
    const std::size_t hash = hashOfKey(key), known = place(key, hash);
    if (known != kNowhere) {
        m_items[known].second = value;
    } else {
        trace::chargeBytes(kItemBytes);
        if (m_items.size() >= m_room) grow();
        ++m_size;
        ++m_changes;
        m_holdsUnknown = m_holdsUnknown || requireHash(key);
        m_items.push_back({{key, value}, hash});
        if (m_isIndexed) m_index.emplace(hash, m_items.size() - 1);
        else if (m_items.size() > kFew) index();
    }
    if (changed) changed(key, &value);
}

std::pair<Value, Value> Dict::nextItem(std::size_t& at) const {
    for (; at < m_items.size(); ++at)
        if (m_items[at].first.isSet()) return m_items[at++];
    return {};
}

std::pair<Value, Value> Dict::itemAtEnd(bool isLast) {
    if (m_size == 0) return {};
    if (isLast) {
        while (!m_items.back().first.isSet()) m_items.pop_back();
        return m_items.back();
    }
    while (!m_items[m_first].first.isSet()) ++m_first;
    return m_items[m_first];
}

void Dict::grow() {
    constexpr std::size_t kFactor = 3;
    if (m_items.size() != m_size) {
        std::vector<std::size_t> moved(m_items.size());
        for (std::size_t i = 0, next = 0; i < m_items.size(); ++i)
            if (m_items[i].first.isSet()) moved[i] = next++;
        for (auto& [hash, at] : m_index) at = moved[at];
        std::erase_if(m_items, [](const auto& item) { return !item.first.isSet(); });
        m_first = 0;
    }
    m_room = std::bit_ceil(std::max<std::size_t>(kFew, m_size * kFactor)) * 2 / 3;
}

void Dict::index() {
    m_isIndexed = true;
    for (std::size_t i = 0; i < m_items.size(); ++i)
        if (m_items[i].first.isSet()) m_index.emplace(m_items[i].hash, i);
}

bool Dict::erase(const Value& key) {
    const std::size_t hash = hashOfKey(key), found = place(key, hash);
    if (found == kNowhere) return false;
    const Value gone = m_items[found].first;
    const auto [first, last] = m_index.equal_range(hash);
    const auto indexed = std::find_if(first, last, [&](const auto& each) { return each.second == found; });
    if (indexed != last) m_index.erase(indexed);
    m_items[found] = {};
    --m_size;
    ++m_changes;
    if (changed) changed(gone, nullptr);
    return true;
}

void Dict::clear() {
    m_index.clear();
    m_isIndexed = false;
    m_size = m_first = m_room = 0;
    ++m_changes;
    m_holdsUnknown = false;
    const auto gone = std::exchange(m_items, {});
    if (!changed) return;
    for (const Item& item : gone)
        if (item.first.isSet()) changed(item.first, nullptr);
}

Value* Class::find(std::string_view member) const {
    if (order.size() > 16) trace::charge(order.size() / 8);
    for (Class* each : order)
        if (Value* found = each->members.find(member)) return found;
    return nullptr;
}

bool Class::derivesFrom(const Class* other) const {
    if (order.size() > 16) trace::charge(order.size() / 8);
    for (const Class* each : order)
        if (each == other || (!other->torchPath.empty() && each->torchPath == other->torchPath)) return true;
    return false;
}

} // namespace fx::python

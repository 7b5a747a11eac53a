// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/python_equality.h"

#include "core/ir/callable.h"

#include <algorithm>
#include <optional>

namespace fx {
namespace {

/// bool, int and float as Python compares them; integers beyond the range of double are compared exactly elsewhere.
std::optional<double> realOf(const Argument& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? 1.0 : 0.0;
    return value.number();
}
std::optional<std::int64_t> integerOf(const Argument& value) {
    if (const auto* flag = value.as<bool>()) return *flag ? 1 : 0;
    if (const auto* integer = value.as<std::int64_t>()) return *integer;
    return std::nullopt;
}

bool equalItems(const std::vector<Argument>& a, const std::vector<Argument>& b, bool nodesDiffer) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Argument& x, const Argument& y) { return pythonEquals(x, y, nodesDiffer); });
}

bool equalDicts(const Dict& a, const Dict& b, bool nodesDiffer) {
    if (a.items.size() != b.items.size()) return false;
    return std::all_of(a.items.begin(), a.items.end(), [&](const auto& item) {
        return std::any_of(b.items.begin(), b.items.end(), [&](const auto& other) {
            return pythonEquals(item.first, other.first, nodesDiffer) &&
                   pythonEquals(item.second, other.second, nodesDiffer);
        });
    });
}

} // namespace

bool pythonEquals(const Argument& a, const Argument& b, bool nodesDiffer) {
    if (a.isNode() || b.isNode()) return !nodesDiffer && a.isNode() && b.isNode() && a.node() == b.node();
    if (const auto x = integerOf(a), y = integerOf(b); x && y) return *x == *y;
    if (const auto x = realOf(a), y = realOf(b); x && y) return *x == *y;
    if (const auto* x = a.as<Complex>(), *y = b.as<Complex>(); x && y) return x->re == y->re && x->im == y->im;
    if (const auto* x = a.as<Sequence>()) {
        const auto* y = b.as<Sequence>();
        return y && (a.asList() != nullptr) == (b.asList() != nullptr) && equalItems(x->items, y->items, nodesDiffer);
    }
    if (const auto* x = a.as<Dict>(), *y = b.as<Dict>(); x && y) return equalDicts(*x, *y, nodesDiffer);
    if (const auto* x = a.as<Slice>(), *y = b.as<Slice>(); x && y)
        return pythonEquals(x->start, y->start, nodesDiffer) && pythonEquals(x->stop, y->stop, nodesDiffer) &&
               pythonEquals(x->step, y->step, nodesDiffer);
    return a == b;
}

bool sameType(const Argument& a, const Argument& b) {
    const auto isInt = [](const Argument& value) { return value.as<std::int64_t>() || value.as<BigInt>(); };
    if (isInt(a) && isInt(b)) return true;
    if (a.value().index() != b.value().index()) return false;
    if (const auto* x = a.as<Sequence>(), *y = b.as<Sequence>(); x && y)
        return x->kind == y->kind && (x->type == y->type || (x->type && y->type && *x->type == *y->type));
    if (const auto* x = a.as<TorchConstant>(), *y = b.as<TorchConstant>(); x && y) return x->kind == y->kind;
    if (const auto* x = a.as<OpaqueObject>(), *y = b.as<OpaqueObject>(); x && y) return x->typeName == y->typeName;
    return true;
}

} // namespace fx

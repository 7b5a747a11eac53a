// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes, equal to CPython's.
#include "core/python/python_interpreter.h"

#include <bit>
#include <cmath>

namespace fx::python {
using trace::CannotFollow;

namespace {
constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1; ///< CPython reduces numbers modulo this prime

std::int64_t signedHash(std::uint64_t size, bool isNegative) {
    const auto hash = static_cast<std::int64_t>(size);
    return isNegative ? (hash == 1 ? -2 : -hash) : hash;
}

/// CPython's `_Py_HashDouble`: equal numbers of all types have the same hash.
std::int64_t hashOfReal(double value) {
    if (std::isinf(value)) return value > 0 ? 314159 : -314159;
    if (std::isnan(value)) return 0;
    int exponent = 0;
    double mantissa = std::frexp(std::fabs(value), &exponent);
    std::uint64_t hash = 0;
    for (; mantissa != 0; exponent -= 28) {
        hash = ((hash << 28) & kModulus) | (hash >> 33);
        mantissa *= 268435456.0;
        const auto whole = static_cast<std::uint64_t>(mantissa);
        mantissa -= static_cast<double>(whole);
        hash += whole;
        if (hash >= kModulus) hash -= kModulus;
    }
    exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
    return signedHash(exponent == 0 ? hash : ((hash << exponent) & kModulus) | (hash >> (61 - exponent)), value < 0);
}

/// The hash of an int of any size.
std::int64_t hashOfDigits(std::string_view digits) {
    const bool isNegative = digits.starts_with('-');
    std::uint64_t rest = 0;
    for (const char digit : digits.substr(isNegative ? 1 : 0)) {
        const std::uint64_t twice = rest * 2 % kModulus;
        rest = (twice * 4 % kModulus + twice + static_cast<std::uint64_t>(digit - '0')) % kModulus;
    }
    return signedHash(rest, isNegative);
}
} // namespace

/// CPython's `tuplehash`, a simplified xxHash.
std::int64_t hashOfItems(const std::vector<std::int64_t>& hashes) {
    constexpr std::uint64_t kFirst = 11400714785074694791U, kSecond = 14029467366897019727U,
                            kFifth = 2870177450012600261U;
    std::uint64_t sum = kFifth;
    for (const std::int64_t hash : hashes)
        sum = std::rotl(sum + static_cast<std::uint64_t>(hash) * kSecond, 31) * kFirst;
    sum += hashes.size() ^ (kFifth ^ 3527539U);
    return sum == ~std::uint64_t{0} ? 1546275796 : static_cast<std::int64_t>(sum);
}

std::optional<std::int64_t> constantHash(const Value& value) {
    if (value.isInt()) {
        const bool isNegative = value.asInt() < 0;
        const auto size = static_cast<std::uint64_t>(value.asInt());
        return signedHash((isNegative ? 0 - size : size) % kModulus, isNegative);
    }
    if (value.isNumber()) return std::isnan(value.real) ? std::nullopt : std::optional(hashOfReal(value.real));
    const auto* traced = value.as<Traced>();
    const auto* argument = traced ? traced->value.as<Argument>() : nullptr;
    if (const auto* big = argument ? argument->as<BigInt>() : nullptr) return hashOfDigits(big->digits);
    if (const auto* complex = argument ? argument->as<Complex>() : nullptr) {
        const auto hash = static_cast<std::int64_t>(static_cast<std::uint64_t>(hashOfReal(complex->re)) +
                                                    1000003 * static_cast<std::uint64_t>(hashOfReal(complex->im)));
        return hash == -1 ? -2 : hash;
    }
    const auto* tuple = value.as<Tuple>();
    if (!tuple) return std::nullopt;
    const trace::Deeper deeper;
    trace::charge(1 + tuple->items.size());
    std::vector<std::int64_t> hashes;
    for (const Value& item : tuple->items) {
        const auto hash = constantHash(item);
        if (!hash) return std::nullopt;
        hashes.push_back(*hash);
    }
    return hashOfItems(hashes);
}

std::int64_t Operators::hash(const Value& value) {
    const trace::Deeper deeper;
    trace::charge(1);
    requireKnown(value);
    const auto* object = value.as<Instance>();
    if (const Value* none = object ? object->type->find("__hash__") : nullptr; none && none->isNone())
        raise("TypeError", "unhashable type: '" + typeName(value) + "'");
    if (const Value own = specialMethod(value, "__hash__"); own.isSet()) {
        const Value made = call(own, {});
        if (made.as<Instance>() || made.as<Str>() || itemsOf(made) || made.isNone())
            raise("TypeError", "__hash__ method should return an integer");
        return made.isInt() ? (made.asInt() == -1 ? -2 : made.asInt()) : hash(made); // as it is, if it fits
    }
    const Value known = plain(value);
    if (const auto constant = constantHash(known)) return *constant;
    if (known.as<List>() || known.as<Dict>() || known.as<SliceObject>() ||
        (known.as<Set>() && !known.get<Set>().isFrozen))
        raise("TypeError", "unhashable type: '" + typeName(value) + "'");
    if (const auto* tuple = known.as<Tuple>()) {
        std::vector<std::int64_t> hashes;
        for (const Value& item : tuple->items) hashes.push_back(hash(item));
        return hashOfItems(hashes);
    }
    return static_cast<std::int64_t>(hashOf(known));
}

namespace {
bool isAsked(const Value& value) { return isProxy(value) || tensorIn(value) != nullptr; }
} // namespace

void Operators::giveKeyMethods() {
    const auto own = [](const Value& key, std::string_view name) -> Value* {
        const auto* instance = key.as<Instance>();
        Value* method = instance ? instance->type->find(name) : nullptr;
        return method && method->as<Function>() ? method : nullptr;
    };
    keyMethods().owner = &m_in;
    // The interpreter may end on another thread, which cannot take these back.
    const std::weak_ptr<const bool> alive = m_alive;
    keyMethods().hash = [this, own, alive](const Value& key) -> std::optional<std::size_t> {
        if (alive.expired() || !own(key, "__hash__")) return std::nullopt;
        return static_cast<std::size_t>(hash(key));
    };
    keyMethods().equal = [this, own, alive](const Value& left, const Value& right) -> std::optional<bool> {
        if (alive.expired()) return std::nullopt;
        if (isAsked(left) || isAsked(right)) return truth(compare("==", left, right));
        for (const auto& [self, other] : {std::pair(left, right), std::pair(right, left)})
            if (own(self, "__eq__"))
                if (const Value made = call(specialMethod(self, "__eq__"), {other}); !isNotImplemented(made))
                    return truth(made);
        return std::nullopt;
    };
}

} // namespace fx::python

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/compare.h"

#include "core/base/listed.h"
#include "core/base/python_text.h"
#include "core/base/utf8.h"
#include "core/diag/sides.h"
#include "core/ir/print.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::int64_t kBlock = 1 << 18; ///< elements that are converted at a time

/// torch.testing.assert_close
Tolerance usual(at::ScalarType type) {
    switch (type) {
    case at::kHalf:
    case at::kComplexHalf: return {1e-3, 1e-5};
    case at::kBFloat16: return {1.6e-2, 1e-5};
    case at::kFloat:
    case at::kComplexFloat:
    case at::kQInt8:
    case at::kQUInt8:
    case at::kQInt32:
    case at::kQUInt4x2:
    case at::kQUInt2x4: return {1.3e-6, 1e-5};
    case at::kDouble:
    case at::kComplexDouble: return {1e-7, 1e-7};
    default: return {0, 0};
    }
}

bool isNan(double value) { return std::isnan(value); }
bool isNan(const std::complex<double>& value) { return std::isnan(value.real()) || std::isnan(value.imag()); }
bool isNan(std::int64_t) { return false; }
double distance(double a, double b) { return std::abs(b - a); }
double distance(const std::complex<double>& a, const std::complex<double>& b) { return std::abs(b - a); }
double distance(std::int64_t a, std::int64_t b) {
    return static_cast<double>(a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                     : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
}
double size(double a) { return std::abs(a); }
double size(const std::complex<double>& a) { return std::abs(a); }
double size(std::int64_t a) { return std::abs(static_cast<double>(a)); }

std::vector<std::int64_t> indexOf(std::int64_t place, const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> out(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0; place /= std::max<std::int64_t>(sizes[i], 1))
        out[i] = place % std::max<std::int64_t>(sizes[i], 1);
    return out;
}

/// Collects over blocks.
struct Tally {
    ValueDifference& out;
    std::int64_t worst = -1;
    double squares = 0, noise = 0;
    std::int64_t finite = 0;

    template<class T, class As> void add(const void* dataA, const void* dataB, std::int64_t count, std::int64_t start) {
        const auto* left = static_cast<const T*>(dataA);
        const auto* right = static_cast<const T*>(dataB);
        for (std::int64_t i = 0; i < count; ++i) {
            magnitude(size(As(left[i])));
            if (std::memcmp(left + i, right + i, sizeof(T)) != 0 || isNan(As(left[i])))
                one(As(left[i]), As(right[i]), start + i);
        }
    }

    void magnitude(double of) {
        if (!std::isfinite(of)) return;
        out.scale = std::max(out.scale, of);
        squares += of * of, ++finite;
    }
    void finish(at::IntArrayRef sizes) {
        const double root = finite > 0 ? 1 / std::sqrt(static_cast<double>(finite)) : 0;
        out.rms = std::sqrt(squares) * root, out.rmsError = std::sqrt(noise) * root;
        if (worst >= 0) out.worst = indexOf(worst, sizes.vec());
    }

    template<class T> void one(const T& a, const T& b, std::int64_t place) {
        const bool nanA = isNan(a), nanB = isNan(b);
        out.nansA += nanA, out.nansB += nanB, out.nansBoth += nanA && nanB;
        if (nanA || nanB) {
            out.beyond += nanA != nanB;
            return;
        }
        if (a == b) return;
        const double off = distance(a, b), magnitude = size(a);
        if (std::isfinite(off)) noise += off * off;
        if (off > out.maxAbs || worst < 0) out.maxAbs = off, worst = place;
        out.maxRel = std::max(out.maxRel, magnitude > 0 ? off / magnitude : std::numeric_limits<double>::infinity());
        if (!(off <= out.tolerance.atol + out.tolerance.rtol * magnitude) || std::isinf(off)) ++out.beyond;
    }
};

bool sameBytes(const at::Tensor& a, const at::Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.nbytes() == b.nbytes() &&
           (a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

/// Types that are not one of these are converted to one, block by block.
at::ScalarType measuredAs(at::ScalarType type) {
    if (at::isComplexType(type)) return at::kComplexDouble;
    if (type == at::kFloat || type == at::kDouble) return type;
    return at::isFloatingType(type) ? at::kDouble : at::kLong;
}

/// Along dimensions that both have expanded (stride 0) all elements are alike: takes the first, and returns for how
/// many each of the rest stands.
std::int64_t takeFirstOfExpanded(at::Tensor& a, at::Tensor& b) {
    std::int64_t copies = 1;
    if (a.layout() != at::kStrided || b.layout() != at::kStrided || a.is_quantized() || b.is_quantized()) return 1;
    for (std::int64_t i = 0; i < a.dim(); ++i) {
        if (a.size(i) < 2 || a.stride(i) != 0 || b.stride(i) != 0) continue;
        copies *= a.size(i);
        a = a.narrow(i, 0, 1), b = b.narrow(i, 0, 1);
    }
    return copies;
}

std::int64_t nansIn(const at::Tensor& flat) {
    std::int64_t count = 0;
    if (!flat.is_floating_point() && !flat.is_complex()) return count;
    for (std::int64_t start = 0; start < flat.numel(); start += kBlock)
        count += flat.slice(0, start, std::min(start + kBlock, flat.numel())).isnan().sum().item<std::int64_t>();
    return count;
}

void measureStored(const at::Tensor& left, const at::Tensor& right, ValueDifference& out, bool scale) {
    const at::Tensor a = plain(left).flatten(), b = plain(right).flatten();
    out.equal = sameBytes(a, b);
    if (out.equal && !scale) {
        out.nansA = out.nansB = out.nansBoth = nansIn(a);
        return;
    }
    const at::ScalarType type = measuredAs(c10::promoteTypes(a.scalar_type(), b.scalar_type()));
    Tally tally{out};
    for (std::int64_t start = 0; start < a.numel(); start += kBlock) {
        const std::int64_t end = std::min(start + kBlock, a.numel());
        const at::Tensor partA = a.slice(0, start, end).to(type), partB = b.slice(0, start, end).to(type);
        const void *dataA = partA.const_data_ptr(), *dataB = partB.const_data_ptr();
        if (type == at::kFloat) tally.add<float, double>(dataA, dataB, end - start, start);
        else if (type == at::kDouble) tally.add<double, double>(dataA, dataB, end - start, start);
        else if (type == at::kLong) tally.add<std::int64_t, std::int64_t>(dataA, dataB, end - start, start);
        else tally.add<std::complex<double>, std::complex<double>>(dataA, dataB, end - start, start);
    }
    tally.finish(left.sizes());
}

void measure(at::Tensor a, at::Tensor b, ValueDifference& out, bool scale) {
    const std::int64_t copies = takeFirstOfExpanded(a, b);
    measureStored(a, b, out, scale);
    for (auto* count : {&out.beyond, &out.nansA, &out.nansB, &out.nansBoth}) *count *= copies;
}

std::string shapeText(const at::Tensor& tensor) {
    std::string text = fx::joined(tensor.sizes(), "×");
    return text.empty() ? "a scalar" : text;
}

std::string shortName(at::ScalarType type) { return std::string(scalarTypeName(type).substr(6)); }

/// "['logits']" for a text, "[3]" for others
std::string keyText(const Value& key) {
    std::string text;
    if (key.text()) appendPythonString(text, *key.text());
    else text = key.integer() ? std::to_string(*key.integer()) : "...";
    return "[" + text + "]";
}

/// "'mean'"; long ones are cut.
std::string literalText(const Argument& literal) {
    constexpr std::size_t kMost = 60;
    std::string text = reprOf(Graph(), literal);
    if (text.size() > kMost) text = std::string(wholeCharacters(text, kMost)) + "...";
    return text;
}

std::string kindText(const Value& value) {
    if (const Items* items = value.items()) {
        const char* word = items->kind == Items::Kind::List   ? "a list of "
                           : items->kind == Items::Kind::Size ? "a size of "
                                                              : "a tuple of ";
        return word + std::to_string(items->items.size());
    }
    if (const Mapping* mapping = value.mapping()) return "a dict of " + std::to_string(mapping->items.size());
    return value.isNone() ? "None" : "a " + typeText(value);
}

} // namespace

at::Tensor plain(at::Tensor tensor) {
    if (tensor.is_quantized()) tensor = tensor.dequantize();
    if (tensor.layout() != at::kStrided) tensor = tensor.to_dense();
    return tensor.resolve_conj().resolve_neg().contiguous();
}

Tolerance toleranceFor(at::ScalarType type, const Tolerances& chosen) {
    for (const auto& [name, tolerance] : chosen.types)
        if (name == scalarTypeName(type)) return tolerance;
    const Tolerance own = usual(type);
    return {chosen.rtol.value_or(own.rtol), chosen.atol.value_or(own.atol)};
}

Message inBoth(const std::string& a, const std::string& b) { return Message("verify.sides", {{"a", a}, {"b", b}}); }

Message largestError(double largest) {
    if (!(largest > 0)) return Message("verify.values_not_finite");
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.2g", largest);
    return Message("verify.largest_error", {{"error", text.data()}});
}

Message atPath(const std::string& path, const Message& difference) {
    if (path.empty()) return difference;
    return containing(Message("verify.at_path", {{"path", path}, {"difference", difference.text()}}), "difference",
                      difference);
}

Message bothOf(const Message& first, const Message& second) {
    const Message both("verify.both", {{"first", first.text()}, {"second", second.text()}});
    return containing(containing(both, "first", first), "second", second);
}

ValueDifference compareTensors(const at::Tensor& a, const at::Tensor& b, const Tolerances& tolerances, bool scale) {
    ValueDifference out;
    out.dtype = scalarTypeName(a.scalar_type());
    out.sizes = a.sizes().vec();
    out.count = a.numel();
    const Tolerance ofA = toleranceFor(a.scalar_type(), tolerances), ofB = toleranceFor(b.scalar_type(), tolerances);
    out.tolerance = {std::max(ofA.rtol, ofB.rtol), std::max(ofA.atol, ofB.atol)};
    const bool sameType = a.scalar_type() == b.scalar_type();
    if (!sameType) out.reason = inBoth(shortName(a.scalar_type()), shortName(b.scalar_type()));
    out.sameShape = a.sizes() == b.sizes();
    if (out.sameShape) measure(a, b, out, scale);
    else if (sameType) out.reason = inBoth(shapeText(a), shapeText(b));
    else out.reason = bothOf(out.reason, inBoth(shapeText(a), shapeText(b)));
    if (!out.comparable()) out.equal = false;
    out.close = out.comparable() && out.beyond == 0;
    return out;
}

ValueDifference compareLeaves(const Value& a, const Value& b, const Tolerances& tolerances, bool scale) {
    if (a.isTensor() && b.isTensor()) return compareTensors(a.tensor(), b.tensor(), tolerances, scale);
    ValueDifference out;
    out.dtype = typeText(a);
    out.count = 1;
    if (a.isTensor() || b.isTensor() || typeText(a) != typeText(b)) {
        out.reason = inBoth(kindText(a), kindText(b));
        out.equal = out.close = false;
        return out;
    }
    if (a.real() && b.real()) {
        if (a.as<double>()) out.tolerance = toleranceFor(at::kDouble, tolerances);
        out.equal = *a.real() == *b.real() || (std::isnan(*a.real()) && std::isnan(*b.real()));
        Tally tally{out};
        tally.magnitude(std::abs(*a.real()));
        if (!out.equal) tally.one(*a.real(), *b.real(), 0);
        tally.finish(out.sizes);
    } else {
        const auto left = toArgument(a), right = toArgument(b);
        out.equal = !left || !right || *left == *right; // modules and graphs hold nothing to compare
        out.beyond = !out.equal;
        if (!out.equal) out.reason = inBoth(literalText(*left), literalText(*right));
    }
    out.close = out.beyond == 0;
    return out;
}

void pairLeaves(const Value& a, const Value& b,
                const std::function<void(const std::string& path, const Value& a, const Value& b)>& leaf,
                const std::function<void(const std::string& path, const Message& why)>& parted) {
    struct Pair {
        std::string path;
        Value a, b;
        std::size_t depth;
    };
    std::vector<Pair> stack = {{"", a, b, 0}};
    while (!stack.empty()) {
        const Pair pair = std::move(stack.back());
        stack.pop_back();
        const Items *itemsA = pair.a.items(), *itemsB = pair.b.items();
        const Mapping *mapA = pair.a.mapping(), *mapB = pair.b.mapping();
        const bool sequences = itemsA && itemsB && itemsA->items.size() == itemsB->items.size(),
                   dicts = mapA && mapB && mapA->items.size() == mapB->items.size();
        if (!itemsA && !itemsB && !mapA && !mapB) {
            leaf(pair.path, pair.a, pair.b);
        } else if ((!sequences && !dicts) || pair.depth > kMaxArgumentDepth) {
            parted(pair.path, inBoth(kindText(pair.a), kindText(pair.b)));
        } else if (sequences) {
            for (std::size_t i = itemsA->items.size(); i-- > 0;)
                stack.push_back(
                    {pair.path + "[" + std::to_string(i) + "]", itemsA->items[i], itemsB->items[i], pair.depth + 1});
        } else {
            for (std::size_t i = mapA->items.size(); i-- > 0;) {
                const std::string key = keyText(mapA->items[i].first);
                const auto other = std::find_if(mapB->items.begin(), mapB->items.end(),
                                                [&](const auto& entry) { return keyText(entry.first) == key; });
                if (other == mapB->items.end()) parted(pair.path, Message("verify.missing_key", {{"key", key}}));
                else stack.push_back({pair.path + key, mapA->items[i].second, other->second, pair.depth + 1});
            }
        }
    }
}

Values leavesOf(const Value& value, const Value& own) {
    Values leaves;
    bool isSame = true;
    pairLeaves(
        own, value, [&](const std::string&, const Value&, const Value& leaf) { leaves.push_back(leaf); },
        [&](const std::string&, const Message&) { isSame = false; });
    return isSame ? leaves : Values();
}

Values leavesOf(const Value& value) { return leavesOf(value, value); }

std::vector<double> rmsErrors(const Value& a, const Value& b) {
    std::vector<double> out;
    const Values left = leavesOf(a), right = leavesOf(b, a);
    if (left.size() != right.size()) return out;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const ValueDifference difference = compareLeaves(left[i], right[i], {});
        out.push_back(difference.comparable() ? difference.rmsError : std::numeric_limits<double>::infinity());
    }
    return out;
}

ValueDifference compareValues(const Value& a, const Value& b, const Tolerances& tolerances, bool scale) {
    ValueDifference all;
    bool first = true;
    pairLeaves(
        a, b,
        [&](const std::string& path, const Value& left, const Value& right) {
            ValueDifference one = compareLeaves(left, right, tolerances, scale);
            if (!one.comparable()) one.reason = atPath(path, one.reason);
            const bool worse = first || one.maxAbs > all.maxAbs || (all.comparable() && !one.comparable());
            const bool equal = all.equal && one.equal, close = all.close && one.close;
            const std::int64_t beyond = all.beyond + one.beyond;
            const double relative = std::max(all.maxRel, one.maxRel);
            if (worse) all = std::move(one);
            all.equal = equal, all.close = close, all.beyond = beyond, all.maxRel = relative;
            first = false;
        },
        [&](const std::string& path, const Message& why) {
            all.equal = all.close = first = false;
            if (all.comparable()) all.reason = atPath(path, why);
        });
    return all;
}

Message otherSequence(const Value& a, const Value& b) {
    const auto isList = [](const Items& items) { return items.kind == Items::Kind::List; };
    std::vector<std::pair<const Value*, const Value*>> open = {{&a, &b}};
    while (!open.empty()) {
        const auto [left, right] = open.back();
        open.pop_back();
        const Items *itemsA = left->items(), *itemsB = right->items();
        const Mapping *mapA = left->mapping(), *mapB = right->mapping();
        if (itemsA && itemsB) {
            if (isList(*itemsA) != isList(*itemsB)) return inBoth(kindText(*left), kindText(*right));
            for (std::size_t i = std::min(itemsA->items.size(), itemsB->items.size()); i-- > 0;)
                open.emplace_back(&itemsA->items[i], &itemsB->items[i]);
        } else if (mapA && mapB && mapA->items.size() == mapB->items.size()) {
            for (std::size_t i = mapA->items.size(); i-- > 0;)
                open.emplace_back(&mapA->items[i].second, &mapB->items[i].second);
        }
    }
    return {};
}

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/rounding.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/float64_run.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/lockstep_run.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace fx::engine {
namespace {

constexpr double kMostOfA = 8;    ///< times the largest error of A against float64, that of B
constexpr double kTypicalOfA = 4; ///< likewise of the root mean square

constexpr double kExact = 1e-5;       ///< of the root mean square of an output: less is what constants round
constexpr double kAboveOwn = 8;       ///< times A's own rounding, a difference that it does not explain
constexpr double kMovedByWeights = 4; ///< times what a rounding of weights moves an output
constexpr double kAlikeRounding = 16; ///< times the error of one model, that of the other

bool isNarrowTensor(const Value& value) { return value.isTensor() && isNarrow(value.tensor().scalar_type()); }

/// How far a tensor is from what float64 gives.
struct Distance {
    double most = 0, rms = 0;
    bool isFinite = true;
};
Distance distanceOf(const at::Tensor& value, const at::Tensor& exact) {
    const at::Tensor ofValue = plain(value).to(at::kDouble), ofExact = plain(exact);
    const auto *x = static_cast<const double*>(ofValue.const_data_ptr()),
               *y = static_cast<const double*>(ofExact.const_data_ptr());
    Distance out;
    for (std::int64_t i = 0; i < ofValue.numel(); ++i) {
        const double off = std::abs(x[i] - y[i]);
        out.most = std::max(out.most, off), out.rms += off * off;
        out.isFinite = out.isFinite && std::isfinite(off);
    }
    if (ofValue.numel() > 0) out.rms = std::sqrt(out.rms / static_cast<double>(ofValue.numel()));
    return out;
}

bool isTensorOf(const Value& value, at::ScalarType type, at::IntArrayRef sizes) {
    return value.isTensor() && value.tensor().scalar_type() == type && value.tensor().sizes() == sizes;
}

bool tensorsRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB,
                  const Tolerances& tolerances) {
    const at::IntArrayRef sizes = a.tensor().sizes();
    if (!isTensorOf(b, a.tensor().scalar_type(), sizes) || !isTensorOf(exactA, at::kDouble, sizes) ||
        !isTensorOf(exactB, at::kDouble, sizes))
        return false;
    Tolerances ofType = tolerances; // what is exact is compared as what is rounded
    ofType.types.emplace_back("torch.float64", toleranceFor(a.tensor().scalar_type(), tolerances));
    if (isGross(compareLeaves(exactA, exactB, ofType))) return false;
    const Distance ofA = distanceOf(a.tensor(), exactA.tensor()), ofB = distanceOf(b.tensor(), exactB.tensor());
    return ofA.isFinite && ofB.isFinite && ofB.rms <= kAlikeRounding * ofA.rms; // A may round more: it is replaced
}

/// The content of a tensor, as a number.
std::size_t contentOf(const at::Tensor& tensor) {
    const at::Tensor dense = plain(tensor.detach());
    return std::hash<std::string_view>()({static_cast<const char*>(dense.const_data_ptr()), dense.nbytes()});
}

/// The tensors of a model.
std::unordered_set<std::size_t> contentsOf(const VerifySide& side) {
    std::unordered_set<std::size_t> out;
    forEachOwn(*side.model, *side.tensors, [&](const at::Tensor& tensor) { out.insert(contentOf(tensor)); });
    return out;
}

/// Whether the models give the same in float64, but for a rounding of the weights that only one of them has.
bool agreeInDouble(const Value& exactA, const VerifySide& a, const VerifySide& b, const VerifyOptions& options) {
    const auto exactB = exactOutput(b, options);
    if (!exactB) return true; // nothing is known of it
    const std::vector<double> apart = rmsErrors(exactA, *exactB);
    std::vector<double> allowed;
    for (const Value& leaf : leavesOf(exactA)) allowed.push_back(kExact * compareLeaves(leaf, leaf, {}).rms);
    const auto isWithin = [&] {
        bool within = apart.size() == allowed.size();
        for (std::size_t i = 0; within && i < apart.size(); ++i) within = apart[i] <= allowed[i];
        return within;
    };
    if (isWithin()) return true;
    const auto ofA = contentsOf(a), ofB = contentsOf(b);
    for (const VerifySide* side : {&a, &b}) {
        const auto& others = side == &a ? ofB : ofA;
        const auto isOwn = [&](const at::Tensor& tensor) { return !others.contains(contentOf(tensor)); };
        const auto rounded = exactOutput(*side, options, isOwn);
        const auto moved = rounded ? rmsErrors(side == &a ? exactA : *exactB, *rounded) : std::vector<double>();
        for (std::size_t i = 0; i < std::min(moved.size(), allowed.size()); ++i)
            allowed[i] += kMovedByWeights * moved[i];
    }
    return isWithin();
}

/// One output: A's own distance to what float64 gives is what B's may be.
bool isRounding(const at::Tensor& a, const at::Tensor& b, const at::Tensor& exact) {
    if (exact.scalar_type() != at::kDouble || exact.sizes() != a.sizes()) return false;
    const Distance ofA = distanceOf(a, exact), ofB = distanceOf(b, exact);
    return ofA.isFinite && ofB.isFinite && ofB.most <= kMostOfA * ofA.most && ofB.rms <= kTypicalOfA * ofA.rms;
}

/// One result: the models are apart in float64, and A's own rounding is no explanation.
bool isApart(const Value& a, const Value& exactA, const Value& exactB) {
    if (!a.isTensor() || a.tensor().scalar_type() != at::kFloat) return false;
    const at::IntArrayRef sizes = a.tensor().sizes();
    if (!isTensorOf(exactA, at::kDouble, sizes) || !isTensorOf(exactB, at::kDouble, sizes)) return false;
    const Distance apart = distanceOf(exactB.tensor(), exactA.tensor()), own = distanceOf(a.tensor(), exactA.tensor());
    return apart.isFinite && own.isFinite && apart.most > kAboveOwn * own.most &&
           apart.most > kExact * compareLeaves(exactA, exactA, {}).scale;
}

} // namespace

bool differExactly(const Value& a, const Value& exactA, const Value& exactB) {
    const Values own = leavesOf(a), ofA = leavesOf(exactA, a), ofB = leavesOf(exactB, a);
    if (own.size() != ofA.size() || own.size() != ofB.size()) return false;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (isApart(own[i], ofA[i], ofB[i])) return true;
    return false;
}

bool bothRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB, const Tolerances& tolerances) {
    const Values ofA = leavesOf(a), ofB = leavesOf(b, a), trueA = leavesOf(exactA, a), trueB = leavesOf(exactB, a);
    if (ofA.size() != ofB.size() || ofA.size() != trueA.size() || ofA.size() != trueB.size()) return false;
    for (std::size_t i = 0; i < ofA.size(); ++i)
        if (isGross(compareLeaves(ofA[i], ofB[i], tolerances)) &&
            !(isNarrowTensor(ofA[i]) && tensorsRound(ofA[i], ofB[i], trueA[i], trueB[i], tolerances)))
            return false;
    return true;
}

bool onlyRounding(const Value& outputA, const Value& outputB, const VerifySide& a, const VerifySide& b,
                  const VerifyOptions& options) {
    const Value copyOfA = denseCopyOf(outputA); // they may be buffers
    const Values ofA = leavesOf(copyOfA), ofB = leavesOf(denseCopyOf(outputB), copyOfA);
    if (ofA.size() != ofB.size()) return false;
    std::vector<std::size_t> open; // places of outputs beyond the tolerance
    for (std::size_t i = 0; i < ofA.size(); ++i) {
        const ValueDifference difference = compareLeaves(ofA[i], ofB[i], options.tolerances);
        if (difference.close) continue;
        if (!isNarrowTensor(ofA[i]) || !difference.comparable() || difference.nansA > 0 || difference.nansB > 0)
            return false;
        open.push_back(i);
    }
    const std::optional<Value> exact = exactOutput(options.freshA(), options);
    const Values truth = exact ? leavesOf(*exact, copyOfA) : Values();
    const bool rounds =
        truth.size() == ofA.size() && std::all_of(open.begin(), open.end(), [&](std::size_t i) {
            return truth[i].isTensor() && isRounding(ofA[i].tensor(), ofB[i].tensor(), truth[i].tensor());
        });
    return rounds && agreeInDouble(*exact, a, b, options);
}

} // namespace fx::engine

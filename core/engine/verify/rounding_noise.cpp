// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/rounding_noise.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/lockstep_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fx::engine {
namespace {

constexpr double kAboveNoise = 4; ///< times what nudged values move an output, elementwise and on average

double apart(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    return std::isfinite(a) && std::isfinite(b) ? std::abs(b - a) : std::numeric_limits<double>::infinity();
}

} // namespace

RoundingNoise::RoundingNoise(const Value& own) : m_own(own) {
    for (Value& leaf : leavesOf(own)) m_leaves.push_back({std::move(leaf), {}, 0, true});
}

void RoundingNoise::learn(const Value& moved) {
    const Values leaves = leavesOf(moved, m_own);
    for (std::size_t i = 0; i < m_leaves.size(); ++i)
        if (leaves.size() == m_leaves.size()) m_leaves[i].learn(leaves[i]);
        else m_leaves[i].isSteady = false;
}

void RoundingNoise::Leaf::learn(const Value& moved) {
    if (!own.isTensor() || !moved.isTensor() || own.tensor().sizes() != moved.tensor().sizes()) {
        isSteady = isSteady && compareLeaves(own, moved, {}).equal;
        return;
    }
    const std::vector<double> x = elementsOf(own.tensor(), own.tensor().numel()),
                              y = elementsOf(moved.tensor(), moved.tensor().numel());
    by.resize(x.size());
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = apart(x[i], y[i]);
        by[i] = std::max(by[i], off);
        if (std::isfinite(off)) squares += off * off;
    }
    typical = std::max(typical, x.empty() ? 0 : std::sqrt(squares / static_cast<double>(x.size())));
}

bool RoundingNoise::Leaf::standsOut(const at::Tensor& ofB, const ValueDifference& difference, const Counted& counted,
                                    double& largest) const {
    const at::Tensor& ofA = own.tensor();
    if (at::isIntegralType(ofA.scalar_type(), true) && at::isIntegralType(ofB.scalar_type(), true)) {
        const at::Tensor differs = plain(ofA).ne(plain(ofB)).flatten(); // exactly: float64 does not hold all integers
        for (std::size_t i = 0; i < static_cast<std::size_t>(differs.numel()); ++i)
            if (static_cast<const bool*>(differs.const_data_ptr())[i] && (by.empty() || by[i] == 0))
                return largest = std::max(largest, difference.maxAbs), true;
        return false;
    }
    const std::vector<double> x = elementsOf(ofA, ofA.numel()), y = elementsOf(ofB, ofB.numel());
    const double part = std::max(mostOfRounding(difference), counted.leastPart);
    const double least = std::max(part * difference.scale, kAboveNoise * typical);
    bool out = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool isFinite = std::isfinite(x[i]) && std::isfinite(y[i]);
        const double off = apart(x[i], y[i]);
        if (!(off > least) || !(off > (by.empty() ? 0 : kAboveNoise * by[i]))) continue;
        if (!isFinite && !counted.nonFinite) continue;
        out = true;
        if (isFinite) largest = std::max(largest, off);
    }
    return out;
}

Excess RoundingNoise::excess(const Value& ofB, const Tolerances& tolerances, const Counted& counted) const {
    const Values leaves = leavesOf(ofB, m_own);
    Excess out;
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        const Leaf& leaf = m_leaves[i];
        if (!leaf.isSteady) continue;
        const Value other = leaves.size() == m_leaves.size() ? leaves[i] : Value();
        const ValueDifference difference = compareLeaves(leaf.own, other, tolerances);
        if (!difference.comparable()) return {true, 0, difference.reason};
        const bool isTensor = leaf.own.isTensor() && !leaf.own.tensor().is_complex();
        const bool isFloat = !leaf.own.isTensor() || isFloatTensor(leaf.own.tensor());
        if (!isGross(difference) || (difference.close && !counted.close) || (!isFloat && !counted.integers)) continue;
        if (!isTensor) out.largest = std::max(out.largest, difference.maxAbs), out.any = true;
        else if (leaf.standsOut(other.tensor(), difference, counted, out.largest)) out.any = true;
    }
    return out;
}

} // namespace fx::engine

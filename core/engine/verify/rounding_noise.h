// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// The differences that count for values that are far from the models' own data.
struct Counted {
    bool nonFinite = true; ///< count NaN or infinity in one model alone
    bool close = true;     ///< count errors within tolerance if they are large relative to the scale of the value
    bool integers = true;  ///< count differences of integers and booleans
    double leastPart = 0;  ///< ignore errors below this part of the scale of a value
};
/// The differences beyond rounding.
struct Excess {
    bool any = false;   ///< true if there is a difference that counts
    double largest = 0; ///< the largest error; 0 if it is not finite
    Message reason;     ///< why the values are not comparable; empty if they are
};

/// Measures how far the elements of a value of A move when its inputs are perturbed by some roundings, which is a lot
/// for values that are far off. Only elements of B that are farther off count as different.
class RoundingNoise {
public:
    /// Starts from the unperturbed value of A.
    explicit RoundingNoise(const Value& own);
    /// Adds the value of A for perturbed inputs.
    void learn(const Value& moved);
    /// Compares a value of B with the unperturbed value of A.
    Excess excess(const Value& ofB, const Tolerances& tolerances, const Counted& counted) const;

private:
    struct Leaf {
        Value own;
        std::vector<double> by; ///< by element: how far it moves; empty if unknown
        double typical = 0;     ///< root mean square of the movements
        bool isSteady = true;   ///< false if the size or the text changes
        void learn(const Value& moved);
        bool standsOut(const at::Tensor& ofB, const ValueDifference& difference, const Counted& counted,
                       double& largest) const;
    };
    Value m_own;
    std::vector<Leaf> m_leaves; ///< of `m_own`
};

} // namespace fx::engine

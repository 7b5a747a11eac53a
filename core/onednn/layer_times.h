// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/onednn/fused_layer.h"

namespace fx::onednn {

/// What one fused layer takes in milliseconds: the shortest of interleaved runs on the values of a run of the model.
struct LayerTimes {
    std::string path;                  ///< of the fused module
    double plain = 0;                  ///< its nodes as they are
    std::optional<double> oneDnn, mkl; ///< nullopt: not possible with these values
    std::string problem;               ///< what a kernel that is not possible said
    bool remembered = false;           ///< of an earlier measurement on this machine

    std::optional<double> of(Kernel kernel) const { return kernel == Kernel::Mkl ? mkl : oneDnn; }
    /// The fastest kernel, if one is faster than the nodes as they are.
    std::optional<Kernel> best() const;
};

/// Two versions of a model, timed in alternation.
struct WholeTimes {
    double beforeMs = 0, afterMs = 0;             ///< medians
    double ratio = 1, low = 1, high = 1;          ///< after / before, with its interval of 95 %
    double beforeShortest = 0, afterShortest = 0; ///< of all runs

    /// Whether the shortest run, which other processes disturb least, or all of the interval says so.
    bool isSlower() const { return low > 1 || (ratio >= 1 && afterShortest >= beforeShortest); }
};

} // namespace fx::onednn

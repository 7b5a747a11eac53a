// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/tensor_statistics.h"

#include "core/tensor/elements.h"
#include "core/tensor/quantized_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fx {

namespace {

/// Calls `use(values, count)` with all elements of the tensor as reals, block by block.
template<class Use> void forEachBlock(const TensorRef& tensor, ElementStream& stream, const QuantizedValues& quantized,
                                      const Progress& progress, Use use) {
    const bool pairs = partsOf(tensor.dtype) == 2;
    std::vector<double> reals;
    stream.visit(0, stream.count(), progress, [&](const ElementStream::Run& run) {
        if (!pairs && !quantized.active()) return use(run.values, run.count);
        reals.resize(run.count);
        for (std::size_t i = 0; i < run.count; ++i)
            reals[i] =
                pairs ? std::hypot(run.values[2 * i], run.values[2 * i + 1])
                      : quantized.real(run.values[i], run.logical + static_cast<std::int64_t>(i) * run.logicalStep);
        use(reals.data(), run.count);
    });
}

/// Counts, extremes and moments; blocks are joined by Chan's formula, so that the variance keeps its digits.
struct Moments {
    std::int64_t finite = 0, zeros = 0, nans = 0, infinities = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min, mean = 0, squares = 0;

    void add(const double* values, std::size_t count) {
        std::int64_t good = 0, zero = 0;
        double sum = 0, low = min, high = max;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = values[i];
            if (!std::isfinite(value)) {
                ++(std::isnan(value) ? nans : infinities);
                continue;
            }
            ++good;
            zero += value == 0;
            sum += value;
            low = std::min(low, value);
            high = std::max(high, value);
        }
        min = low;
        max = high;
        zeros += zero;
        if (good > 0) join(values, count, good, sum / static_cast<double>(good));
    }

    void join(const double* values, std::size_t count, std::int64_t good, double blockMean) {
        double blockSquares = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (std::isfinite(values[i])) blockSquares += (values[i] - blockMean) * (values[i] - blockMean);
        const double before = static_cast<double>(finite), added = static_cast<double>(good), delta = blockMean - mean;
        finite += good;
        mean += delta * added / static_cast<double>(finite);
        squares += blockSquares + delta * delta * before * added / static_cast<double>(finite);
    }
};

void fillHistogram(TensorStatistics& result, const double* values, std::size_t count) {
    const double width = result.max / TensorStatistics::kBins - result.min / TensorStatistics::kBins;
    const double scale = width > 0 && std::isfinite(1 / width) ? 1 / width : 0; // 0: all in the first bin
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(values[i])) continue;
        const double bin = values[i] * scale - result.min * scale;
        ++result.histogram[bin > 0 ? std::min(static_cast<std::size_t>(bin), TensorStatistics::kBins - 1) : 0];
    }
}

} // namespace

TensorStatistics computeStatistics(const TensorRef& tensor, const Progress& progress) {
    const QuantizedValues quantized(tensor);
    ElementStream stream(tensor, ElementStream::Order::Memory, quantized.axis());
    Moments moments;
    forEachBlock(tensor, stream, quantized, progress,
                 [&](const double* values, std::size_t count) { moments.add(values, count); });

    const std::int64_t repeats = stream.repeats();
    TensorStatistics result;
    result.count = tensor.elementCount();
    result.finite = moments.finite * repeats;
    result.zeros = moments.zeros * repeats;
    result.nans = moments.nans * repeats;
    result.infinities = moments.infinities * repeats;
    result.magnitudes = partsOf(tensor.dtype) == 2;
    result.std = std::numeric_limits<double>::quiet_NaN();
    if (moments.finite == 0) return result;
    result.min = moments.min;
    result.max = moments.max;
    result.mean = moments.mean;
    if (result.finite > 1)
        result.std = std::sqrt(moments.squares * static_cast<double>(repeats) / static_cast<double>(result.finite - 1));
    forEachBlock(tensor, stream, quantized, progress,
                 [&](const double* values, std::size_t count) { fillHistogram(result, values, count); });
    for (std::int64_t& bin : result.histogram) bin *= repeats;
    return result;
}

} // namespace fx

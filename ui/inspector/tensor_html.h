// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/tensor/statistics.h"

#include <QImage>
#include <QString>

#include <optional>

namespace ui {

/// A tensor shown by the inspector: its name and kind.
struct ShownTensor {
    std::string name; ///< "weight"
    const char* kind; ///< "parameter", "buffer" or "tensor"
    fx::TensorPtr tensor;
};

/// The state of reading a tensor's values.
struct TensorState {
    enum class Kind { Waiting, Asked, Running, Done, Failed };
    Kind kind = Kind::Waiting;
    double done = 0;                            ///< 0..1 while Running
    std::optional<fx::TensorStatistics> values; ///< when Done
    QString why;                                ///< when Failed
};

/// Larger tensors are only read on demand.
inline constexpr std::int64_t kReadUnasked = 64'000'000;

/// The parameters, buffers and plain tensors of a module.
std::vector<ShownTensor> tensorsOf(const fx::Module& module);
/// The tensor that a node reads: target of get_attr, or a lifted input.
std::vector<ShownTensor> tensorsOf(const fx::GraphModule& module, const fx::Node& node);

/// One tensor as HTML. Links: `read:INDEX` starts, `stop:INDEX` cancels; the picture of the histogram is
/// `histogram:INDEX`.
QString tensorHtml(const ShownTensor& shown, const TensorState& state, std::size_t index, int width);
/// The histogram as bars; `ratio` is the device pixel ratio.
QImage histogramImage(const fx::TensorStatistics& values, int width, int height, double ratio);

} // namespace ui

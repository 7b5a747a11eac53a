// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/tensor/tensor_statistics.h"

#include <QImage>
#include <QString>

#include <optional>

namespace ui {

/// A tensor shown by the inspector: its name and kind.
struct ShownTensor {
    std::string name;     ///< "weight"
    const char* kind;     ///< "parameter", "buffer" or "tensor"
    fx::TensorPtr tensor; ///< the tensor itself
};

/// The state of reading a tensor's values.
struct TensorState {
    /// Waiting: not requested; read automatically only if small. Asked: requested by the user.
    enum class Kind { Waiting, Asked, Running, Done, Failed };
    Kind kind = Kind::Waiting;                  ///< the current step of reading
    double done = 0;                            ///< 0..1; while Running
    std::optional<fx::TensorStatistics> values; ///< while Done
    QString why;                                ///< the error; while Failed
};

/// The size in bytes up to which tensors are read without a request.
inline constexpr std::int64_t kReadUnasked = 64'000'000;

/// Returns the parameters, buffers and plain tensors of a module.
std::vector<ShownTensor> tensorsOf(const fx::Module& module);
/// Returns the tensor that a node reads: the target of get_attr, or a lifted input.
std::vector<ShownTensor> tensorsOf(const fx::GraphModule& module, const fx::Node& node);

/// Describes one tensor as HTML. The link `read:INDEX` starts reading, `stop:INDEX` cancels it. The picture of the
/// histogram is `histogram:INDEX`.
QString tensorHtml(const ShownTensor& shown, const TensorState& state, std::size_t index, int width);
/// Draws the histogram as bars; `ratio` is the device pixel ratio.
QImage histogramImage(const fx::TensorStatistics& values, int width, int height, double ratio);

} // namespace ui

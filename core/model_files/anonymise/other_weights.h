// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <unordered_map>

namespace fx::anonymise {

/// Replaces the values of tensors by others that are drawn, with the same types, sizes, strides and sharing.
///
/// Values are uniform between the smallest and the greatest value of the tensor, both rounded to powers of two, so that
/// indices stay valid and variances positive; the same storage gives the same values. NaN and infinities do not return.
/// Nothing is kept in memory: elements are computed when they are read.
class OtherWeights {
public:
    explicit OtherWeights(const Progress& progress) : m_progress(progress) {}
    /// Returns the replacement of a tensor, always the same for the same one. Throws Error{File} if its values cannot
    /// be read.
    TensorPtr of(const TensorPtr& tensor);

private:
    std::shared_ptr<const Storage> drawn(const TensorRef& tensor);

    const Progress& m_progress;
    std::unordered_map<const TensorRef*, TensorPtr> m_tensors;
    std::vector<TensorPtr> m_kept; ///< so that no address in `m_tensors` is used again
    std::unordered_map<std::shared_ptr<const Storage>, std::shared_ptr<const Storage>> m_storages;
};

} // namespace fx::anonymise

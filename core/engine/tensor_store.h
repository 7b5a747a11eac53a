// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"
#include "core/tensor/tensor_ref.h"

#include <unordered_map>
#include <unordered_set>

namespace fx::engine {

/// The tensors of a model in memory: each TensorRef becomes one tensor, and those that share a storage share memory.
///
/// Regions of files are mapped privately, so that loading costs nothing until values are used, and nothing that a model does to
/// its buffers reaches the file. One thread.
class TensorStore {
public:
    /// Shapes: parameters and large tensors become tensors of the meta device, which have no values.
    enum class Holds : std::uint8_t { All, Shapes };
    explicit TensorStore(Holds holds = Holds::All) : m_holds(holds) {}
    /// Throws Error{Run} when the tensor has no values (meta device, unknown dtype) or its file has changed.
    const at::Tensor& tensor(const TensorPtr& ref);
    /// A parameter, buffer or attribute as a value; None for null.
    Value value(const TensorPtr& ref) { return ref ? Value(tensor(ref)) : Value(); }
    /// The same in memory of its own, which operators may resize: for inputs.
    Value copy(const TensorPtr& ref);
    /// Whether it is one of the model's own tensors.
    bool owns(const at::Tensor& tensor) const { return m_own.contains(tensor.unsafeGetTensorImpl()); }

private:
    at::Tensor make(const TensorRef& ref);
    at::Tensor withoutValues(const TensorRef& ref) const;
    at::Tensor quantized(const TensorRef& ref);
    at::Tensor bytesOf(const std::shared_ptr<const Storage>& storage, std::size_t alignment);

    Holds m_holds;
    std::unordered_map<const TensorRef*, std::pair<TensorPtr, at::Tensor>> m_tensors;
    std::unordered_map<const TensorRef*, std::pair<TensorPtr, at::Tensor>> m_copies;
    std::unordered_map<const Storage*, std::pair<std::shared_ptr<const Storage>, at::Tensor>> m_storages;
    std::unordered_map<const DataFile*, at::Tensor> m_files; ///< whole files as bytes
    std::unordered_set<const c10::TensorImpl*> m_own;
};

/// A tensor as data of its own: contiguous bytes in memory.
TensorPtr toTensorRef(const at::Tensor& tensor);

} // namespace fx::engine

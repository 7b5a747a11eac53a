// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/load_time_writes.h"

namespace fx::trace {

/// The flags that autograd gives tensors that a program computes: which of them require gradients and which are leaves.
/// No gradient is computed. `TensorRef::requiresGrad` holds the flag; what is not in the flag is kept here.
class Gradients {
public:
    /// torch.is_grad_enabled() and torch.is_inference_mode_enabled().
    bool isEnabled = true, isInference = false;

    /// Returns both as bits: 1 if gradients are enabled, 2 in inference mode.
    int modes() const { return (isEnabled ? 1 : 0) | (isInference ? 2 : 0); }
    void setModes(int modes) { isEnabled = (modes & 1) != 0, isInference = (modes & 2) != 0; }
    /// Throws PythonError if PyTorch refuses the call because of gradients, such as an in-place write to a leaf.
    void check(const ConstantCall& call) const;
    /// Gives the result, or the tensor that the call writes to, its flags. Returns `result`.
    Value marked(const ConstantCall& call, Value result);
    /// Gives what a module returned its flags; `required` if its parameters or inputs require gradients.
    Value markedOutput(Value result, bool required);
    /// Performs `tensor.requires_grad = required`. Throws PythonError if PyTorch refuses it.
    void require(const TensorRef& tensor, bool required);
    /// Returns `Tensor.is_leaf`.
    bool isLeaf(const TensorRef& tensor) const;
    /// Records that `view` is a view of `base`, made by indexing.
    void noteView(const TensorPtr& view, const TensorPtr& base);

private:
    struct Entry {
        std::weak_ptr<const TensorRef> tensor; ///< an address may be that of a tensor that is gone
        bool isComputed = false;               ///< it has a grad_fn
        TensorPtr base = nullptr;              ///< of a view
        bool isQuiet = false;                  ///< a view that was made without gradients
        bool isOfSeveral = false;              ///< one of several views that were made at once
        bool isUnclear = false;                ///< a view of `base` or a copy
    };
    const Entry* find(const TensorRef& tensor) const;
    Entry& at(const TensorPtr& tensor);
    TensorPtr rootOf(const TensorPtr& tensor) const;
    void checkWrite(const ConstantCall& call, const TensorPtr& target) const;
    void noteWrite(const TensorPtr& target);
    void markResult(const ConstantCall& call, const TensorPtr& result, bool required);
    void markView(const ConstantCall& call, const TensorPtr& result, const TensorPtr& base);
    void passToViews(const TensorRef& base, bool isComputed);

    std::unordered_map<const TensorRef*, Entry> m_entries;
    std::size_t m_room = 1024; ///< entries of tensors that are gone are dropped above it
};

/// Throws PythonError with this text if tensors of the dtype cannot require gradients.
void requireDifferentiable(DType dtype, const char* text);
/// Returns true if tensors of this dtype can require gradients.
bool isDifferentiable(DType dtype);

/// Changes the modes for a scope; by default as torch.no_grad does.
class GradModeScope {
public:
    explicit GradModeScope(Gradients& gradients, int kept = 2, int set = 0)
        : m_gradients(gradients), m_before(gradients.modes()) {
        gradients.setModes((m_before & kept) | set);
    }
    ~GradModeScope() { m_gradients.setModes(m_before); }
    GradModeScope(const GradModeScope&) = delete;
    GradModeScope& operator=(const GradModeScope&) = delete;

private:
    Gradients& m_gradients;
    int m_before;
};

} // namespace fx::trace

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"
#include "core/module/graph_module.h"

#include <ATen/core/ivalue.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fx::engine {

/// The tensors of a model in memory: each TensorRef becomes one tensor; tensors with a common storage share memory.
///
/// Files are mapped privately, so loading costs nothing until values are used, and changes to buffers never reach the
/// file. One thread.
class TensorStore {
public:
    /// Shapes: parameters and large tensors become tensors on the meta device, without values.
    enum class Holds : std::uint8_t { All, Shapes };
    explicit TensorStore(Holds holds = Holds::All) : m_holds(holds) {}
    /// Allows computing constants that depend on tensors of this model (`torch.add(self.pos, 1)`). The model must not
    /// change. `self` is the GraphModule around the constant, or an outer one if that lacks the attribute.
    void addModel(const std::shared_ptr<const GraphModule>& model);
    /// Returns the tensor, creating it on first use. Throws Error{Run} if it has no values (meta device, unknown
    /// dtype), its file has changed, or it cannot be computed.
    const at::Tensor& tensor(const TensorPtr& ref);
    /// Returns the tensor if it has been used, else null.
    const at::Tensor* used(const TensorPtr& ref) const {
        const auto found = m_tensors.find(ref.get());
        return found == m_tensors.end() ? nullptr : &found->second.second;
    }
    /// Returns a parameter, buffer or attribute as a value; None for null.
    Value value(const TensorPtr& ref) { return ref ? Value(tensor(ref)) : Value(); }
    /// Returns a copy in separate memory that operators may resize; for inputs.
    Value copy(const TensorPtr& ref);
    /// Returns a buffer that a module's forward may resize: a copy in separate memory that replaces the buffer.
    const at::Tensor& state(const TensorPtr& ref);
    /// Makes `value` the tensor, as `module.weight = value` does, until `restore`.
    void replace(const TensorPtr& ref, at::Tensor value);
    /// True if large tensors and parameters have no values.
    bool holdsShapes() const { return m_holds == Holds::Shapes; }
    /// Returns the store whose tensors all have values: this one, or for Holds::Shapes a second one of the same model.
    /// Weights are packed from it, because packing needs their values.
    TensorStore& whole();
    /// Returns weights packed for a quantised operator; `make` is called once for each `key` (a weight) and operator.
    const c10::IValue& packed(const TensorPtr& key, std::string_view op, const std::function<c10::IValue()>& make);
    /// Makes later changes to tensors revertible. Copies the tensors in use that are not parameters.
    void keepState();
    /// Resets tensors to their values at `keepState`, or to those in the file. Does nothing before `keepState`.
    void restore();
    /// True if a run has changed the tensor since `keepState`. Changes to parameters by kernels that do not report
    /// them are missed.
    bool isChanged(const TensorPtr& ref) const;
    /// A TorchScript file that runs as a whole: the original, and the copy that runs and keeps its state.
    struct ScriptCopy {
        c10::IValue loaded, running;
    };
    /// Returns the copies of a file; `make` is called once for each path.
    const ScriptCopy& script(const std::string& path, const std::function<ScriptCopy()>& make);
    /// Returns the copies of a file if it has been run, else null.
    const ScriptCopy* script(const std::string& path) const;
    /// True if the tensor belongs to the model.
    bool owns(const at::Tensor& tensor) const { return m_own.contains(tensor.unsafeGetTensorImpl()); }

private:
    using Scopes = std::vector<std::shared_ptr<const Module>>; ///< innermost first
    at::Tensor make(const TensorPtr& ref);
    at::Tensor compute(const TensorPtr& ref);
    const at::Tensor& keep(const TensorPtr& ref, at::Tensor made);
    std::shared_ptr<const Module> scopeOf(const TensorRef& ref, const std::set<std::string>& reads) const;
    at::Tensor withoutValues(const TensorRef& ref) const;
    at::Tensor quantized(const TensorRef& ref);
    at::Tensor bytesOf(const std::shared_ptr<const Storage>& storage);
    /// The initial state of a tensor. For parameters in the file, `value` is undefined and the version detects
    /// changes.
    struct Saved {
        at::Tensor value;
        std::int64_t version = 0;
    };
    void save(const TensorRef* ref, const at::Tensor& tensor);
    bool isChanged(const at::Tensor& now, const Saved& saved) const;

    Holds m_holds;
    std::unordered_map<const TensorRef*, std::pair<TensorPtr, at::Tensor>> m_tensors;
    std::unordered_map<const TensorRef*, std::pair<TensorPtr, at::Tensor>> m_copies;
    std::unordered_map<const Storage*, std::pair<std::shared_ptr<const Storage>, at::Tensor>> m_storages;
    std::unordered_map<const DataFile*, at::Tensor> m_files; ///< whole files as bytes
    std::unordered_set<const c10::TensorImpl*> m_own;
    /// The modules around constants that are given as expressions.
    std::unordered_map<const TensorRef*, std::shared_ptr<const Scopes>> m_scopes;
    std::unordered_set<const TensorRef*> m_states; ///< tensors that are copies
    std::map<std::pair<const TensorRef*, std::string>, std::pair<TensorPtr, c10::IValue>> m_packed;
    std::optional<std::unordered_map<const TensorRef*, Saved>> m_saved; ///< after `keepState`
    std::map<std::string, ScriptCopy> m_scripts;                        ///< by path
    std::unique_ptr<TensorStore> m_whole; ///< for Holds::Shapes: provides the values of constants
};

/// Returns a copy of a tensor as contiguous bytes in memory; quantised tensors keep their quantizers.
TensorPtr toTensorRef(const at::Tensor& tensor);

} // namespace fx::engine

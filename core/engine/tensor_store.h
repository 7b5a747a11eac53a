// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"
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
    /// Shapes: parameters and large tensors become tensors of the meta device, which have no values.
    enum class Holds : std::uint8_t { All, Shapes };
    explicit TensorStore(Holds holds = Holds::All) : m_holds(holds) {}
    /// Allows constants that depend on tensors of this model (`torch.add(self.pos, 1)`) to be computed.
    /// The model must not change. `self` is the GraphModule around the constant or an outer one if it lacks the
    /// attribute.
    void addModel(const std::shared_ptr<const GraphModule>& model);
    /// Throws Error{Run} if the tensor has no values (meta device, unknown dtype), its file has changed, or it cannot
    /// be computed.
    const at::Tensor& tensor(const TensorPtr& ref);
    /// The same if something has used it, else null.
    const at::Tensor* used(const TensorPtr& ref) const {
        const auto found = m_tensors.find(ref.get());
        return found == m_tensors.end() ? nullptr : &found->second.second;
    }
    /// A parameter, buffer or attribute as a value; None for null.
    Value value(const TensorPtr& ref) { return ref ? Value(tensor(ref)) : Value(); }
    /// A copy in its own memory, which operators may resize; for inputs.
    Value copy(const TensorPtr& ref);
    /// A buffer that a module's forward may resize: its copy in memory of its own, which takes its place from then on.
    const at::Tensor& state(const TensorPtr& ref);
    /// The store whose tensors all have values: this one, or with Holds::Shapes another of the same model. Weights are
    /// packed from it: packed ones say by their values what their shapes are.
    TensorStore& whole();
    /// Weights packed for a quantised operator; made once for each `key` (a weight) and operator.
    const c10::IValue& packed(const TensorPtr& key, std::string_view op, const std::function<c10::IValue()>& make);
    /// From now on, what runs change in tensors can be undone. Costs a copy of those in use that are no parameters.
    void keepState();
    /// Gives the tensors the values that they had at `keepState`, or that the file has. Nothing before `keepState`.
    void restore();
    /// Whether a run has changed the tensor since `keepState`. Of parameters, changes by kernels that do not say so
    /// are not seen.
    bool isChanged(const TensorPtr& ref) const;
    /// A TorchScript file that runs as a whole: as it was loaded, and the copy that runs here and keeps its state.
    struct ScriptCopy {
        c10::IValue loaded, running;
    };
    const ScriptCopy& script(const std::string& path, const std::function<ScriptCopy()>& make);
    /// The same if it has been run, else null.
    const ScriptCopy* script(const std::string& path) const;
    /// Whether it is one of the model's own tensors.
    bool owns(const at::Tensor& tensor) const { return m_own.contains(tensor.unsafeGetTensorImpl()); }

private:
    using Scopes = std::vector<std::shared_ptr<const Module>>; ///< the innermost first
    at::Tensor make(const TensorPtr& ref);
    at::Tensor compute(const TensorPtr& ref);
    const at::Tensor& keep(const TensorPtr& ref, at::Tensor made);
    std::shared_ptr<const Module> scopeOf(const TensorRef& ref, const std::set<std::string>& reads) const;
    at::Tensor withoutValues(const TensorRef& ref) const;
    at::Tensor quantized(const TensorRef& ref);
    at::Tensor bytesOf(const std::shared_ptr<const Storage>& storage);
    /// What a tensor was at first. Of parameters the file knows: `value` is undefined, and the version tells changes.
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
    std::unordered_map<const TensorRef*, std::shared_ptr<const Scopes>> m_scopes; ///< of constants given as expressions
    std::unordered_set<const TensorRef*> m_states;                                ///< those that are copies
    std::map<std::pair<const TensorRef*, std::string>, std::pair<TensorPtr, c10::IValue>> m_packed;
    std::optional<std::unordered_map<const TensorRef*, Saved>> m_saved; ///< after `keepState`
    std::map<std::string, ScriptCopy> m_scripts;                        ///< by path
    std::unique_ptr<TensorStore> m_whole; ///< for Holds::Shapes: provides values for constants
};

/// A copy of a tensor as contiguous bytes in memory; quantised tensors keep their quantizers.
TensorPtr toTensorRef(const at::Tensor& tensor);

} // namespace fx::engine

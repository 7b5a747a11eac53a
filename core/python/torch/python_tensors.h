// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/object_protocol.h"
#include "core/python/torch/known_numbers.h"
#include "core/python/torch/shared_memory.h"

namespace fx::python {

/// Tensors with known elements: creation, initialisation, and their numbers.
class Tensors : ObjectProtocol {
public:
    using ObjectProtocol::ObjectProtocol;

    /// Elements of tensors that are known.
    KnownNumbers& numbers() { return m_numbers; }
    /// `torch.nn.Parameter(...)`.
    Value makeParameter(const Values& args, const Keywords& kwargs);
    /// Returns the tensor in a value, or null.
    TensorPtr tensorOf(const Value& value);
    /// Returns the tensor in a value as a module keeps it; `p.data` is another object than the parameter `p`. Throws
    /// CannotFollow if nothing computes with tensors, and so writes to one of them would be lost in the other.
    TensorPtr keptOf(const Value& value);
    /// Makes two tensors of one storage share what is written to them.
    void share(const TensorPtr& to, const TensorPtr& from);
    /// Performs `tensor.data = from`.
    void assignData(const trace::TensorValue& tensor, const Value& from);
    /// Returns `tensor.data`.
    trace::TensorValue dataOf(const trace::TensorValue& tensor);
    /// Throws CannotFollow for a `p.data` from before `p.data = ...`, which has the memory of that time.
    void checkData(const trace::TensorValue& tensor) const;
    /// Returns the only element of a tensor; unset if it is not known or not the only one.
    Value numberOf(const Value& tensor);
    /// Returns `tensor[at]` as a view if the bytes are known and nothing is recorded; unset otherwise.
    Value partOf(const trace::TensorValue& tensor, std::int64_t at);
    /// Returns the methods `item`, `tolist` and `numpy` of a tensor with known elements; unset otherwise.
    Value tensorMethod(const Value& tensor, std::string_view name);
    /// Creates the tensor of a factory such as `torch.zeros`; nullopt for other functions.
    std::optional<Value> constructorTensor(const trace::FunctionValue& function, trace::Values args,
                                           trace::KeywordValues kwargs);
    /// Calls `tensor.normal_(0, 1)` and such, which draw as the functions of torch.nn.init do; nullopt for other
    /// methods and for parts of tensors.
    std::optional<Value> fillMethod(const trace::BoundMethod& method, const Values& args, const Keywords& kwargs);
    /// Runs a function of torch.nn.init; unset if it has no such name.
    Value initFunction(std::string_view name, Values& args, Keywords& kwargs);

private:
    Value numbersOf(const TensorPtr& tensor);
    Value elementOf(const TensorRef& tensor, std::int64_t at);
    bool hasNumbers(const TensorRef& tensor) const;
    trace::Value calledWithoutDrawing(const trace::Value& target, const trace::Values& args,
                                      const trace::KeywordValues& kwargs);

    void exchange(const TensorPtr& tensor, const std::shared_ptr<const Storage>& content);

    using WeakTensors = std::vector<std::weak_ptr<const TensorRef>>;
    KnownNumbers m_numbers;
    SharedMemory m_memory;                                      ///< of tensors while nothing computes
    std::unordered_map<const TensorRef*, WeakTensors> m_dataOf; ///< objects that `tensor.data` gave
    WeakTensors m_oldData;                                      ///< those that have other memory than their tensor
};

} // namespace fx::python

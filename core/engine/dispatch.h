// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

namespace c10 {
class OperatorHandle;
}

namespace fx::engine {

/// A registered operator: a handle that lives as long as the program.
class Kernel;

/// The operator "aten::add.Tensor" ("aten::relu", "torch.ops.aten.relu.default" too), or null if LibTorch does not have
/// it.
const Kernel* findKernel(std::string_view name);
/// The form of an operator's result: Python's bindings return tuples and named results, torch.ops returns lists and
/// tuples.
enum class ResultStyle : std::uint8_t { Binding, Overload };

/// Calls an operator by the names and order of its schema, as `torch.ops.aten.add.Tensor(...)` does, with Python's
/// conversions.
Value callKernel(const Kernel& kernel, const Arguments& arguments, ResultStyle style);
/// The same by name. Throws Error{Run} with similar names if there is no such operator.
Value callOperator(std::string_view name, Arguments arguments);
/// `torch.ops.aten.add(...)`: the first overload that accepts the arguments.
Value callPacket(std::string_view name, const Arguments& arguments);

/// Whether Python has a C function or tensor method of that qualified name that calls operators.
bool hasSignatures(std::string_view qualifiedName);
/// Calls it as Python's argument parser does: the first signature that accepts the arguments. `self` is null for
/// functions.
Value callSignatures(std::string_view qualifiedName, const Value* self, const Arguments& arguments);

/// Observes every operator call on this thread during its lifetime, so that a plan can learn a node's kernel.
class CallObserver {
public:
    CallObserver();
    virtual ~CallObserver();
    CallObserver(const CallObserver&) = delete;
    CallObserver& operator=(const CallObserver&) = delete;
    /// Called before the operator; the stack is in schema order.
    virtual void called(const Kernel& kernel, const std::vector<c10::IValue>& stack, ResultStyle style) = 0;
    virtual void returned(const Value& result) = 0;

private:
    CallObserver* m_outer;
};
/// Set by code that chooses calls by sizes, types or values of tensors; such calls must not be learned.
bool& dependsOnMore();
/// Calls an operator in a way of its own.
using OperatorCall = void (*)(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack);
/// While set, sees and may change the stack of every operator call on this thread. What it returns makes the call
/// instead of the dispatcher; null: nothing does.
using StackFilter = OperatorCall (*)(const Kernel& kernel, std::vector<c10::IValue>& stack);
StackFilter& stackFilter();
/// The dispatcher's handle of an operator.
const c10::OperatorHandle& handleOf(const Kernel& kernel);
/// Index of the device argument, or -1.
int deviceArgument(const Kernel& kernel);
/// Calls an operator with a complete stack.
void runKernel(const Kernel& kernel, std::vector<c10::IValue>& stack);
/// Converts the operator's results on the stack to a value.
Value resultOf(const Kernel& kernel, std::vector<c10::IValue>& stack, ResultStyle style);
/// "aten::add.Tensor"
std::string kernelName(const Kernel& kernel);

/// A number as a tensor that behaves like a Python number in type promotion.
at::Tensor wrappedNumber(const Value& number);

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

namespace c10 {
class OperatorHandle;
}

namespace fx::engine {

/// A registered operator: a handle that lives as long as the program.
class Kernel;

/// Returns the operator "aten::add.Tensor" (also spelled "aten::relu", "torch.ops.aten.relu.default"), or null if
/// LibTorch lacks it.
const Kernel* findKernel(std::string_view name);
/// The form of an operator's result: Python's bindings return tuples and named results, torch.ops returns lists and
/// tuples.
enum class ResultStyle : std::uint8_t { Binding, Overload };

/// Calls an operator with Python's conversions, as `torch.ops.aten.add.Tensor(...)`; arguments follow the names and
/// order of its schema.
Value callKernel(const Kernel& kernel, const Arguments& arguments, ResultStyle style);
/// As `callKernel`, by name. Throws Error{Run} with similar names if there is no such operator.
Value callOperator(std::string_view name, Arguments arguments);
/// Calls the first overload that accepts the arguments, as `torch.ops.aten.add(...)`.
Value callPacket(std::string_view name, const Arguments& arguments);

/// True if Python has a C function or tensor method with this qualified name that calls operators.
bool hasSignatures(std::string_view qualifiedName);
/// Calls the first signature that accepts the arguments, as Python's argument parser does. `self` is null for
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
    /// Called with the converted result after the operator.
    virtual void returned(const Value& result) = 0;

private:
    CallObserver* m_outer;
};
/// True after code has chosen a call by sizes, types or values of tensors; such calls must not be learned.
bool& dependsOnMore();
/// Calls an operator in place of the dispatcher.
using OperatorCall = void (*)(const c10::OperatorHandle& op, std::vector<c10::IValue>* stack);
/// Sees, and may change, the stack of every operator call on this thread while it is set. A non-null result makes the
/// call in place of the dispatcher.
using StackFilter = OperatorCall (*)(const Kernel& kernel, std::vector<c10::IValue>& stack);
/// The filter of this thread; null if none exists.
StackFilter& stackFilter();
/// Returns the dispatcher's handle of an operator.
const c10::OperatorHandle& handleOf(const Kernel& kernel);
/// Returns the index of the device argument, or -1.
int deviceArgument(const Kernel& kernel);
/// Calls an operator with a complete stack.
void runKernel(const Kernel& kernel, std::vector<c10::IValue>& stack);
/// Converts an operator's results on the stack to a value.
Value resultOf(const Kernel& kernel, std::vector<c10::IValue>& stack, ResultStyle style);
/// Returns the qualified name: "aten::add.Tensor".
std::string kernelName(const Kernel& kernel);

/// Returns a number as a tensor that acts like a Python number in type promotion.
at::Tensor wrappedNumber(const Value& number);

} // namespace fx::engine

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

namespace fx::engine {

/// A registered operator: a handle that lives as long as the program.
class Kernel;

/// The operator "aten::add.Tensor" ("aten::relu", "torch.ops.aten.relu.default" too), or null when LibTorch has none.
const Kernel* findKernel(std::string_view name);
/// How the result of an operator looks: Python's bindings give tuples of tensors and named results, torch.ops lists and
/// tuples.
enum class ResultStyle : std::uint8_t { Binding, Overload };

/// Calls an operator by the names and order of its schema, as `torch.ops.aten.add.Tensor(...)` does, with Python's
/// conversions.
Value callKernel(const Kernel& kernel, const Arguments& arguments, ResultStyle style);
/// The same by name; throws Error{Run} that says what is near when there is no such operator.
Value callOperator(std::string_view name, Arguments arguments);
/// `torch.ops.aten.add(...)`: the first overload that takes the arguments.
Value callPacket(std::string_view name, const Arguments& arguments);

/// Whether Python has a C function or tensor method of that qualified name that calls operators.
bool hasSignatures(std::string_view qualifiedName);
/// Calls it as Python's argument parser does: the first signature that takes the arguments. `self` of a method, else
/// null.
Value callSignatures(std::string_view qualifiedName, const Value* self, const Arguments& arguments);

/// Sees every operator call on this thread while it lives: what a plan learns a node's kernel from.
class CallObserver {
public:
    CallObserver();
    virtual ~CallObserver();
    CallObserver(const CallObserver&) = delete;
    CallObserver& operator=(const CallObserver&) = delete;
    /// Before the call; the stack is in schema order.
    virtual void called(const Kernel& kernel, const std::vector<c10::IValue>& stack, ResultStyle style) = 0;
    virtual void returned(const Value& result) = 0;

private:
    CallObserver* m_outer;
};
/// Set by code that looks at sizes, types or values of tensors to decide what to call: what it calls is not to be
/// learned.
bool& dependsOnMore();
/// Sees and may change the stack of every operator that this thread calls, while it is set.
using StackFilter = void (*)(const Kernel& kernel, std::vector<c10::IValue>& stack);
StackFilter& stackFilter();
/// Where the operator takes a device; -1: nowhere.
int deviceArgument(const Kernel& kernel);
/// Calls an operator with a stack that is ready.
void runKernel(const Kernel& kernel, std::vector<c10::IValue>& stack);
/// Turns what an operator left on the stack into a value.
Value resultOf(const Kernel& kernel, std::vector<c10::IValue>& stack, ResultStyle style);
/// "aten::add.Tensor"
std::string kernelName(const Kernel& kernel);

/// A number as a tensor that takes part in type promotion as a Python number does.
at::Tensor wrappedNumber(const Value& number);

} // namespace fx::engine

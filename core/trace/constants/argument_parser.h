// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <span>

namespace fx::trace {

/// Throws the TypeError of PyTorch's argument parser (torch/csrc/utils/python_arg_parser.cpp) if no signature of a C
/// function ("torch.add") or tensor method ("torch.Tensor.add"; `args` without self) takes the arguments. A proxy
/// stands for any argument, and for any item of a list of tensors or sizes. Returns for functions without signatures.
void requireParsed(const std::string& qualifiedName, std::span<const Value> args, const KeywordValues& kwargs);

/// Throws what PyTorch without accelerators raises if a method of a constant tensor or a C function makes a tensor on
/// one (`t.cuda()`, `torch.zeros(2, device="cuda")`). Returns for calls with proxies.
void requireDeviceOf(const Value& callee, const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace

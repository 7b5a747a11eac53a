// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fx::ops {

/// Returns the functions that compute what a class of torch.nn computes, by canonical name (core/ops/semantics.h):
/// "relu" for "ReLU", "batch_norm" for "BatchNorm2d", "rnn_tanh" and "rnn_relu" for "RNN". Empty for other classes, and
/// for classes that are a function with fixed arguments: "ZeroPad2d" is one mode of "pad".
std::vector<std::string> functionalForms(std::string_view className);

} // namespace fx::ops

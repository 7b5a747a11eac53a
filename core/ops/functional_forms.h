// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fx::ops {

/// The functions that compute what a class of torch.nn does, by their canonical names (core/ops/semantics.h): "relu" of
/// "ReLU", "batch_norm" of "BatchNorm2d", "rnn_tanh" and "rnn_relu" of "RNN". Empty for other classes, and for those
/// that are a function with certain arguments: "ZeroPad2d" is one mode of "pad".
std::vector<std::string> functionalForms(std::string_view className);

} // namespace fx::ops

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace fx::ops {

/// What a call is for, in a word: the small mark on its card. Modules and functions of one name are of one family
/// (`nn.ReLU`, `F.relu`, `aten.relu_`), which follows from the part of torch.nn that the class is in; functions without
/// a class follow their cost class (core/ops/semantics).
enum class Family : std::uint8_t {
    Other,
    Convolution,
    Matrix, ///< products of matrices
    Attention,
    Recurrent,
    Lookup, ///< rows of a table: embeddings
    Normalization,
    Activation,
    Dropout,
    Pooling,
    Reduction,
    Shape, ///< views, copies, and what arranges elements anew
    Arithmetic
};
inline constexpr int kFamilyCount = 13;

/// Of a function, operator or method by its canonical name (`canonicalName` in core/ops/semantics.h). Some
/// microseconds.
Family familyOfFunction(std::string_view canonicalName);
/// Of a module by its class ("torch.nn.modules.conv.Conv2d"); Other for classes outside PyTorch. Some microseconds.
Family familyOfModule(std::string_view qualifiedType);

} // namespace fx::ops

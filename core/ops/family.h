// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string_view>

namespace fx::ops {

/// The purpose of a call, shown as a small mark on its card. A module and the functions of the same name share a family
/// (`nn.ReLU`, `F.relu`, `aten.relu_`). It is derived from the file of torch.nn that defines the class. Functions
/// without a class use their cost class (core/ops/semantics).
enum class Family : std::uint8_t {
    Other,
    Convolution,
    Matrix, ///< matrix products
    Attention,
    Recurrent,
    Lookup, ///< rows of a table: embeddings
    Normalization,
    Activation,
    Dropout,
    Pooling,
    Reduction,
    Shape, ///< views, copies, and rearrangements of elements
    Arithmetic
};
inline constexpr int kFamilyCount = 13; ///< number of values of Family

/// Returns the family of a function, operator or method by its canonical name (`canonicalName` in
/// core/ops/semantics.h). Takes microseconds.
Family familyOfFunction(std::string_view canonicalName);
/// Returns the family of a module class ("torch.nn.modules.conv.Conv2d"); Other outside of PyTorch. Takes microseconds.
Family familyOfModule(std::string_view qualifiedType);

} // namespace fx::ops

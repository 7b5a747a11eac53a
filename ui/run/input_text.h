// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"

#include <QString>

namespace ui {

/// How inputs are written and read in the fields of the editor.

/// "1×3×224×224"; "scalar" without dimensions.
QString shapeToText(const std::vector<std::int64_t>& sizes);
/// "float32" of "torch.float32".
QString plainType(const std::string& dtype);
/// Sizes with ×, x, *, commas or blanks between; nullopt for anything else.
std::optional<std::vector<std::int64_t>> shapeFromText(const QString& text);

/// What the generator of an input is given: "0 to 1", "0 to 999" (integers, the last one included), "3.5", a path.
QString valuesToText(const fx::InputSpec& input);
/// What is expected there, for an empty field; empty when the generator takes nothing.
QString valuesHint(fx::Generator generator);
/// Reads it back into `input`. What is wrong with it, or empty.
QString setValues(fx::InputSpec& input, const QString& text);

/// What is wrong with an input that is to be used, or empty.
QString complaintAbout(const fx::InputSpec& input);

/// "x 1×3×224×224 float32, normal · ids …": all inputs in one line.
QString summaryOf(const fx::InputDescription& inputs);

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"

#include <QString>

namespace ui {

/// How inputs are written and read in the fields of the editor.

/// Formats sizes: "1×3×224×224"; "scalar" without dimensions.
QString shapeToText(const std::vector<std::int64_t>& sizes);
/// Returns "float32" for "torch.float32".
QString plainType(const std::string& dtype);
/// Parses sizes separated by ×, x, *, commas or blanks; nullopt if the text is malformed.
std::optional<std::vector<std::int64_t>> shapeFromText(const QString& text);

/// Formats the parameters of a generator: "0 to 1", "0 to 999" (integers, inclusive), "3.5", a path.
QString valuesToText(const fx::InputSpec& input);
/// Returns the placeholder of the field; empty if the generator has no parameters.
QString valuesHint(fx::Generator generator);
/// Parses the parameters of a generator into `input`. Returns the error, or empty.
QString setValues(fx::InputSpec& input, const QString& text);

/// Returns the reason why an input cannot be used, or empty.
QString complaintAbout(const fx::InputSpec& input);

/// Lists all inputs in one line: "x 1×3×224×224 float32, normal · ids …".
QString summaryOf(const fx::InputDescription& inputs);

} // namespace ui

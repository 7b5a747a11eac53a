// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <vector>

namespace ui {

/// A model that is shipped with the program.
struct Sample {
    QString path;
    QString about; ///< one line, translated
};

/// The shipped models that are there: in `resources/samples` of the source tree or `share/lancet/samples` beside the
/// program.
std::vector<Sample> samples();

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <vector>

namespace ui {

/// A sample model shipped with the program.
struct Sample {
    QString path;  ///< the file
    QString about; ///< one line, translated
};

/// The available sample models: in `resources/samples` of the source tree or `share/lancet/samples` beside the program.
std::vector<Sample> samples();

} // namespace ui

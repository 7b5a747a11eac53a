// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/project/project.h"

namespace fx {

void Project::add(Edit edit) {
    edits.resize(version);
    edits.push_back(std::move(edit));
    ++version;
}

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/saving/save_job.h"

namespace ui {

/// Writes the text of a document that is Python source; `path` becomes the document's file. Asks before it overwrites
/// changes by another program.
void writeSource(Document& document, const QString& path, QWidget* window, std::function<void(SaveJob::Outcome)> done);

} // namespace ui

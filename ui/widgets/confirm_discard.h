// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace ui {

/// Asks before edits are discarded that cannot be restored. `about` says what is lost or follows. Runs a nested event
/// loop.
bool confirmDiscard(QWidget* parent, const QString& question, const QString& about);

} // namespace ui

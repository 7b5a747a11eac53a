// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLoggingCategory>

namespace ui {

Q_DECLARE_LOGGING_CATEGORY(partitionLog) ///< Texts that the Partition panel shows, for tests.

} // namespace ui

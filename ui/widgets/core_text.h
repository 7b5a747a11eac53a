// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <string_view>

namespace ui {

/// A text of the engine.
inline QString fromCore(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace ui

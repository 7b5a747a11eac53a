// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <string_view>

namespace ui {

/// Keeps a number and its unit, as the engine formats them, on one line.
inline QString unbroken(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).replace(u' ', QChar::Nbsp);
}
/// Keeps a text on one line.
inline QString unbroken(QString text) { return text.replace(u' ', QChar::Nbsp); }

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <string_view>

namespace ui {

/// A number with its unit as the engine writes it, which stay on one line.
inline QString unbroken(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).replace(u' ', QChar::Nbsp);
}
inline QString unbroken(QString text) { return text.replace(u' ', QChar::Nbsp); }

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>

namespace ui {

/// Returns `one` ("1 node") for 1, else `many` ("%1 nodes") with the number: "2,048 nodes".
inline QString counted(qint64 count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(QLocale().toString(count));
}
/// Converts the count and calls the other overload.
inline QString counted(std::size_t count, const QString& one, const QString& many) {
    return counted(static_cast<qint64>(count), one, many);
}

} // namespace ui

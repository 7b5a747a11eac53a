// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLocale>
#include <QString>

namespace ui {

/// "1 node", or "2,048 nodes" of `many`, "%1 nodes".
inline QString counted(qint64 count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(QLocale().toString(count));
}
inline QString counted(std::size_t count, const QString& one, const QString& many) {
    return counted(static_cast<qint64>(count), one, many);
}

} // namespace ui

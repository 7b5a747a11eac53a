// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonObject>
#include <QString>

namespace ui {

/// How the names of panel views begin that only projects keep: they are about a version in their history, and may be
/// large.
inline constexpr QLatin1String kProjectOnly{"project."};

/// The views of a document that are kept for its file, whatever it is.
inline QJsonObject viewsOfFile(const QJsonObject& views) {
    QJsonObject kept = views;
    for (auto view = views.begin(); view != views.end(); ++view)
        if (view.key().startsWith(kProjectOnly)) kept.remove(view.key());
    return kept;
}

} // namespace ui

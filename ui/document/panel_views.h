// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonObject>
#include <QObject>

namespace ui {

/// The state that panels keep for a document, by panel.
class PanelViews final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const QJsonObject& all() const { return m_views; } ///< The states of all panels.
    /// Returns the state of one panel; empty if it keeps none.
    QJsonObject of(const QString& panel) const { return m_views.value(panel).toObject(); }
    void set(const QString& panel, const QJsonObject& view); ///< Sets the state of one panel.
    void restore(const QJsonObject& views);                  ///< Restores all states from an earlier session.

Q_SIGNALS:
    void changed();  ///< Emitted when a panel changes its state.
    void restored(); ///< Emitted when all states were read; panels then take them over.

private:
    QJsonObject m_views;
};

/// Prefix of panel states that only projects keep: they refer to a version in the history, and may be large.
inline constexpr QLatin1String kProjectOnly{"project."};

/// Returns the panel states that are kept for any file: those without the prefix.
inline QJsonObject viewsOfFile(const QJsonObject& views) {
    QJsonObject kept = views;
    for (auto view = views.begin(); view != views.end(); ++view)
        if (view.key().startsWith(kProjectOnly)) kept.remove(view.key());
    return kept;
}

} // namespace ui

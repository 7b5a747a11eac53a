// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/panel_views.h"

namespace ui {

void PanelViews::set(const QString& panel, const QJsonObject& view) {
    if (of(panel) == view) return;
    m_views.insert(panel, view);
    Q_EMIT changed();
}

void PanelViews::restore(const QJsonObject& views) {
    m_views = views;
    Q_EMIT restored();
}

} // namespace ui

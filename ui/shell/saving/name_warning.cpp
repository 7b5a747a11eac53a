// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/name_warning.h"

#include "ui/document/document.h"

namespace ui {

namespace {
const QString kPanel = QStringLiteral("saving"), kNames = QStringLiteral("warn_names");
}

bool warnsAboutNames(const Document& document) { return document.panelView(kPanel).value(kNames).toBool(true); }

void setWarnsAboutNames(Document& document, bool warns) {
    QJsonObject view = document.panelView(kPanel);
    view.insert(kNames, warns);
    document.setPanelView(kPanel, view);
}

} // namespace ui

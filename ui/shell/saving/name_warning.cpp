// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/name_warning.h"

#include "ui/document/document.h"

namespace ui {

namespace {
const QString kPanel = QStringLiteral("saving"), kNames = QStringLiteral("warn_names");
}

bool warnsAboutNames(const Document& document) { return document.panelViews().of(kPanel).value(kNames).toBool(true); }

void setWarnsAboutNames(Document& document, bool warns) {
    QJsonObject view = document.panelViews().of(kPanel);
    view.insert(kNames, warns);
    document.panelViews().set(kPanel, view);
}

} // namespace ui

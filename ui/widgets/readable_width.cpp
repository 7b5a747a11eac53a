// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/readable_width.h"

#include <QGridLayout>
#include <QLabel>
#include <QMessageBox>

namespace ui {

void setReadableWidth(QMessageBox& box) {
    constexpr int kCharacters = 64;
    if (auto* explanation = box.findChild<QLabel*>(QStringLiteral("qt_msgbox_informativelabel")))
        explanation->setTextFormat(box.textFormat()); // Qt takes tags in it for markup, also those of a hostile file
    box.ensurePolished();
    auto* grid = qobject_cast<QGridLayout*>(box.layout());
    if (!grid) return; // as wide as the style wants it
    auto* line = new QSpacerItem(kCharacters * box.fontMetrics().averageCharWidth(), 0);
    grid->addItem(line, grid->rowCount(), 0, 1, grid->columnCount());
}

} // namespace ui

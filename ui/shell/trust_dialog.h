// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/trust.h"
#include "ui/tasks/task_slot.h"

#include <QDialog>

class QTextBrowser;

namespace ui {

/// Shows what Python would import and call to load a file (`fx::trustCard`), which is read in the background.
class TrustDialog final : public QDialog {
    Q_OBJECT
public:
    /// Reads the file at `path`.
    explicit TrustDialog(const QString& path, QWidget* parent = nullptr);

    /// Returns a card as rich text.
    static QString html(const fx::TrustCard& card);

private:
    QTextBrowser* m_text;
    TaskSlot<fx::TrustCard> m_reading{"trust.card"};
};

} // namespace ui

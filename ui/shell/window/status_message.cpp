// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/status_message.h"

#include "ui/widgets/core_text.h"

#include <QStatusBar>

namespace ui {

StatusMessage::StatusMessage(QStatusBar& bar) : QObject(&bar), m_bar(bar) {
    connect(&bar, &QStatusBar::messageChanged, this, [this] { m_subject = Subject::Other; });
}

void StatusMessage::show(const QString& text, Subject subject) {
    constexpr int kShown = 5000; // ms
    m_bar.showMessage(visible(text), kShown);
    m_subject = subject;
}

void StatusMessage::clear() { m_bar.clearMessage(); }

} // namespace ui

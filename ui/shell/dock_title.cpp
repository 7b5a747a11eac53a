// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/dock_title.h"

#include "ui/widgets/icon.h"

#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace ui {

DockTitle::DockTitle(QDockWidget* dock) : QWidget(dock) {
    setObjectName(QStringLiteral("dockTitle"));
    setAttribute(Qt::WA_StyledBackground);
    auto* name = new QLabel(dock->windowTitle(), this);
    connect(dock, &QDockWidget::windowTitleChanged, name, &QLabel::setText);
    const auto button = [&](const char* iconName, const QString& tip) {
        auto* tool = new QToolButton(this);
        tool->setIcon(icon(QLatin1String(iconName)));
        tool->setIconSize(QSize(14, 14));
        tool->setFixedSize(24, 24);
        tool->setToolTip(tip);
        tool->setAccessibleName(tip);
        tool->setFocusPolicy(Qt::TabFocus);
        return tool;
    };
    auto* floating = button("float-muted", tr("Float or dock this panel"));
    auto* hide = button("close-muted", tr("Hide this panel"));
    connect(floating, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
    connect(hide, &QToolButton::clicked, dock, &QDockWidget::hide);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 4, 2);
    row->setSpacing(0);
    row->addWidget(name, 1);
    row->addWidget(floating);
    row->addWidget(hide);
}

void DockTitle::setTabbed(bool tabbed) {
    if (m_tabbed == tabbed) return;
    m_tabbed = tabbed;
    for (QWidget* child : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) child->setVisible(!tabbed);
    updateGeometry();
}

QSize DockTitle::sizeHint() const { return m_tabbed ? QSize(0, 0) : QSize(80, 30); }

} // namespace ui

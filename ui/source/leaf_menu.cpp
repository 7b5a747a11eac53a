// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/leaf_menu.h"

#include "ui/widgets/core_text.h"

#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QWidgetAction>

#include <algorithm>

namespace ui {

namespace {
/// Changes that the user chose.
qsizetype changesOf(const SourceChoices& choices) { return choices.kept.size() + choices.followed.size(); }
} // namespace

LeafMenu::LeafMenu(QWidget* parent) : QToolButton(parent) {
    setPopupMode(InstantPopup);
    setToolTip(tr("Choose which modules are one node, and which are followed into (is_leaf_module)"));
    setAccessibleName(tr("Leaf modules"));
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, &LeafMenu::fill);
}

void LeafMenu::show(const fx::SourceTrace& trace, const SourceChoices& choices) {
    if (trace.module) m_types = trace.types;
    m_choices = choices;
    const qsizetype changes = changesOf(choices);
    setText(changes > 0 ? tr("Leaf Modules: %1 Changed").arg(changes) : tr("Leaf Modules"));
    setEnabled(!m_types.empty());
}

void LeafMenu::fill() {
    menu()->clear();
    const auto add = [this](QWidget* widget) {
        auto* action = new QWidgetAction(menu());
        action->setDefaultWidget(widget);
        menu()->addAction(action);
    };
    auto* about = new QLabel(tr("Checked modules are one node each; the others are followed into."));
    about->setProperty("role", "muted");
    about->setContentsMargins(12, 6, 12, 6);
    add(about);
    for (const fx::SourceType& type : m_types) { // check boxes: the menu stays open for several
        auto* box = new QCheckBox(tr("%1 × %2").arg(fromCore(type.name)).arg(type.count));
        box->setChecked(type.isLeaf);
        box->setEnabled(type.canChange);
        box->setMinimumHeight(26);
        box->setContentsMargins(12, 0, 12, 0);
        box->setStyleSheet(QStringLiteral("QCheckBox { margin: 0 12px; }"));
        box->setToolTip(type.canChange
                            ? fromCore(type.path)
                            : tr("%1: its forward is not known here, so it stays one node").arg(fromCore(type.path)));
        connect(box, &QCheckBox::toggled, this, [this, type](bool leaf) { change(type, leaf); });
        add(box);
    }
    menu()->addSeparator();
    QAction* reset = menu()->addAction(tr("As torch.fx Does"), this, [this] {
        m_choices.kept.clear();
        m_choices.followed.clear();
        Q_EMIT chosen(m_choices);
    });
    reset->setEnabled(changesOf(m_choices) > 0);
}

void LeafMenu::change(const fx::SourceType& type, bool leaf) {
    const bool usual = type.isUsual ? type.isLeaf : !type.isLeaf; // what torch.fx does with it
    const QString path = QString::fromStdString(type.path);
    m_choices.kept.removeAll(path);
    m_choices.followed.removeAll(path);
    if (leaf != usual) (leaf ? m_choices.kept : m_choices.followed) << path;
    Q_EMIT chosen(m_choices);
}

} // namespace ui

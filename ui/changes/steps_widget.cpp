// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/steps_widget.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

using Went = fx::TriedStep::State;

QString effectOf(const fx::TriedStep& step) {
    QStringList parts;
    if (step.created) parts << StepList::tr("%n created", nullptr, static_cast<int>(step.created));
    if (step.changed) parts << StepList::tr("%n changed", nullptr, static_cast<int>(step.changed));
    if (step.erased) parts << StepList::tr("%n erased", nullptr, static_cast<int>(step.erased));
    return parts.isEmpty() ? StepList::tr("no node changes") : parts.join(StepList::tr(", "));
}

} // namespace

StepList::StepList(const fx::Rehearsal& rehearsal, QWidget* parent) : QListWidget(parent) {
    setAccessibleName(tr("Steps"));
    setUniformItemSizes(true);
    setTextElideMode(Qt::ElideRight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (std::size_t i = 0; i < rehearsal.steps.size(); ++i) {
        const fx::TriedStep& step = rehearsal.steps[i];
        const QString result = step.state == Went::Done      ? effectOf(step)
                               : step.state == Went::Refused ? tr("refused")
                                                             : tr("not tried");
        const QString mark = step.state == Went::Done      ? QStringLiteral("✓")
                             : step.state == Went::Refused ? QStringLiteral("✗")
                                                           : QStringLiteral("·");
        const QString words = fromCore(step.words);
        auto* item = new QListWidgetItem(tr("%1 %2  %3: %4").arg(mark).arg(i + 1).arg(result, words), this);
        item->setToolTip(plainToolTip(step.state == Went::Refused ? linesFromCore(rehearsal.refusal->what()) : words));
        if (step.state == Went::NotTried) item->setForeground(palette().brush(QPalette::Disabled, QPalette::Text));
        if (step.state != Went::Refused) continue;
        item->setForeground(theme().error.line);
        setCurrentItem(item);
        scrollToItem(item, QAbstractItemView::PositionAtCenter);
    }
}

RefusedSteps::RefusedSteps(const fx::Rehearsal& rehearsal, const QString& title, QWidget* parent) : QDialog(parent) {
    setWindowTitle(title);
    setAttribute(Qt::WA_DeleteOnClose);
    resize(640, 420);
    const auto refused = std::find_if(rehearsal.steps.begin(), rehearsal.steps.end(),
                                      [](const fx::TriedStep& step) { return step.state == Went::Refused; });
    const auto number = refused - rehearsal.steps.begin() + 1;
    auto* heading =
        new QLabel(refused == rehearsal.steps.end()
                       ? tr("The result of these steps is invalid; nothing has changed.")
                       : tr("Step %1 of %2 was refused; nothing has changed.").arg(number).arg(rehearsal.steps.size()),
                   this);
    heading->setProperty("role", "heading");
    QString text = linesFromCore(rehearsal.refusal->what());
    if (!rehearsal.refusal->hint.empty()) text += u'\n' + linesFromCore(rehearsal.refusal->hint);
    auto* why = new QLabel(text, this);
    why->setProperty("role", "error");
    why->setTextFormat(Qt::PlainText);
    why->setWordWrap(true);
    why->setMargin(6);
    why->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    column->addWidget(heading);
    column->addWidget(new StepList(rehearsal, this), 1);
    column->addWidget(why);
    column->addWidget(buttons);
}

} // namespace ui

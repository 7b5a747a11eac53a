// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"

#include <QDialog>
#include <QListWidget>

namespace ui {

/// The steps of a recipe with their effect in a rehearsal, and the reason of a refused step.
class StepList final : public QListWidget {
    Q_OBJECT
public:
    StepList(const fx::Rehearsal& rehearsal, QWidget* parent);
};

/// Reports which step of a recipe was refused, and why, with the steps around it. Nothing has changed.
class RefusedSteps final : public QDialog {
    Q_OBJECT
public:
    /// `rehearsal` must have a refusal.
    RefusedSteps(const fx::Rehearsal& rehearsal, const QString& title, QWidget* parent);
};

} // namespace ui

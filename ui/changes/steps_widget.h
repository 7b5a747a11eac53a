// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"

#include <QDialog>
#include <QListWidget>

namespace ui {

/// List of the steps of a recipe with their effect in a rehearsal, and the reason if a step was refused.
class StepList final : public QListWidget {
    Q_OBJECT
public:
    /// Copies the texts of `rehearsal`.
    StepList(const fx::Rehearsal& rehearsal, QWidget* parent);
};

/// Dialog that reports the refused step of a recipe and the reason, with the steps around it. The model has not
/// changed.
class RefusedSteps final : public QDialog {
    Q_OBJECT
public:
    /// `rehearsal` must have a refusal.
    RefusedSteps(const fx::Rehearsal& rehearsal, const QString& title, QWidget* parent);
};

} // namespace ui

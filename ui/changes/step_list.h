// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"

#include <QDialog>
#include <QListWidget>

namespace ui {

/// The steps of a recipe, each with what it did when it was tried; the one that is refused with its reason.
class StepList final : public QListWidget {
    Q_OBJECT
public:
    StepList(const fx::Rehearsal& rehearsal, QWidget* parent);
};

/// Says which step of a recipe cannot be done, and why, with the steps around it. Nothing was changed.
class RefusedSteps final : public QDialog {
    Q_OBJECT
public:
    /// `rehearsal` has a refusal.
    RefusedSteps(const fx::Rehearsal& rehearsal, const QString& title, QWidget* parent);
};

} // namespace ui

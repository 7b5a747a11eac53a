// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "ui/changes/version_difference.h"
#include "ui/document/document.h"

#include <QPointer>

namespace ui {

class RunCenter;

/// Windows that preview the effect of steps on a document, or show the effect of its edits. They are computed as
/// operations of the document.
class Previews final : public QObject {
    Q_OBJECT
public:
    /// `run` must outlive the object; `window` becomes the parent.
    Previews(RunCenter& run, QWidget* window);

    /// Shows the effect of `steps`: graphs, code, shapes, and whether the results stay the same. If the user accepts,
    /// applies them and calls `applied`. `parent` is the parent of the window; null: the main window.
    void preview(Document& document, const QString& name, const fx::StepList& steps, QWidget* parent = nullptr,
                 std::function<void()> applied = {});
    /// Shows the original and the current version side by side.
    void compare(Document& document);

private:
    using Difference = std::shared_ptr<const VersionDifference>;
    struct Tried {
        fx::Rehearsal rehearsal;
        Difference difference; ///< null: the steps were refused
    };
    struct Asked {
        QString name;
        fx::StepList steps;
        QPointer<QWidget> parent;
        std::function<void()> applied;
    };
    void show(Document& document, const Asked& asked, const Tried& tried);

    RunCenter& m_run;
    QWidget* m_window;
};

} // namespace ui

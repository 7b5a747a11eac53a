// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "ui/changes/version_difference.h"
#include "ui/document/document.h"

#include <QPointer>

namespace ui {

class RunCenter;

/// Windows that show what steps would do to a document, and what its edits have done, made as operations of it.
class Previews final : public QObject {
    Q_OBJECT
public:
    Previews(RunCenter& run, QWidget* window);

    /// Shows what steps would do: the graphs, the code, shapes, and whether the results stay the same. Applies them
    /// when that is accepted, and then calls `applied`. `parent`: above which window; null: the main one.
    void preview(Document& document, const QString& name, const QByteArray& steps, QWidget* parent = nullptr,
                 std::function<void()> applied = {});
    /// The original beside the current version.
    void compare(Document& document);

private:
    using Difference = std::shared_ptr<const VersionDifference>;
    struct Tried {
        fx::Rehearsal rehearsal;
        Difference difference; ///< null: the steps were refused
    };
    struct Asked {
        QString name;
        QByteArray steps;
        QPointer<QWidget> parent;
        std::function<void()> applied;
    };
    void show(Document& document, const Asked& asked, const Tried& tried);

    RunCenter& m_run;
    QWidget* m_window;
};

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "ui/changes/version_difference.h"
#include "ui/document/document.h"

namespace ui {

/// Windows that show what steps would do to a document, and what its edits have done, made as operations of it.
class Previews final : public QObject {
    Q_OBJECT
public:
    explicit Previews(QWidget* window);

    /// Shows what steps would do, and applies them when that is accepted.
    void preview(Document& document, const QString& name, const QByteArray& steps);
    /// The original beside the current version.
    void compare(Document& document);

private:
    using Difference = std::shared_ptr<const VersionDifference>;
    struct Tried {
        fx::Rehearsal rehearsal;
        Difference difference; ///< null: the steps were refused
    };
    void show(Document& document, const QString& name, const QByteArray& steps, const Tried& tried);

    QWidget* m_window;
};

} // namespace ui

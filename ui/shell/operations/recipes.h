// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/widgets/save_path.h"

namespace ui {

/// Reads and writes recipes: the edits of a document as a file, and their application to another document.
class Recipes final : public QObject {
    Q_OBJECT
public:
    explicit Recipes(QWidget* window); ///< `window` becomes the parent.

    /// Reads a recipe and emits `stepsRead`.
    void read(Document& document, const QString& path);
    /// Writes the steps up to the current version, as JSON for `lancet apply` or as a script for torch.fx.
    void write(Document& document, bool asScript, const QString& path);
    /// Asks for a file to read, starting in `folder`; empty if the user cancels.
    QString askForFile(const QString& folder) const;
    /// Asks for a file to write, starting in `folder`; empty if the user cancels.
    QString askForTarget(const Document& document, bool asScript, const QString& folder) const;

Q_SIGNALS:
    void notified(const QString& what); ///< Emitted with messages for the status bar.
    /// Emitted with the steps of a recipe.
    void stepsRead(Document& document, const QString& name, const fx::StepList& steps);

private:
    QWidget* m_window;
};

} // namespace ui

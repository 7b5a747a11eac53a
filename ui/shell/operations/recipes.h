// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/saving/save_path.h"

namespace ui {

/// Recipes: what was done as a file, and a file done again.
class Recipes final : public QObject {
    Q_OBJECT
public:
    explicit Recipes(QWidget* window);

    /// Reads a recipe; `read` comes when that is done.
    void read(Document& document, const QString& path);
    /// Writes the steps up to the current version: as JSON for `lancet apply`, or as a script for torch.fx.
    void write(Document& document, bool asScript, const QString& path);
    /// Asks for a file to read or to write, beginning in `folder`; empty: none.
    QString askForFile(const QString& folder) const;
    QString askForTarget(const Document& document, bool asScript, const QString& folder,
                         const PathRefusal& refusal) const;

Q_SIGNALS:
    void notified(const QString& what);
    /// The steps of a recipe file, as the JSON array that edits are made of.
    void stepsRead(Document& document, const QString& name, const QByteArray& steps);

private:
    QWidget* m_window;
};

} // namespace ui

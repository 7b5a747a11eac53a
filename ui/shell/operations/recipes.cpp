// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/recipes.h"

#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/step_files.h"
#include "core/files/replaced_file.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/file_dialog.h"

#include <QDir>
#include <QFileInfo>

namespace ui {

Recipes::Recipes(QWidget* window) : QObject(window), m_window(window) {}

QString Recipes::askForFile(const QString& folder) const {
    return FileDialog::openFile(m_window, tr("Apply Recipe"), folder, tr("Recipes (*.json);;All files (*)"));
}

QString Recipes::askForTarget(const Document& document, bool asScript, const QString& folder) const {
    const QString ending = asScript ? QStringLiteral("_edit.py") : QStringLiteral("_recipe.json");
    const QString suggestion =
        QFileInfo(folder, QFileInfo(document.file().title()).completeBaseName() + ending).filePath();
    const SaveFormat format = asScript ? SaveFormat{QStringLiteral(".py"), tr("Python (*.py)")}
                                       : SaveFormat{QStringLiteral(".json"), tr("Recipes (*.json)")};
    return askSavePath(m_window, asScript ? tr("Save as torch.fx Script") : tr("Save as Recipe"), suggestion, {format});
}

void Recipes::read(Document& document, const QString& path) {
    const QString name = visible(QFileInfo(path).fileName());
    document.operations().start<fx::StepList>(
        DocumentOperations::Kind::Preview, {tr("Reading %1").arg(name), tr("Could not apply %1").arg(name)},
        [path = path.toStdString()](const fx::Progress&) { return fx::readRecipe(path); },
        [this, document = &document, name](const fx::StepList& steps) {
            Q_EMIT stepsRead(*document, tr("Apply %1").arg(name), steps);
        });
}

void Recipes::write(Document& document, bool asScript, const QString& path) {
    const QString name = visible(QFileInfo(path).fileName());
    document.operations().start<bool>(
        DocumentOperations::Kind::Recipe, {tr("Saving %1").arg(name), tr("Could not save %1").arg(name)},
        [asScript, steps = fx::recipeOf(*document.versions().history()),
         first = document.versions().history()->entries().front().model, model = document.file().opened().toStdString(),
         path = path.toStdString(), readers = document.readers()](const fx::Progress& progress) {
            if (!asScript) return fx::writeRecipe(path, steps, progress), true;
            const fx::FilePaths carried = fx::carryFiles(steps, path, progress);
            fx::ReplacedFile file(path);
            file.write(fx::recipePython(*first, steps, model, progress, carried, readers));
            file.commit();
            return true;
        },
        [this, path](bool) { Q_EMIT notified(tr("Saved %1.").arg(path)); });
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes: what was done as a file, and a file done again.
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/step_files.h"
#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_json.h"
#include "core/json/json_writer.h"
#include "ui/shell/busy_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QFileDialog>
#include <QFileInfo>

namespace ui {

namespace {

/// The steps of a recipe as the JSON array that edits are made of.
std::string stepsOf(const fx::Recipe& recipe) {
    fx::JsonWriter json;
    json.beginArray();
    for (const fx::JsonValue step : recipe.steps()) fx::copyJson(json, step);
    return json.endArray().text();
}

} // namespace

void MainWindow::openRecipe() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Apply a recipe"), m_settings.lastFolder(),
                                                      tr("Recipes (*.json);;All files (*)"));
    if (!path.isEmpty()) applyRecipe(path);
}

/// What it would do is shown before it is done.
void MainWindow::applyRecipe(const QString& path) {
    m_recipe.start(
        [path = path.toStdString()](const fx::Progress&) {
            return QByteArray::fromStdString(stepsOf(fx::Recipe::read(path)));
        },
        this, [this, path](const QByteArray& steps) { preview(tr("Apply %1").arg(QFileInfo(path).fileName()), steps); },
        [this](const fx::Error& error) { tellFailure(error); });
}

/// The steps up to the current version: as JSON for `lancet apply`, or as a script for torch.fx.
void MainWindow::saveRecipe(bool asScript) {
    const Document* document = currentDocument();
    const QString base = QFileInfo(document->title()).completeBaseName();
    const QString suggestion = QFileInfo(m_settings.lastFolder(), base + (asScript ? QStringLiteral("_edit.py")
                                                                                   : QStringLiteral("_recipe.json")))
                                   .filePath();
    const QString path =
        QFileDialog::getSaveFileName(this, asScript ? tr("Save as a torch.fx script") : tr("Save as a recipe"),
                                     suggestion, asScript ? tr("Python (*.py)") : tr("Recipes (*.json)"));
    if (path.isEmpty()) return;
    m_recipe.start(
        [asScript, recipe = document->recipe().toStdString(), first = document->history()->entries().front().model,
         model = document->path().toStdString(), path = path.toStdString()](const fx::Progress& progress) {
            const std::string steps = stepsOf(fx::Recipe::parse(recipe));
            if (!asScript) return fx::writeRecipe(path, steps, progress), QByteArray();
            const fx::FilePaths carried = fx::carryFiles(steps, path, progress);
            fx::ReplacedFile file(path);
            file.write(fx::recipePython(*first, fx::Recipe::parse(recipe).steps(), model, progress, carried));
            file.commit();
            return QByteArray();
        },
        this, [this, path](const QByteArray&) { notify(tr("Written: %1").arg(path)); },
        [this](const fx::Error& error) { tellFailure(error); });
}

} // namespace ui

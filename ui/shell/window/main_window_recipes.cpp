// SPDX-License-Identifier: GPL-3.0-or-later
// Recipes: what was done as a file, and a file done again.
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/files/read_text.h"
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

constexpr std::uint64_t kLargestRecipe = std::uint64_t{256} << 20;

/// The steps of a recipe file as the JSON array that edits are made of.
QByteArray stepsIn(const std::string& path) {
    const fx::Recipe recipe = fx::Recipe::parse(fx::readTextFile(path, kLargestRecipe));
    fx::JsonWriter json;
    json.beginArray();
    for (const fx::JsonValue step : recipe.steps()) fx::copyJson(json, step);
    return QByteArray::fromStdString(json.endArray().text());
}

} // namespace

void MainWindow::openRecipe() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Apply Recipe"), m_settings.lastFolder(),
                                                      tr("Recipes (*.json);;All files (*)"));
    if (!path.isEmpty()) applyRecipe(path);
}

/// What it would do is shown before it is done.
void MainWindow::applyRecipe(const QString& path) {
    m_recipe.start(
        [path = path.toStdString()](const fx::Progress&) { return stepsIn(path); }, this,
        [this, path](const QByteArray& steps) { preview(tr("Apply %1").arg(QFileInfo(path).fileName()), steps); },
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
        QFileDialog::getSaveFileName(this, asScript ? tr("Save as torch.fx Script") : tr("Save as Recipe"), suggestion,
                                     asScript ? tr("Python (*.py)") : tr("Recipes (*.json)"));
    if (path.isEmpty()) return;
    m_recipe.start(
        [asScript, recipe = document->recipe().toStdString(), first = document->history()->entries().front().model,
         model = document->path().toStdString(), path = path.toStdString()](const fx::Progress& progress) {
            fx::ReplacedFile file(path);
            file.write(asScript ? fx::recipePython(*first, fx::Recipe::parse(recipe).steps(), model, progress)
                                : recipe);
            file.commit();
            return QByteArray();
        },
        this, [this, path](const QByteArray&) { notify(tr("Wrote %1").arg(path)); },
        [this](const fx::Error& error) { tellFailure(error); });
}

} // namespace ui

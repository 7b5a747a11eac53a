// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/recipes.h"

#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/step_files.h"
#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_json.h"
#include "core/json/json_writer.h"
#include "ui/widgets/file_dialog.h"

#include <QDir>
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

Recipes::Recipes(QWidget* window) : QObject(window), m_window(window) {}

QString Recipes::askForFile(const QString& folder) const {
    return FileDialog::openFile(m_window, tr("Apply Recipe"), folder, tr("Recipes (*.json);;All files (*)"));
}

QString Recipes::askForTarget(const Document& document, bool asScript, const QString& folder,
                              const PathRefusal& refusal) const {
    const QString ending = asScript ? QStringLiteral("_edit.py") : QStringLiteral("_recipe.json");
    const QString suggestion = QFileInfo(folder, QFileInfo(document.title()).completeBaseName() + ending).filePath();
    const SaveFormat format = asScript ? SaveFormat{QStringLiteral(".py"), tr("Python (*.py)")}
                                       : SaveFormat{QStringLiteral(".json"), tr("Recipes (*.json)")};
    return askSavePath(m_window, asScript ? tr("Save as torch.fx Script") : tr("Save as Recipe"), suggestion, {format},
                       refusal);
}

void Recipes::read(Document& document, const QString& path) {
    const QString name = QFileInfo(path).fileName();
    document.operations().start<QByteArray>(
        DocumentOperations::Kind::Preview, {tr("Reading %1").arg(name), tr("Could not apply %1").arg(name)},
        [path = path.toStdString()](const fx::Progress&) {
            return QByteArray::fromStdString(stepsOf(fx::Recipe::read(path)));
        },
        [this, document = &document, name](const QByteArray& steps) {
            Q_EMIT stepsRead(*document, tr("Apply %1").arg(name), steps);
        });
}

void Recipes::write(Document& document, bool asScript, const QString& path) {
    const QString name = QFileInfo(path).fileName();
    document.operations().start<bool>(
        DocumentOperations::Kind::Recipe, {tr("Saving %1").arg(name), tr("Could not save %1").arg(name)},
        [asScript, recipe = document.recipe().toStdString(), first = document.history()->entries().front().model,
         model = document.path().toStdString(), path = path.toStdString()](const fx::Progress& progress) {
            const std::string steps = stepsOf(fx::Recipe::parse(recipe));
            if (!asScript) return fx::writeRecipe(path, steps, progress), true;
            const fx::FilePaths carried = fx::carryFiles(steps, path, progress);
            fx::ReplacedFile file(path);
            file.write(fx::recipePython(*first, fx::Recipe::parse(recipe).steps(), model, progress, carried));
            file.commit();
            return true;
        },
        [this, path](bool) { Q_EMIT notified(tr("Saved %1.").arg(path)); });
}

} // namespace ui

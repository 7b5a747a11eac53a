// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/dropped_files.h"

#include "core/model_files/open.h"
#include "ui/document/current_document.h"
#include "ui/widgets/core_text.h"

#include <QFileInfo>
#include <QMimeData>

#include <algorithm>

namespace ui {

DroppedFiles::DroppedFiles(const CurrentDocument& document, QObject* parent) : QObject(parent), m_document(document) {}

bool DroppedFiles::accepts(const QMimeData& data) {
    const auto urls = data.urls();
    return std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); });
}

void DroppedFiles::take(const QList<QUrl>& urls) {
    bool opens = false;
    for (const QUrl& url : urls) {
        if (!url.isLocalFile()) continue;
        const QString path = url.toLocalFile();
        if (path.endsWith(QLatin1String(".json"))) {
            m_paths << path;
        } else {
            opens = true;
            Q_EMIT fileChosen(path);
        }
    }
    if (m_paths.isEmpty()) return;
    m_recognising.start(
        [paths = m_paths](const fx::Progress&) {
            QStringList recipes;
            for (const QString& path : paths)
                if (fx::kindOfModel(path.toStdString()) == fx::FileKind::Recipe) recipes << path;
            return recipes;
        },
        this,
        [this, opens](const QStringList& recipes) {
            const QStringList dropped = std::exchange(m_paths, {});
            for (const QString& path : dropped)
                if (!recipes.contains(path)) Q_EMIT fileChosen(path);
            if (!recipes.isEmpty()) takeRecipes(recipes, opens || recipes.size() < dropped.size());
        });
}

/// A recipe is for the model that one sees, and each is previewed by itself; `opens`: models came with them.
void DroppedFiles::takeRecipes(const QStringList& paths, bool opens) {
    const QString name = visible(QFileInfo(paths.front()).fileName());
    if (opens) {
        Q_EMIT notified(tr("%1 is a recipe: drop it again when the model is open.").arg(name));
    } else if (!m_document.ready()) {
        Q_EMIT notified(tr("Open a model first: %1 is a recipe, which is applied to the current model.").arg(name));
    } else if (paths.size() > 1) {
        Q_EMIT notified(tr("Drop one recipe at a time: each is previewed before it is applied."));
    } else {
        Q_EMIT recipeChosen(paths.front());
    }
}

} // namespace ui

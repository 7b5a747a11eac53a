// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/tasks/task_slot.h"

#include <QObject>
#include <QStringList>
#include <QUrl>

class QMimeData;

namespace ui {

class CurrentDocument;

/// The files that are dropped on the window: models to open, or a recipe for the model in front. A .json file may be
/// either; only its content shows it, which is read off the GUI thread.
class DroppedFiles final : public QObject {
    Q_OBJECT
public:
    /// `document` must live while files are recognised.
    DroppedFiles(const CurrentDocument& document, QObject* parent);

    /// True if the data has files of this machine.
    static bool accepts(const QMimeData& data);
    /// Announces what to do with these files. Ignores other URLs.
    void take(const QList<QUrl>& urls);

Q_SIGNALS:
    void fileChosen(const QString& path);   ///< Emitted with a file to open.
    void recipeChosen(const QString& path); ///< Emitted with a recipe for the model in front.
    void notified(const QString& what);     ///< Emitted with the reason why a recipe is not applied.

private:
    void takeRecipes(const QStringList& paths, bool opens);

    const CurrentDocument& m_document;
    QStringList m_paths; ///< files that may be recipes
    TaskSlot<QStringList> m_recognising{"window.recognise"};
};

} // namespace ui

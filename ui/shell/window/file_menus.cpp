// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/file_menus.h"

#include "core/torchscript/script_facts.h"
#include "ui/document/current_document.h"
#include "ui/document/node_facts.h"
#include "ui/shell/samples.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/save_path.h"

#include <QFileInfo>
#include <QMenu>

#include <algorithm>
#include <optional>

namespace ui {

FileMenus::FileMenus(WindowActions& actions, CurrentDocument& document, Settings& settings, QWidget* window)
    : QObject(window), m_actions(actions), m_document(document), m_settings(settings) {
    connect(actions.recentMenu, &QMenu::aboutToShow, this, &FileMenus::fillRecent);
    connect(actions.modelsMenu, &QMenu::aboutToShow, this, &FileMenus::fillModels);
    fillSamples();
}

void FileMenus::fillSamples() {
    QMenu* menu = m_actions.samplesMenu;
    for (const Sample& sample : samples()) {
        QAction* action = menu->addAction(QFileInfo(sample.path).fileName(), this,
                                          [this, path = sample.path] { Q_EMIT fileChosen(path); });
        action->setToolTip(sample.about);
    }
    menu->menuAction()->setVisible(!menu->isEmpty());
}

void FileMenus::fillRecent() {
    QMenu* menu = m_actions.recentMenu;
    menu->clear();
    const QStringList files = m_settings.recentFiles();
    int number = 1;
    for (const QString& file : files) {
        const QFileInfo info(file);
        QAction* action =
            menu->addAction(QStringLiteral("&%1  %2").arg(number++).arg(withoutMnemonics(visible(info.fileName()))),
                            this, [this, file] { Q_EMIT fileChosen(file); });
        action->setToolTip(plainToolTip(visible(file)));
        if (info.exists()) continue;
        action->setEnabled(false);
        action->setText(tr("%1 (no longer exists)").arg(action->text()));
        action->setToolTip(tr("This file no longer exists"));
    }
    if (files.isEmpty()) menu->addAction(tr("No Recent Files"))->setEnabled(false);
    menu->addSeparator();
    QAction* clear = menu->addAction(tr("&Clear Recent Files"), this, [this] { m_settings.clearRecentFiles(); });
    clear->setEnabled(!files.isEmpty());
}

/// Whether a graph of the file that was opened is there no more: a script that was saved over it may have one method.
static bool isGone(const std::optional<std::vector<std::string>>& methods, const std::string& graph) {
    return methods && std::none_of(methods->begin(), methods->end(), [&](const std::string& method) {
               return graph == method || graph.starts_with(method + " (");
           });
}

/// The methods of the file that was opened, if the document was saved over it as TorchScript.
static std::optional<std::vector<std::string>> methodsLeft(const Document& document) {
    if (!isSamePath(document.file().target(), document.file().opened()) ||
        document.file().format() != fx::Format::TorchScript)
        return std::nullopt;
    try {
        return fx::script::scriptFacts(document.file().opened().toStdString(), {}).methods;
    } catch (const fx::Error&) { return std::nullopt; } // choosing one says what is wrong
}

/// Archives may hold several models: each can be looked at.
void FileMenus::fillModels() {
    QMenu* menu = m_actions.modelsMenu;
    menu->clear();
    Document* document = m_document.get();
    if (!document || !document->module()) return;
    const auto methods = methodsLeft(*document);
    for (const std::string& name : document->module()->modelNames) {
        const QString text = QString::fromStdString(name);
        QAction* action =
            menu->addAction(withoutMnemonics(visible(text)), document, [this, text] { Q_EMIT modelChosen(text); });
        action->setCheckable(true);
        action->setChecked(name == document->module()->modelName);
        if (!isGone(methods, name)) continue;
        action->setEnabled(false);
        action->setToolTip(tr("The saved file does not have this method"));
    }
}

} // namespace ui

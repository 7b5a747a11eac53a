// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

class CurrentDocument;
class Settings;
class WindowActions;

/// The menus of files: recent files, samples, and the models in the current file.
class FileMenus final : public QObject {
    Q_OBJECT
public:
    /// Fills the menus of `actions`; `window` becomes the parent.
    FileMenus(WindowActions& actions, CurrentDocument& document, Settings& settings, QWidget* window);

Q_SIGNALS:
    void fileChosen(const QString& path); ///< Emitted when the user chooses a file.
    /// Emitted when the user chooses another model of the current file.
    void modelChosen(const QString& name);

private:
    void fillSamples();
    void fillRecent();
    void fillModels();

    WindowActions& m_actions;
    CurrentDocument& m_document;
    Settings& m_settings;
};

} // namespace ui

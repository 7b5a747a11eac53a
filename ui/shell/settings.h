// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "ui/run/worker_settings.h"
#include "ui/widgets/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>

namespace ui {

/// The settings of the window. The program creates one object and passes it to the window; nothing else reads settings.
class Settings {
public:
    /// Opens the user's own settings.
    Settings();
    /// Opens an INI file, for tests and for programs that must not change the user's settings.
    explicit Settings(const QString& iniFile);

    static constexpr int kRecentFiles = 12;    ///< the maximum number of recent files
    QStringList recentFiles() const;           ///< Absolute paths, newest first.
    void addRecentFile(const QString& path);   ///< Puts a file in front of the recent files.
    void clearRecentFiles();                   ///< Removes all recent files.
    QString lastFolder() const;                ///< The initial folder of file dialogs.
    void setLastFolder(const QString& folder); ///< Sets the initial folder of file dialogs.

    ThemeChoice theme() const;                  ///< The chosen theme; System by default.
    void setTheme(ThemeChoice choice);          ///< Sets the theme.
    fx::Direction direction() const;            ///< The direction of new layouts.
    void setDirection(fx::Direction direction); ///< Sets the direction of new layouts.

    WorkerSettings worker() const;                  ///< The settings of the worker.
    void setWorker(const WorkerSettings& settings); ///< Sets the settings of the worker.
    /// The settings for running a file, as JSON; empty if none exist.
    QByteArray runOf(const QString& path) const;
    void setRunOf(const QString& path, const QByteArray& json); ///< Sets the settings for running a file.

    /// The state that panels keep for a file, as JSON; empty if none exists.
    QByteArray viewOf(const QString& path) const;
    /// Sets the state that panels keep for a file.
    void setViewOf(const QString& path, const QByteArray& json);

    QByteArray windowGeometry() const; ///< The result of QWidget::saveGeometry.
    QByteArray windowState() const;    ///< The result of PanelDocks::state.
    /// Sets geometry and state of the window.
    void setWindow(const QByteArray& geometry, const QByteArray& state);
    /// The settings of a panel in its own format; empty if none exist.
    QByteArray panel(const QString& name) const;
    void setPanel(const QString& name, const QByteArray& state); ///< Sets the settings of a panel.
    QByteArray tableColumns() const;                             ///< The result of NodesPanel::columnState.
    void setTableColumns(const QByteArray& state);               ///< Sets the columns of the table.

    QString fileName() const { return m_store.fileName(); } ///< The file of the settings.
    /// Writes changes to disk now; Qt would do it later.
    void sync() { m_store.sync(); }

private:
    QSettings m_store;
};

} // namespace ui

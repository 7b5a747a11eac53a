// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "ui/run/worker_settings.h"
#include "ui/widgets/theme.h"

#include <QByteArray>
#include <QSettings>
#include <QStringList>

namespace ui {

/// The settings of the window. One object, created by the program and passed to the window; nothing else reads
/// settings.
class Settings {
public:
    /// The user's own settings.
    Settings();
    /// Settings in an INI file, for tests and for programs that must not touch the user's.
    explicit Settings(const QString& iniFile);

    static constexpr int kRecentFiles = 12;
    QStringList recentFiles() const; ///< newest first
    void addRecentFile(const QString& path);
    void clearRecentFiles();
    QString lastFolder() const; ///< initial folder of file dialogs
    void setLastFolder(const QString& folder);

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    fx::Direction direction() const;
    void setDirection(fx::Direction direction);

    WorkerSettings worker() const;
    void setWorker(const WorkerSettings& settings);
    /// The settings for running a file, as JSON; empty if there are none.
    QByteArray runOf(const QString& path) const;
    void setRunOf(const QString& path, const QByteArray& json);

    /// What panels keep for a file, as JSON; empty if nothing.
    QByteArray viewOf(const QString& path) const;
    void setViewOf(const QString& path, const QByteArray& json);

    QByteArray windowGeometry() const;
    QByteArray windowState() const;
    void setWindow(const QByteArray& geometry, const QByteArray& state);
    /// The settings of a panel in its own format; empty if there are none.
    QByteArray panel(const QString& name) const;
    void setPanel(const QString& name, const QByteArray& state);
    QByteArray tableColumns() const;
    void setTableColumns(const QByteArray& state);

    QString fileName() const { return m_store.fileName(); }
    /// Writes to disk what is set; Qt would do it later.
    void sync() { m_store.sync(); }

private:
    QSettings m_store;
};

} // namespace ui

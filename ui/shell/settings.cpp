// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>

namespace ui {

namespace {
const QString kRecent = QStringLiteral("files/recent");
const QString kFolder = QStringLiteral("files/folder");
const QString kTheme = QStringLiteral("view/theme");
const QString kDirection = QStringLiteral("view/direction");
const QString kGeometry = QStringLiteral("window/geometry");
const QString kState = QStringLiteral("window/state");
const QString kWorker = QStringLiteral("worker/command");
const QString kWorkerFiles = QStringLiteral("worker/sameFiles");
const QString kWorkerMemory = QStringLiteral("worker/memoryGigabytes");
const QString kWorkerTimeout = QStringLiteral("worker/timeoutSeconds");
const QString kWorkerLibraries = QStringLiteral("worker/libraries");
const QString kColumns = QStringLiteral("table/columns");
const QString kPanels = QStringLiteral("panels/");
} // namespace

Settings::Settings() : m_store(QStringLiteral("lancet"), QStringLiteral("lancet")) {}

Settings::Settings(const QString& iniFile) : m_store(iniFile, QSettings::IniFormat) {}

QStringList Settings::recentFiles() const { return m_store.value(kRecent).toStringList(); }

void Settings::addRecentFile(const QString& path) {
    const QString full = QFileInfo(path).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(full);
    files.prepend(full);
    m_store.setValue(kRecent, files.mid(0, kRecentFiles));
}

void Settings::clearRecentFiles() { m_store.remove(kRecent); }

QString Settings::lastFolder() const { return m_store.value(kFolder, QDir::homePath()).toString(); }
void Settings::setLastFolder(const QString& folder) { m_store.setValue(kFolder, folder); }

ThemeChoice Settings::theme() const {
    const QString word = m_store.value(kTheme).toString();
    if (word == QLatin1String("light")) return ThemeChoice::Light;
    return word == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice) {
    const char* const words[] = {"system", "light", "dark"};
    m_store.setValue(kTheme, QLatin1String(words[static_cast<std::size_t>(choice)]));
}

fx::Direction Settings::direction() const {
    return m_store.value(kDirection).toString() == QLatin1String("LR") ? fx::Direction::LeftRight
                                                                       : fx::Direction::TopDown;
}

void Settings::setDirection(fx::Direction direction) {
    m_store.setValue(kDirection, direction == fx::Direction::LeftRight ? QStringLiteral("LR") : QStringLiteral("TB"));
}

WorkerSettings Settings::worker() const {
    const WorkerSettings standard;
    return {m_store.value(kWorker).toString(), m_store.value(kWorkerFiles, standard.sameFiles).toBool(),
            m_store.value(kWorkerMemory, standard.memoryGigabytes).toDouble(),
            m_store.value(kWorkerTimeout, standard.timeoutSeconds).toInt(), m_store.value(kWorkerLibraries).toString()};
}

void Settings::setWorker(const WorkerSettings& settings) {
    m_store.setValue(kWorker, settings.command);
    m_store.setValue(kWorkerFiles, settings.sameFiles);
    m_store.setValue(kWorkerMemory, settings.memoryGigabytes);
    m_store.setValue(kWorkerTimeout, settings.timeoutSeconds);
    m_store.setValue(kWorkerLibraries, settings.libraries);
}

namespace {
/// A path has separators that would be groups.
QString keyOf(const char* group, const QString& path) {
    return QString::fromLatin1(group) +
           QString::fromLatin1(
               QCryptographicHash::hash(QFileInfo(path).absoluteFilePath().toUtf8(), QCryptographicHash::Sha1).toHex());
}
} // namespace

QByteArray Settings::runOf(const QString& path) const { return m_store.value(keyOf("runs/", path)).toByteArray(); }
void Settings::setRunOf(const QString& path, const QByteArray& json) { m_store.setValue(keyOf("runs/", path), json); }

QByteArray Settings::viewOf(const QString& path) const { return m_store.value(keyOf("views/", path)).toByteArray(); }
void Settings::setViewOf(const QString& path, const QByteArray& json) { m_store.setValue(keyOf("views/", path), json); }

QByteArray Settings::windowGeometry() const { return m_store.value(kGeometry).toByteArray(); }
QByteArray Settings::windowState() const { return m_store.value(kState).toByteArray(); }

void Settings::setWindow(const QByteArray& geometry, const QByteArray& state) {
    m_store.setValue(kGeometry, geometry);
    m_store.setValue(kState, state);
}

QByteArray Settings::panel(const QString& name) const { return m_store.value(kPanels + name).toByteArray(); }
void Settings::setPanel(const QString& name, const QByteArray& state) { m_store.setValue(kPanels + name, state); }

QByteArray Settings::tableColumns() const { return m_store.value(kColumns).toByteArray(); }
void Settings::setTableColumns(const QByteArray& state) { m_store.setValue(kColumns, state); }

} // namespace ui

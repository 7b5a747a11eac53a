// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"

#include <QFile>
#include <QJsonDocument>
#include <QProcess>

QJsonObject Run::json() const { return QJsonDocument::fromJson(out).object(); }

Run lancet(const QStringList& arguments, const QByteArray& input, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder.isEmpty() ? QString(LANCET_SOURCE_DIR) : folder);
    process.start(LANCET_PROGRAM, arguments);
    process.write(input);
    process.closeWriteChannel();
    Run run;
    if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit) run.exit = process.exitCode();
    run.out = process.readAllStandardOutput();
    run.error = process.readAllStandardError();
    return run;
}

QString sample(const char* name) { return QString("resources/samples/") + name; }

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

void put(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write(bytes);
}

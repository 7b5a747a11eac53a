// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFile>
#include <QString>
#include <QtGlobal>

/// Puts a program into `folder` that is called as Python is: `-u -c PROGRAM` to say what it is, and `-u -c PROGRAM
/// REQUEST` to trace, with the result and the model as descriptors 3 and 4. `trace` is the shell script that runs then.
/// The program is no script itself, because Lancet runs a script only to find its interpreter; the sandbox does not let
/// it start the shell.
inline QString shellPython(const QString& folder, const QByteArray& trace) {
    const QString program = folder + QStringLiteral("/python");
    QFile::remove(program);
    if (!QFile::copy(QStringLiteral(LANCET_SHELL_PYTHON), program)) qFatal("cannot copy");
    QFile script(program + QStringLiteral(".sh"));
    if (!script.open(QIODevice::WriteOnly)) qFatal("cannot write");
    script.write(
        "if [ $# = 3 ]; then\necho '{\"program\": \"\", \"python\": \"3.11\", \"torch\": \"2.13\"}'; exit; fi\n" +
        trace);
    return program;
}

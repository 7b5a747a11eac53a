// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QJsonObject>
#include <QStringList>

/// One finished run of lancet.
struct Run {
    int exit = -1;         ///< -1: it crashed or did not end
    QByteArray out, error; ///< standard output and standard error

    QJsonObject json() const; ///< Standard output as JSON; empty if it is not a JSON object.
    /// The first line on standard error.
    QByteArray firstError() const { return error.left(error.indexOf('\n')); }
};

/// Runs lancet in `folder`; empty: the folder of the sources.
Run lancet(const QStringList& arguments, const QByteArray& input = {}, const QString& folder = {});

/// Returns the path of a shipped sample, relative to the folder of the sources.
QString sample(const char* name);
QByteArray contentOf(const QString& path);              ///< Returns the content of a file.
void put(const QString& path, const QByteArray& bytes); ///< Writes a file.

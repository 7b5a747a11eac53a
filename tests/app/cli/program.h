// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QJsonObject>
#include <QStringList>

/// One finished run of lancet.
struct Run {
    int exit = -1; ///< -1: it crashed or did not end
    QByteArray out, error;

    QJsonObject json() const; ///< what it printed; empty when that is no JSON object
    QByteArray firstError() const { return error.left(error.indexOf('\n')); }
};

/// Runs it in `folder`; empty: the folder of the sources.
Run lancet(const QStringList& arguments, const QByteArray& input = {}, const QString& folder = {});

/// Path of a shipped sample, seen from the folder of the sources.
QString sample(const char* name);
QByteArray contentOf(const QString& path);
void put(const QString& path, const QByteArray& bytes);

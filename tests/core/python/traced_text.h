// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_file.h"

#include <QFile>
#include <QTemporaryDir>

/// Base class of tests that trace sources in a temporary file.
class TracedText {
protected:
    /// Writes a file with this content and returns its path.
    std::string write(const QByteArray& text) {
        QFile file(m_folder.filePath("net.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }
    /// Returns the graph as text, or the error.
    QString outcome(const QByteArray& text, const char* name = "f") {
        fx::SourceOptions options;
        options.name = name;
        try {
            return QString::fromStdString(fx::graphText(fx::traceFile(write(text), options, {})->graph));
        } catch (const fx::Error& error) { return QString::fromUtf8(error.what()); }
    }
    /// Traces a function with these statements that ends with `return x + 1`.
    QString afterStatements(const QByteArray& head, const QByteArrayList& statements) {
        QByteArray text = head + "def f(x):\n";
        for (const QByteArray& statement : statements) text += "    " + statement + "\n";
        return outcome(text + "    return x + 1\n");
    }

private:
    QTemporaryDir m_folder;
};

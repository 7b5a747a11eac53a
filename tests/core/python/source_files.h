// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_file.h"

#include <QFile>
#include <QTemporaryDir>

/// Base class of tests that trace files of a temporary folder.
class SourceFiles {
protected:
    QTemporaryDir m_folder;

    /// Writes a file and returns its path.
    std::string write(const char* name, const char* text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }
    /// The calls of a graph: "relu=torch.relu add=operator.add".
    static QString nodes(const fx::GraphModule& model) {
        QStringList words;
        for (const fx::Node& node : model.graph.nodes())
            if (node.op() != fx::Op::Placeholder && node.op() != fx::Op::Output)
                words << QString::fromStdString(node.name() + "=" + node.target());
        return words.join(' ');
    }
    /// The graph of the function `f`.
    static std::string textOfFunction(const std::string& file) {
        fx::SourceOptions options;
        options.name = "f";
        return fx::graphText(fx::traceFile(file, options, {})->graph);
    }
    /// The error of a trace: its kind, text and place; "traced" without one.
    QString failure(const char* text, const fx::SourceOptions& options = {}) {
        try {
            fx::traceFile(write("net.py", text), options, {});
        } catch (const fx::Error& error) {
            return QString::number(static_cast<int>(error.kind())) + " " + error.what() + " @ " +
                   QString::fromStdString(error.where);
        }
        return "traced";
    }
};

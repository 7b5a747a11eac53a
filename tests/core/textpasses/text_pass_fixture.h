// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"
#include "core/passes/tensor_engine.h"
#include "core/python/tracing/trace_definition.h"
#include "core/textpasses/text_pass.h"

#include <QTemporaryDir>
#include <QtTest>

namespace fx {

/// Runs a pass of Python text on small models.
class TextPassFixture : public QObject {
protected:
    QTemporaryDir m_folder;

    std::string file(const QString& text) {
        QFile file(m_folder.filePath("p.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(("import operator\nimport torch\nfrom torch import fx\n" + text).toUtf8());
        return file.fileName().toStdString();
    }

    static GraphModule model() { return traceFunctionSource("def net(x):\n    return torch.relu(torch.neg(x)) + 1"); }

    std::vector<PassReport> run(GraphModule& model, const QString& text, const char* name = ":f",
                                TensorEngine* engine = nullptr) {
        PassManager manager;
        manager.engine = engine;
        manager.addPass(textPass(file(text) + name));
        Warnings warnings;
        return manager.run(model, warnings);
    }

    /// The lines that a pass prints.
    QStringList printed(const QString& body) {
        GraphModule model = TextPassFixture::model();
        QStringList lines;
        for (const PassReport& report : run(model, "import collections\nfrom typing import NamedTuple\n" + body))
            for (const auto& note : report.notes) lines << QString::fromStdString(note.what.text());
        return lines;
    }
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/python/tracing/trace_file.h"
#include "core/quant/quantise.h"
#include "core/textpasses/file_classes.h"

#include <QtTest>

namespace fx::quant {

/// Traces a source for quantisation.
class PrepareFixture : public QObject {
protected:
    QTemporaryDir m_folder;

    /// Traces the function or class `name` of a source.
    GraphModule tracedFile(const std::string& text, const char* name, Mode mode = Mode::Static,
                           SourceOptions options = {}) {
        QFile file(m_folder.filePath("net.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write("import torch\nimport torch.nn.functional as F\nfrom torch import nn\n");
        file.write(text.c_str());
        file.close();
        options.name = name, options.fx = fxClasses(false);
        const auto model = traceFile(m_folder.filePath("net.py").toStdString(), options, {});
        Warnings warnings;
        return inModeFor(*model, mode, warnings);
    }
    GraphModule traced(const char* text, Mode mode = Mode::Static) { return tracedFile(text, "Net", mode); }
    static QString targets(const GraphModule& model) {
        QStringList words;
        for (const Node& node : model.graph.nodes()) {
            if (node.op() == Op::Placeholder || node.op() == Op::Output) continue;
            const QString target = QString::fromStdString(node.target());
            words << (target.startsWith("activation_post_process_") ? "o" + target.mid(24) : target);
        }
        return words.join(' ');
    }

    /// The code of what `work` is refused with.
    template<class Work> static QString codeOf(const Work& work) {
        try {
            work();
        } catch (const Error& error) { return QString::fromStdString(error.message().code()); }
        return {};
    }
};

} // namespace fx::quant

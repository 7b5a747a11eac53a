// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/ir_json/ir_json.h"
#include "core/python/tracing/source_scopes.h"
#include "core/reader/reader_client.h"
#include "core/remote/frame.h"
#include "core/textpasses/file_classes.h"

#include <QFile>
#include <QTest>

namespace fx {

/// Starts the real reader.
class ReaderFixture : public QObject {
protected:
    static constexpr const char* kHead = "import torch\nfrom torch import nn\n\n";
    static constexpr const char* kNet = "\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                        "        self.fc = nn.Linear(300, 200)\n\n    def forward(self, x):\n"
                                        "        return self.fc(x).relu()\n";

    static QByteArray textOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    /// All that a model is, as text.
    static std::string described(const GraphModule& model) {
        const IrDescription description = describeAsIr(model);
        std::string out = description.text + model.path + std::string(formatName(model.format));
        for (const SafetensorsEntry& entry : description.weights.entries) {
            std::vector<std::byte> bytes(entry.storage->byteCount());
            entry.storage->read(0, bytes);
            out += entry.name + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        }
        const auto* scopes = dynamic_cast<const SourceScopes*>(model.origin.get());
        if (!scopes) return out + "no scopes";
        for (const Node& node : model.graph.nodes()) {
            const auto& scope = scopes->of(index(node.id()));
            out += node.name() + "@" + scope.path + ":" + scope.type + (scopes->knows(index(node.id())) ? "\n" : "?\n");
        }
        for (const auto* list : {&scopes->parameters, &scopes->inputs, &scopes->floatFunctionals})
            for (const std::string& text : *list) out += text + ";";
        if (scopes->swapped)
            out += described(*scopes->swapped->evaluating) + described(*scopes->swapped->training) +
                   scopes->swapped->replaces;
        return out + scopes->binding + (scopes->isNested ? "n" : "") + (scopes->hasSwapped ? "s" : "");
    }

    static std::string described(const Error& error) {
        std::string out = error.message().code() + "|" + error.what();
        for (const std::string* text : {&error.file, &error.where, &error.node, &error.modulePath, &error.source,
                                        &error.hint, &error.commandLineHint})
            out += "|" + *text;
        return out + error.textPlace.text() + std::to_string(static_cast<int>(error.kind()));
    }

    static std::string described(const SourceTrace& trace) {
        std::string out = trace.name + (trace.isComplete ? " complete" : " cut");
        for (const auto* list : {&trace.candidates, &trace.settings, &trace.inputs})
            for (const std::string& text : *list) out += ";" + text;
        for (const SourceType& type : trace.types)
            out += type.name + type.path + std::to_string(type.count) + (type.isLeaf ? "l" : "") +
                   (type.isUsual ? "u" : "") + (type.canChange ? "c" : "");
        for (const SourceFault& fault : trace.faults)
            out += described(fault.error) + fault.file + std::to_string(fault.offset) + "-" + std::to_string(fault.end);
        return out + (trace.module ? described(*trace.module) : "none");
    }

    static std::string outcome(const std::function<std::string()>& action) {
        try {
            return action();
        } catch (const Error& error) { return described(error); }
    }

    static reader::ReaderClient client(bool spare = false) { return reader::ReaderClient({{LANCET_READER}, spare}); }
    static SourceOptions options() {
        SourceOptions out;
        out.fx = fxClasses(true);
        return out;
    }
    static std::string failureOf(const std::string& text, const Progress& progress = {}) {
        auto reader = client();
        return outcome([&] {
            reader.traceText("/nowhere/net.py", text, options(), progress);
            return std::string("no failure");
        });
    }
};

} // namespace fx

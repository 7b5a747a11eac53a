// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "program.h"

#include <QFile>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

/// A net of three layers, and runs of `lancet quantize` on it.
class QuantizeFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    QStringList net(const QStringList& options) const {
        return QStringList{"quantize", m_folder.filePath("net.py:Net"), "--input", "x=4x8", "--json"} + options;
    }
    /// A file with one tensor of float32, "x".
    QString written(const char* name, const QByteArray& shape, const QByteArray& values) const {
        const QByteArray header = "{\"x\":{\"dtype\":\"F32\",\"shape\":" + shape + ",\"data_offsets\":[0," +
                                  QByteArray::number(values.size()) + "]}}";
        QByteArray size(8, '\0');
        size[0] = static_cast<char>(header.size());
        put(m_folder.filePath(name), size + header + values);
        return m_folder.filePath(name);
    }
    static QStringList layers(const QJsonArray& rows) {
        QStringList out;
        for (const auto& row : rows) out << row.toObject()["layer"].toString();
        return out;
    }

    static QStringList codes(const Run& run) {
        QStringList out;
        for (const auto& warning : run.json()["warnings"].toArray()) out << warning.toObject()["code"].toString();
        return out;
    }

    void startUp() {
        put(m_folder.filePath("net.py"), "import torch\nfrom torch import nn\n"
                                         "class Net(nn.Module):\n"
                                         "    def __init__(self):\n"
                                         "        super().__init__()\n"
                                         "        self.a = nn.Linear(8, 16); self.b = nn.Linear(16, 16)\n"
                                         "        self.c = nn.Linear(16, 4)\n"
                                         "    def forward(self, x):\n"
                                         "        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))\n");
    }
};

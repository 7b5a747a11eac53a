// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/codegen/pytree_code.h"
#include "core/ir/print.h"
#include "core/model_files/anonymise/anonymise.h"
#include "core/model_files/anonymise/written_texts.h"
#include "core/model_files/open.h"
#include "core/model_files/save_description.h"
#include "core/tensor/elements.h"

#include <QtTest>

#include <algorithm>

using namespace fx;

/// Every name and text of the model begins with "zq".
class TestAnonymise : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string file(const char* name) const { return m_folder.filePath(name).toStdString(); }
    void write(const char* name, const QByteArray& content) const {
        QFile out(m_folder.filePath(name));
        if (!out.open(QIODevice::WriteOnly)) qFatal("cannot write");
        out.write(content);
    }
    std::shared_ptr<GraphModule> open() {
        write("zq_net.py", "import torch\nfrom torch import nn\n"
                           "class ZqNet(nn.Module):\n"
                           "    def __init__(self):\n"
                           "        super().__init__()\n"
                           "        self.zq_layers = nn.Sequential(nn.Linear(2, 3), nn.GELU(approximate='tanh'))\n"
                           "        self.zq_norm = nn.BatchNorm1d(3)\n"
                           "        self.zq_tied = nn.Linear(2, 3)\n"
                           "        self.zq_tied.weight = self.zq_layers[0].weight\n"
                           "        self.register_buffer('zq_index', torch.tensor([2, 0, 5]))\n"
                           "    def forward(self, zq_in, *, zq_other=None):\n"
                           "        zq_y = self.zq_norm(self.zq_layers(zq_in)) + self.zq_tied(zq_in)\n"
                           "        zq_y = torch.einsum('zq,wq->zw', zq_y, zq_y)\n"
                           "        return {'zq_out': zq_y, 'zq_mode': torch.relu(zq_y) * self.zq_index.sum()}\n");
        return openModel(file("zq_net.py:ZqNet"));
    }
    static bool hasText(const std::string& text) {
        return QString::fromStdString(text).contains("zq", Qt::CaseInsensitive);
    }

private Q_SLOTS:
    void graph_keepsItsStructure_andNoName() {
        const auto model = open();
        const AnonymousModel made = anonymised(*model);
        QVERIFY(hasText(graphText(model->graph)));
        QVERIFY(!hasText(graphText(made.model->graph)));
        QVERIFY(!hasText(generatePython(*made.model).text));
        QCOMPARE(made.model->graph.size(), model->graph.size());
        auto node = made.model->graph.nodes().begin();
        for (const Node& old : model->graph.nodes()) {
            QCOMPARE((*node).op(), old.op());
            QCOMPARE((*node).inputs().size(), old.inputs().size());
            if (old.callable()) QCOMPARE((*node).target(), old.target());
            QVERIFY(!hasText((*node).meta().stackTrace));
            for (const ModuleFrame& frame : (*node).meta().moduleStack) QVERIFY(!hasText(frame.key + frame.type));
            ++node;
        }
        QVERIFY(QString::fromStdString(graphText(made.model->graph)).contains("ab,cb->ac"));
    }

    void modules_keepTheirClasses_settingsAndSharing() {
        const auto model = open();
        const AnonymousModel made = anonymised(*model);
        const Module& root = *made.model->root;
        QStringList types;
        const Module* norm = nullptr;
        TensorPtr weight, tied;
        forEachModule(root, [&](const std::string& path, const Module& module) {
            QVERIFY(!hasText(path + module.qualifiedType()));
            types << QString::fromStdString(module.className);
            if (module.className == "BatchNorm1d") norm = &module;
            if (module.className != "Linear") return;
            (weight ? tied : weight) = module.tensor("weight");
            QCOMPARE(*module.setting<std::int64_t>("in_features"), 2);
        });
        for (const char* type : {"Sequential", "Linear", "GELU", "BatchNorm1d"}) QVERIFY(types.contains(type));
        QCOMPARE(weight, tied);
        QVERIFY(elementValues(*weight) != elementValues(*resolvePath(*model->root, "zq_layers.0.weight").tensor));
        for (const double value : elementValues(*norm->tensor("running_var"))) QCOMPARE(value, 1.0);
        QCOMPARE(root.buffers.size(), model->root->buffers.size());
        const auto index = std::find_if(root.buffers.begin(), root.buffers.end(),
                                        [](const Module::Slot& each) { return each.tensor->dtype == DType::Int64; });
        QVERIFY(index != root.buffers.end());
        for (const double value : elementValues(*index->tensor)) {
            QVERIFY(value >= 0);
            QVERIFY(value <= 5);
        }
    }

    void survivors_areFound() {
        const auto model = open();
        const AnonymousModel made = anonymised(*model);
        saveDescription(*made.model, file("out.json"), true);
        std::vector<std::string> skipped;
        QCOMPARE(anonymise::survivingTexts(file("out.json"), made.names, skipped), std::vector<std::string>());
        saveDescription(*model, file("same.json"), true);
        const auto left = anonymise::survivingTexts(file("same.json"), made.names, skipped);
        for (const char* name : {"zq_in", "zq_layers", "zq_norm", "zq_out", "zq_index"})
            QVERIFY2(std::find(left.begin(), left.end(), name) != left.end(), name);
    }

    void table_isOneToOne() {
        const AnonymousModel made = anonymised(*open());
        QSet<QString> old, current;
        for (const auto& [before, after] : made.names.table()) {
            old << QString::fromStdString(before), current << QString::fromStdString(after);
            QVERIFY(!hasText(after));
        }
        QCOMPARE(old.size(), current.size());
        QVERIFY(old.contains("zq_layers"));
    }
};

QTEST_GUILESS_MAIN(TestAnonymise)
#include "tst_anonymise.moc"

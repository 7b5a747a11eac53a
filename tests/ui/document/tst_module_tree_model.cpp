// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/module_tree_model.h"
#include "ui/document/node_facts.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestModuleTreeModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tree_smallNet_typesAndCounts() {
        ModuleTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModule(testing::smallNet());
        const QModelIndex root = model.index(0, 0);
        QCOMPARE(root.data().toString(), QStringLiteral("SmallNet"));
        QCOMPARE(root.data(ModuleTreeModel::DetailRole).toString(), QStringLiteral("4"));
        const QModelIndex conv = model.indexOf(QStringLiteral("first.conv"));
        QCOMPARE(conv.data().toString(), QStringLiteral("conv"));
        QCOMPARE(conv.data(ModuleTreeModel::DetailRole).toString(), QStringLiteral("Conv2d"));
        QCOMPARE(conv.parent().data(ModuleTreeModel::TypeRole).toString(), QStringLiteral("Block"));
        QCOMPARE(ModuleTreeModel::pathOf(conv), QStringLiteral("first.conv"));
    }

    /// As modules of torch.utils.mkldnn have them.
    void tree_weightsAsBuffers_areCounted() {
        auto net = testing::smallNet();
        auto block = std::make_shared<fx::Module>();
        block->className = "Block";
        auto packed = std::make_shared<fx::Module>();
        packed->className = "MkldnnLinear";
        auto weight = std::make_shared<fx::TensorRef>();
        weight->dtype = fx::DType::Float32;
        weight->sizes = {100, 20};
        weight->strides = {20, 1};
        packed->buffers.push_back({"weight", weight});
        packed->buffers.push_back({"tied", weight});
        block->children.push_back({"packed", packed});
        net->root->children.push_back({"block", block});
        ModuleTreeModel model;
        model.setModule(net);
        const QModelIndex row = model.indexOf(QStringLiteral("block"));
        const QString count = countText(2000);
        QCOMPARE(row.data(ModuleTreeModel::DetailRole).toString(), QStringLiteral("%1 in buffers").arg(count));
        QVERIFY(row.data(Qt::ToolTipRole).toString().contains(byteText(8000)));
        const QModelIndex root = model.index(0, 0); // the row is narrow; its tool tip has both
        QCOMPARE(root.data(ModuleTreeModel::DetailRole).toString(), QStringLiteral("%1 in buffers").arg(count));
        QVERIFY(root.data(Qt::ToolTipRole).toString().contains(QStringLiteral("4 parameters")));
    }

    void tree_sharedModule_childrenAtFirstPlaceOnly() {
        ModuleTreeModel model;
        model.setModule(testing::smallNet());
        const QModelIndex again = model.indexOf(QStringLiteral("again"));
        QCOMPARE(model.rowCount(again), 0);
        QCOMPARE(again.data(ModuleTreeModel::DetailRole).toString(), QStringLiteral("shared with first"));
    }

    void tree_moduleInsideItself_isFinite() {
        auto net = testing::smallNet();
        net->root->children.push_back({"self", net->root});
        ModuleTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModule(net);
        QCOMPARE(model.rowCount(model.index(0, 0)), 3);
        net->root->children.clear(); // the cycle would keep itself alive
    }

    /// Their weights are packed, so that only settings tell them apart.
    void tree_quantisedLayersOfOtherSizes_areNotAlike() {
        auto net = testing::smallNet();
        const auto linear = [&net](const char* name, std::int64_t out) {
            const auto layer = std::make_shared<fx::Module>(), packed = std::make_shared<fx::Module>();
            layer->classModule = "torch.ao.nn.quantized.modules.linear", layer->className = "Linear";
            layer->attributes = {{"in_features", fx::Argument(std::int64_t{4})}, {"out_features", fx::Argument(out)}};
            packed->classModule = layer->classModule, packed->className = "LinearPackedParams";
            layer->children.push_back({"_packed_params", packed});
            net->root->children.push_back({name, layer});
        };
        linear("q0", 4), linear("q1", 3), linear("q2", 4);
        ModuleTreeModel model;
        model.setModule(net);
        const auto detail = [&](const char* path) {
            return model.indexOf(QLatin1String(path)).data(ModuleTreeModel::DetailRole).toString();
        };
        QVERIFY2(!detail("q1").startsWith(QStringLiteral("like")), qPrintable(detail("q1")));
        QCOMPARE(detail("q2"), QStringLiteral("like q0"));
    }

    void tree_equalBlocks_saySo() {
        ModuleTreeModel model;
        model.setModule(testing::chain(10));
        QCOMPARE(model.indexOf(QStringLiteral("blocks.0")).data(ModuleTreeModel::DetailRole).toString(), QString());
        QCOMPARE(model.indexOf(QStringLiteral("blocks.3")).data(ModuleTreeModel::DetailRole).toString(),
                 QStringLiteral("like 0"));
    }

    /// As after an edit of the graph alone: views keep what is open, and large trees are not counted again.
    void tree_ofAnotherVersionWithTheSameModules_isNotReset() {
        const auto net = testing::chain(10);
        ModuleTreeModel model;
        model.setModule(net);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        const QPersistentModelIndex row = model.indexOf(QStringLiteral("blocks.3"));
        auto edited = std::make_shared<fx::GraphModule>(*net);
        edited->graph.rename(edited->graph.find("relu"), "activation");
        model.setModule(edited);
        QCOMPARE(resets.count(), 0);
        QVERIFY(row.isValid());
        auto renamed = std::make_shared<fx::GraphModule>(*net);
        renamed->className = "Other";
        model.setModule(renamed);
        QCOMPARE(resets.count(), 1);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("Other"));
    }

    void filter_text_keepsAncestors() {
        ModuleTreeModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setModule(testing::chain(10));
        model.setFilter(QStringLiteral("2.LIN"));
        const QModelIndex blocks = model.index(0, 0, model.index(0, 0));
        QCOMPARE(model.rowCount(blocks), 1);
        QCOMPARE(model.index(0, 0, blocks).data().toString(), QStringLiteral("2"));
        QVERIFY(!model.indexOf(QStringLiteral("blocks.1")).isValid());
        model.setFilter({});
        QCOMPARE(model.rowCount(model.indexOf(QStringLiteral("blocks"))), 4);
    }

    void countText_numbers_threeDigits() {
        QCOMPARE(countText(512), QStringLiteral("512"));
        QCOMPARE(countText(11'689'512), QStringLiteral("11.7\u00a0M"));
        QCOMPARE(countText(2'400), QStringLiteral("2.4\u00a0k"));
        QCOMPARE(countText(999'999), QStringLiteral("1.0\u00a0M"));
        QCOMPARE(byteText(46'758'048), QStringLiteral("46.8\u00a0MB"));
    }
};

QTEST_GUILESS_MAIN(TestModuleTreeModel)
#include "tst_module_tree_model.moc"

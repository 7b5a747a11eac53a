// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/python/tracing/source_trace.h"
#include "ui/code/code_view.h"
#include "ui/source/source_map.h"
#include "ui/source/source_viewer.h"

#include <QComboBox>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {
const std::string kNet = "import torch\nfrom torch import nn\nclass Block(nn.Module):\n    def forward(self, x):\n"
                         "        return torch.relu(x)\nclass Net(nn.Module):\n    def __init__(self):\n"
                         "        super().__init__()\n        self.a = Block()\n    def forward(self, x):\n"
                         "        y = self.a(x)\n        return self.a(y) + 1\n";
QByteArray bytes(const std::string& text) { return QByteArray::fromStdString(text); }
} // namespace

/// Lines of sources and the nodes that come from them.
class TestSourceMap : public QObject {
    Q_OBJECT

    static std::shared_ptr<const fx::GraphModule> net(const char* path) {
        return fx::traceSource(path, kNet, {}, {}).module;
    }

private Q_SLOTS:
    void nodesKnowTheirLines_andLinesTheirNodes() {
        const auto model = net("/nowhere/net.py");
        const auto map = SourceMap::of(model->graph);
        QCOMPARE(map->files.size(), std::size_t(1));
        const int file = map->file(QStringLiteral("/nowhere/net.py"));
        const auto node = [&](const char* name) { return model->graph.find(name); };
        QCOMPARE(map->lineOf(node("relu_1"), file), 4);
        QCOMPARE(map->nodesAt(file, 4), (std::vector{node("relu"), node("relu_1")}));
        QCOMPARE(map->nodesAt(file, 10), std::vector{node("relu")}); // the call of the module
        QCOMPARE(map->nodesAt(file, 11), (std::vector{node("relu_1"), node("add"), node("output")}));
        QVERIFY(map->nodesAt(file, 0).empty());
        QVERIFY(map->nodesAt(-1, 4).empty());
    }

    void textFits_onlyIfItsLinesAreThose() {
        const auto map = SourceMap::of(net("/nowhere/net.py")->graph);
        QVERIFY(map->fits(0, bytes(kNet)));
        QVERIFY(!map->fits(0, "\n" + bytes(kNet)));
        QVERIFY(!map->fits(0, {}));
        QCOMPARE(map->knownText(0).split('\n')[4].trimmed(), QByteArray("return torch.relu(x)"));
    }

    void anyTrace_isRead() {
        fx::Graph graph;
        const auto meta = [&](const char* trace) {
            auto made = std::make_shared<fx::NodeMeta>();
            made->stackTrace = trace;
            graph.setMeta(graph.placeholder("x"), std::move(made));
        };
        for (const char* trace : {"File \"", "File \"a\", line ", "File \"a\", line 99999999999", "File \"a\", line -1",
                                  "File \"b.py\", line 3", "nothing", "File \"b.py\", line 3, in f\n\n"})
            meta(trace);
        const auto map = SourceMap::of(graph);
        QCOMPARE(map->nodesAt(map->file(QStringLiteral("b.py")), 2).size(), std::size_t(2));
    }

    void generatedCode_comesAfterFiles() {
        fx::Graph graph;
        for (const char* trace :
             {"File \"<eval_with_key>.1\", line 3", "File \"<eval_with_key>.1\", line 4", "File \"b.py\", line 3"}) {
            auto made = std::make_shared<fx::NodeMeta>();
            made->stackTrace = trace;
            graph.setMeta(graph.placeholder("x"), std::move(made));
        }
        const auto map = SourceMap::of(graph);
        QCOMPARE(map->file(QStringLiteral("b.py")), 0);
        QCOMPARE(map->file(QStringLiteral("<eval_with_key>.1")), 1);
    }

    void model_showsItsSource_andLinesSelectNodes() {
        Document document({});
        document.adopt(std::make_shared<fx::GraphModule>(*net("/nowhere/net.py")), QStringLiteral("net"));
        SourceViewer viewer(document);
        viewer.resize(500, 400);
        viewer.show();
        QTRY_COMPARE(viewer.files()->count(), 1);
        QTRY_VERIFY(viewer.view()->bytes().contains("return torch.relu(x)"));
        QVERIFY(viewer.about().contains(QLatin1String("Only the lines that nodes come from")));
        Q_EMIT viewer.view()->linesPicked({4});
        QCOMPARE(document.selection().nodes().size(), std::size_t(2));
        document.selection().select({document.module()->graph.find("add")}, nullptr);
        QCOMPARE(viewer.view()->markersAtLine(11) & 2u, 2u);
        QCOMPARE(viewer.view()->markersAtLine(4) & 2u, 0u);
    }

    /// A model that names any file of the user, but knows no line of it, does not get it shown.
    void fileOfTheUser_isShownOnlyForLinesThatAreKnown() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write("# mine\nx = secret\n") > 0);
        file.close();
        const auto shown = [&](const QByteArray& line) {
            auto model = std::make_shared<fx::GraphModule>();
            auto meta = std::make_shared<fx::NodeMeta>();
            meta->stackTrace = "File \"" + path.toStdString() + "\", line 2, in f\n" + line.toStdString();
            model->graph.setMeta(model->graph.placeholder("x"), std::move(meta));
            Document document({});
            document.adopt(model, QStringLiteral("net"));
            SourceViewer viewer(document);
            viewer.show();
            if (!QTest::qWaitFor([&] { return !viewer.about().isEmpty() && viewer.files()->count() == 1; }))
                return false;
            return QTest::qWaitFor([&] { return viewer.view()->bytes().contains("# mine"); }, 1000);
        };
        QVERIFY(shown("    x = secret"));
        for (const char* line : {"", "    ", "    x = other"}) QVERIFY(!shown(line));
    }

    void modelWithoutSource_saysSo() {
        Document document({});
        document.adopt(fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), QStringLiteral("net"));
        SourceViewer viewer(document);
        QVERIFY(viewer.about().contains(QLatin1String("does not say")));
    }
};

QTEST_MAIN(TestSourceMap)
#include "tst_source_map.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/html_parts.h"
#include "ui/inspector/inspector_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>

using namespace ui;

class TestInspectorPanel : public QObject {
    Q_OBJECT

    /// The anchors of the page by their text.
    static QHash<QString, QString> links(const QTextDocument& page) {
        QHash<QString, QString> found;
        for (QTextBlock block = page.begin(); block.isValid(); block = block.next())
            for (auto part = block.begin(); !part.atEnd(); ++part)
                if (part.fragment().charFormat().isAnchor())
                    found[part.fragment().text()] = part.fragment().charFormat().anchorHref();
        return found;
    }

private Q_SLOTS:
    void select_node_everythingOfIt() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        const fx::Graph& graph = document.module()->graph;
        document.selection().select({graph.find("relu")}, nullptr);
        const QString text = panel.toPlainText();
        for (const char* part :
             {"relu", "call_function", "torch.relu", "torch.float32", "1×64×56", "line 7, in forward"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), part);
        const auto anchors = links(*panel.document());
        QCOMPARE(anchors.value(QStringLiteral("first_conv")),
                 QStringLiteral("node:%1").arg(fx::index(graph.find("first_conv"))));
        QVERIFY(anchors.contains(QStringLiteral("view")));
    }

    void model_savedElsewhere_hasTheSizeOfThatFile() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("saved.pt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(QByteArray(3 << 20, 'x')), qint64{3 << 20});
        file.close();
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        // A QTextDocument has spaces for those that do not break.
        const QString size =
            byteText(3 << 20).replace(QChar::Nbsp, QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' '));
        QVERIFY(!panel.toPlainText().contains(size));
        document.setSaved(document.module(), file.fileName());
        const auto shows = [&](const QString& text) {
            return panel.toPlainText().replace(QChar(0x202f), QLatin1Char(' ')).contains(text);
        };
        QVERIFY2(shows(size), qPrintable(panel.toPlainText()));
        // Another program writes it: what was read or written is what the document knows.
        document.file().setOnDisk(fx::ModelIdentity::of(file.fileName().toStdString()));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append));
        file.write(QByteArray(2 << 20, 'x'));
        file.close();
        Q_EMIT document.diskChanged();
        QVERIFY2(shows(size), qPrintable(panel.toPlainText()));
    }

    void model_savedAsAnotherFormat_hasThatFormat() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        for (const char* format : {"ir", "lancet", "folder"}) {
            const QString ending = format == QLatin1String("ir")       ? QStringLiteral(".json")
                                   : format == QLatin1String("folder") ? QStringLiteral("/")
                                                                       : QStringLiteral(".lancet");
            document.setSaved(document.module(), QStringLiteral("/nowhere/net") + ending);
            const QString text = panel.toPlainText();
            const QRegularExpression row(QStringLiteral("format\\s+%1\\b").arg(QLatin1String(format)));
            QVERIFY2(row.match(text).hasMatch(), qPrintable(text));
        }
    }

    void select_textLikeHtml_staysText() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        document.selection().select({document.module()->graph.find("view")}, nullptr);
        QVERIFY(panel.toPlainText().contains(QStringLiteral("'<i>text</i>'")));
        document.selection().select({document.module()->graph.find("relu")}, nullptr);
        QVERIFY(panel.toPlainText().contains(QStringLiteral("torch.relu(x) <b>")));
    }

    void click_link_goesToNode() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        const fx::Graph& graph = document.module()->graph;
        document.selection().select({graph.find("relu")}, nullptr);
        Q_EMIT panel.anchorClicked(QUrl(links(*panel.document()).value(QStringLiteral("view"))));
        QCOMPARE(document.selection().nodes(), std::vector<fx::NodeId>{graph.find("view")});
    }

    void select_moduleNode_settingsTensorsStatistics() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.resize(320, 600);
        panel.setDocument(&document);
        document.selection().select({document.module()->graph.find("first_conv")}, nullptr);
        QVERIFY(panel.toPlainText().remove(kBreak).contains(QStringLiteral("torch.nn.modules.conv.Conv2d")));
        panel.selectAll();
        panel.copy();
        QVERIFY(
            QGuiApplication::clipboard()->text().contains(QStringLiteral("torch.nn.modules.conv.Conv2d"))); // as it is
        QVERIFY(panel.toPlainText().contains(QStringLiteral("stride")));
        QVERIFY(panel.toPlainText().contains(QStringLiteral("2×1×1×2")));
        QTRY_VERIFY(panel.toPlainText().contains(QStringLiteral("1 (25.0 %)"))); // zeros
        QVERIFY(panel.toPlainText().contains(QStringLiteral("0.5")));            // mean
        QVERIFY(panel.toPlainText().contains(QStringLiteral("1.29099")));        // std
    }

    void select_several_summary() {
        Document document({});
        document.adopt(testing::chain(30), QStringLiteral("chain"));
        InspectorPanel panel;
        panel.setDocument(&document);
        document.selection().select({document.module()->graph.find("relu"), document.module()->graph.find("relu_1")},
                                    nullptr);
        const QString text = panel.toPlainText();
        QVERIFY(text.contains(QStringLiteral("2 nodes")));
        QVERIFY(text.contains(QStringLiteral("torch.relu")));
        QVERIFY(text.contains(QStringLiteral("Fed by: 2")));
        QVERIFY(text.contains(QStringLiteral("Used by: 2")));
    }

    void select_nothing_model() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        QTRY_VERIFY(document.facts().info());
        QVERIFY(panel.toPlainText().contains(QStringLiteral("SmallNet")));
        QVERIFY(panel.toPlainText().contains(QStringLiteral("4 in 1 tensor,")));
        panel.setDocument(nullptr);
        QCOMPARE(panel.toPlainText().trimmed(), QString());
    }

    void longNames_breakBehindDots() {
        QCOMPARE(withBreaks(QStringLiteral("<a href='node:layer1.conv1.weight.data'>short_name</a> is short")),
                 QStringLiteral("<a href='node:layer1.conv1.weight.data'>short_name</a> is short"));
        QCOMPARE(withBreaks(QStringLiteral("<td>torch.nn.modules.conv.Conv2d</td>")).count(kBreak), 4);
        QCOMPARE(withBreaks(QStringLiteral("x a_very_long_name_of_a_node.")).count(kBreak), 6);
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        InspectorPanel panel;
        panel.resize(330, 400); // as in a window of 1280 px
        panel.setDocument(&document);
        document.selection().select({document.module()->graph.find("first_conv")}, nullptr);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        for (QTextBlock block = panel.document()->begin(); block.isValid(); block = block.next())
            for (int i = 0; i + 1 < block.layout()->lineCount(); ++i) {
                const QTextLine line = block.layout()->lineAt(i);
                const QString text = block.text().mid(line.textStart(), line.textLength());
                QVERIFY2(text.endsWith(kBreak) || text.back().isSpace(), qPrintable(text));
            }
        for (const int width : {330, 460, 300}) { // histograms fit, too
            panel.resize(width, 300);
            QTRY_VERIFY(panel.verticalScrollBar()->isVisible());
            QVERIFY(!panel.horizontalScrollBar()->isVisible());
        }
    }

    void calls_longNamesWrap_countsDoNot() {
        auto net = std::make_shared<fx::GraphModule>();
        fx::NodeId x = net->graph.placeholder("x");
        for (int i = 0; i < 13; ++i)
            x = net->graph.createNode(fx::Op::CallMethod, "scaled_dot_product_attention_of_flash_for_cpu_default",
                                      {x, x});
        net->graph.output(x);
        Document document({});
        document.adopt(net, QStringLiteral("attention"));
        InspectorPanel panel;
        panel.resize(300, 400);
        panel.setDocument(&document);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTRY_VERIFY(panel.toPlainText().contains(QStringLiteral("scaled")));
        int counts = 0;
        for (QTextBlock block = panel.document()->begin(); block.isValid(); block = block.next()) {
            if (block.text() != QStringLiteral("13")) continue;
            QCOMPARE(block.layout()->lineCount(), 1);
            ++counts;
        }
        QCOMPARE(counts, 2); // of the kind of node, too
        QVERIFY(!panel.horizontalScrollBar()->isVisible());
    }

    void moduleStack_pathAboveItsClass_counted() {
        auto net = testing::smallNet();
        auto meta = std::make_shared<fx::NodeMeta>();
        meta->moduleStack = {{"L__self__", "", "net.Net"}, {"L__self___first", "first", "net.Block"}};
        const fx::NodeId view = net->graph.find("view");
        net->graph.setMeta(view, meta);
        Document document({});
        document.adopt(net, QStringLiteral("small"));
        InspectorPanel panel;
        panel.setDocument(&document);
        document.selection().select({view}, nullptr);
        const QString text = panel.toPlainText().replace(QChar::LineSeparator, u'\n');
        QVERIFY2(text.contains(QStringLiteral("Module stack: 2")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("(root)\nnet.Net\nfirst\nnet.Block")), qPrintable(text));
    }

    void histogram_values_barsInAccent() {
        fx::TensorStatistics values;
        values.finite = values.count = 10;
        values.histogram[0] = 10;
        const QImage image = histogramImage(values, 128, 56, 2);
        QCOMPARE(image.size(), QSize(256, 112));
        QVERIFY(image.pixelColor(1, 100) != image.pixelColor(200, 100));
    }
};

QTEST_MAIN(TestInspectorPanel)
#include "tst_inspector_panel.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/timing/operator_profile.h"
#include "tests/ui/partition/partition_fixture.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/partition/partition_panel.h"
#include "ui/partition/partition_table_model.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/legend.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QFile>
#include <QMenu>
#include <QTest>
#include <QTimer>

using namespace ui;

/// Support rules, the partitions that follow from them, and their explanations.
class TestPartitionPanel : public PartitionFixture {
    Q_OBJECT

    GraphCanvas& canvas() const { return m_window->currentPage()->canvas(); }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void nothingTicked_saysWhatToDo() {
        open(sample("resnet.pt"));
        QVERIFY(shows(QStringLiteral("No operator is supported yet")));
        QVERIFY(shows(QStringLiteral("Tick the operators")));
        for (const QString& name : {QStringLiteral("Fuse"), QStringLiteral("Split")}) {
            QVERIFY(!button(name)->isEnabled());
            QVERIFY(!button(name)->toolTip().isEmpty());
        }
        QVERIFY(!panel().colours());
    }

    void ticks_areRememberedByTheWindow() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        m_window->close();
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
        open(sample("simple_net.pt"));
        QTRY_COMPARE(count(), 1u);
    }

    void ticks_belongToTheirDocument() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        panel().setFlags(1);
        document().selection().select({node("max_pool2d")}, nullptr);
        panel().markSelection(Support::Unsupported);
        QTRY_COMPARE(count(), 2u);
        // A file that is opened later has no ticks and no colours.
        open(sample("resnet.pt"));
        QVERIFY(panel().draft().isEmpty());
        QVERIFY(panel().flags() == 0);
        QVERIFY(testing::settle());
        QVERIFY(!panel().colours());
        QVERIFY(shows(QStringLiteral("No operator is supported yet")));
        // They go with the tab, as do moves.
        m_window->openFile(sample("simple_net.pt"));
        QTRY_COMPARE(count(), 2u);
        QCOMPARE(panel().flags(), 1);
        QCOMPARE(panel().draft().ofNode("max_pool2d"), Support::Unsupported);
        document().selection().select({node("max_pool2d")}, nullptr);
        QVERIFY(panel().moveSelection(0));
        QTRY_VERIFY(shows(QStringLiteral("1 manual move")));
        m_window->openFile(sample("resnet.pt"));
        QVERIFY(!shows(QStringLiteral("manual move")));
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(shows(QStringLiteral("1 manual move")));
    }

    void ticks_areKeptInTheProject() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        const QString project = m_folder.filePath(QStringLiteral("kept.lancet"));
        m_window->saveTo(project);
        QTRY_VERIFY(QFile::exists(project) && !document().operations().isWriting());
        m_settings->setViewOf(project, {}); // not by its path
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
        open(project);
        QTRY_COMPARE(count(), 1u);
    }

    void halfTick_onlyWhereRulesDisagree() {
        open(sample("resnet.pt"));
        const auto stateOf = [this](const QString& title) {
            return static_cast<Qt::CheckState>(row(title).data(Qt::CheckStateRole).toInt());
        };
        SupportDraft draft;
        draft.setBase(R"({"supported": [{"op": "call_module"}]})", QStringLiteral("modules.json"));
        panel().setDraft(draft);
        QTRY_COMPARE(stateOf(QStringLiteral("Conv2d")), Qt::Checked); // the rules say yes
        QCOMPARE(stateOf(QStringLiteral("operator.add")), Qt::Unchecked);
        tick(QStringLiteral("operator.add")); // and somebody else
        QTRY_COMPARE(stateOf(QStringLiteral("operator.add")), Qt::Checked);
        tick(QStringLiteral("operator.add"));
        QTRY_COMPARE(stateOf(QStringLiteral("operator.add")), Qt::Unchecked);
        // Marks tell the nodes of one operator apart.
        document().selection().select({node("conv1")}, nullptr);
        panel().markSelection(Support::Unsupported);
        QTRY_COMPARE(stateOf(QStringLiteral("Conv2d")), Qt::PartiallyChecked);
        QCOMPARE(stateOf(QStringLiteral("BatchNorm2d")), Qt::Checked);
    }

    void partition_chosen_isRevealed() {
        open(sample("resnet.pt"));
        document().picture().collapseAll();
        tick(QStringLiteral("Linear"));
        panel().setFlags(1);
        QTRY_COMPARE(count(), 1u);
        tick(QStringLiteral("Conv2d"));
        QTRY_VERIFY(count() > 3);
        const auto& conv = panel().outcome().report.partitions[2].nodes;
        QTRY_VERIFY(!document().picture().shows(conv.front()));
        table().selectRow(2);
        QTRY_VERIFY(document().picture().shows(conv.front())); // its groups are open
        const auto isSeen = [&](fx::NodeId id) {
            return QRectF(canvas().rect()).contains(canvas().nodeRect(id).center());
        };
        QTRY_VERIFY(isSeen(conv.front()));
        // What is seen already moves nothing.
        QVERIFY(testing::settle());
        const Camera before = canvas().camera();
        table().clearSelection();
        table().selectRow(2);
        QVERIFY(testing::settle());
        QCOMPARE(canvas().camera().origin, before.origin);
    }

    void tick_clicked_partitionsAndColours() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        QVERIFY(panel().colours());
        QVERIFY(panel().styleOf(node("conv")));
        QVERIFY(panel().styleOf(node("conv"))->region);
        tick(tree().model()->index(0, 0, tree().model()->index(0, 0)).data().toString()); // the most frequent kind of
                                                                                          // module
        QTRY_VERIFY(!panel().outcome().report.unassigned.empty());
        QCOMPARE(table().model()->rowCount(), static_cast<int>(count()));
        QVERIFY(!shows(QStringLiteral("rules support no node")));
    }

    void rulesFile_malformed_saysWhereAndKeepsTheRules() {
        open(sample("simple_net.pt"));
        QFile good(m_folder.filePath(QStringLiteral("good.json"))), bad(m_folder.filePath(QStringLiteral("bad.json"))),
            odd(m_folder.filePath(QStringLiteral("odd.json")));
        QVERIFY(good.open(QIODevice::WriteOnly));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        QVERIFY(odd.open(QIODevice::WriteOnly));
        good.write("{\"unsupported\": [{\"name\": \"max_pool2d\"}, {\"target\": \"no.such\"}]}"), good.close();
        bad.write("{\"supported\": [\n  {\"target\": }]}"), bad.close();
        odd.write("{\"supported\": [{\"target\": \"no.such\"}]}"), odd.close();
        QVERIFY(panel().loadRules(good.fileName()));
        QTRY_VERIFY(panel().outcome().refusal(node("max_pool2d")));
        QTRY_VERIFY(shows(QStringLiteral("names no node"))); // a rule that names nothing is said
        const QByteArray rules = panel().draft().rules();
        QVERIFY(!panel().loadRules(bad.fileName()));
        QVERIFY(shows(QStringLiteral("bad.json, line 2, column")));
        QCOMPARE(panel().draft().rules(), rules);
        QVERIFY(panel().loadRules(odd.fileName()));
        QTRY_VERIFY(shows(QStringLiteral("The rules support no node in this model")));
        QVERIFY(panel().saveRules(m_folder.filePath(QStringLiteral("saved.json"))));
        QVERIFY(panel().loadRules(m_folder.filePath(QStringLiteral("saved.json"))));
    }

    void border_ofAPartition_isListed() {
        makeTwo();
        const int partition = panel().outcome().partition(node("conv"));
        table().selectRow(partition);
        QTRY_VERIFY(shows(QStringLiteral("Values that cross the border of partition %1").arg(partition)));
        QVERIFY(shows(QStringLiteral(">x</a>")));
        QVERIFY(shows(QStringLiteral("input")));
        QVERIFY(shows(QStringLiteral("to outside")));
    }

    void timed_showsTimes_andForgetsThemWithThePartitions() {
        makeTwo();
        std::function<void(const fx::remote::PartitionTimes&)> done;
        int cancelled = 0;
        PartitionTimer timer;
        timer.missing = [] { return QString(); };
        timer.partitions = [&](auto&, auto, const auto& partitions, auto then, auto, auto) {
            [&] { QCOMPARE(partitions.size(), 2u); }();
            done = then;
            return [&] { ++cancelled; };
        };
        panel().setTimer(timer);
        QVERIFY(table().isColumnHidden(PartitionTableModel::Time));
        QTest::mouseClick(button(QStringLiteral("Time")), Qt::LeftButton);
        QVERIFY(done);
        QVERIFY(button(QStringLiteral("Stop")));
        fx::remote::PartitionTimes times;
        times.aloneMs = {1.5, 2.5}, times.nodesMs = {1.25, 2.25}, times.betweenMs = 1, times.wholeMs = 4.5,
        times.splitMs = 5;
        times.ratio.ratio = 1.11, times.ratio.verdict = fx::timing::Verdict::Slower, times.ratio.ci95 = {1.05, 1.15};
        done(times);
        QVERIFY(!table().isColumnHidden(PartitionTableModel::Time));
        QVERIFY(table().model()->index(0, PartitionTableModel::Time).data().toString().contains(QStringLiteral("1.5")));
        for (int column = 0; column < table().model()->columnCount(); ++column) { // nothing is cut
            const int text =
                table().fontMetrics().horizontalAdvance(table().model()->index(0, column).data().toString());
            QVERIFY2(table().isColumnHidden(column) || table().columnWidth(column) >= text + 12,
                     qPrintable(table().model()->headerData(column, Qt::Horizontal).toString()));
        }
        QVERIFY(shows(QStringLiteral("crossing costs 500\u00a0µs (95\u00a0% interval 225\u00a0µs to 675\u00a0µs)")));
        // What does not add up is not told exactly, and noise is no "nothing".
        times.betweenMs = 4;
        done(times);
        QVERIFY(!shows(QStringLiteral("crossing costs 500")));
        QVERIFY(shows(QStringLiteral("is uncertain (95\u00a0% interval 225\u00a0µs to 675\u00a0µs)")));
        times.ratio.verdict = fx::timing::Verdict::TooNoisy,
        times.ratio.why = fx::Message("timing.noise", {{"share", "2 %"}}), times.otherLoad = 1.5;
        done(times);
        QVERIFY(shows(QStringLiteral("too noisy to measure the cost of crossing")));
        QVERIFY(shows(QStringLiteral("differs from itself by up to 2 %")));
        QVERIFY(shows(QStringLiteral("kept 1.5 CPUs busy")));
        QVERIFY(!shows(QStringLiteral("nothing measurable")));
        // With other inputs they say nothing.
        RunSession& run = *m_window->run().sessionOf(document());
        run.setInputs(run.inputs());
        QVERIFY(table().isColumnHidden(PartitionTableModel::Time));
        QVERIFY(shows(QStringLiteral("timed with other inputs")));
        QVERIFY(!shows(QStringLiteral("crossing")));
        // Other partitions have other times.
        QTest::mouseClick(button(QStringLiteral("Time")), Qt::LeftButton);
        document().selection().select({node("max_pool2d")}, nullptr);
        panel().markSelection(Support::ByRule);
        QTRY_COMPARE(count(), 1u);
        QCOMPARE(cancelled, 1);
        QVERIFY(table().isColumnHidden(PartitionTableModel::Time));
        QVERIFY(button(QStringLiteral("Time")));
    }

    void profile_takenFromTheMenu_rulesAndReasons() {
        qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit());
        open(sample("simple_net.pt"));
        std::function<void()> done;
        std::function<void(const fx::Error&)> failed;
        int cancelled = 0;
        PartitionTimer timer;
        timer.profile = [&](auto&, const std::string& name, auto then, auto otherwise, auto progressed) {
            [&] { QCOMPARE(name, std::string("onednn")); }();
            done = then, failed = otherwise;
            progressed(QStringLiteral("trying relu"), 0.5);
            return [&] { ++cancelled; };
        };
        QAction* action = nullptr;
        for (QAction* each : panel().actions())
            if (each->text() == QStringLiteral("Use oneDNN Profile")) action = each;
        panel().setTimer(PartitionTimer());
        QVERIFY(action);
        QVERIFY(!action->isEnabled());
        QVERIFY(!action->property("why").toString().isEmpty());
        panel().setTimer(timer);
        QVERIFY(action->isEnabled());
        action->trigger();
        QVERIFY(shows(QStringLiteral("trying relu (50\u00a0%)")));
        QVERIFY(!action->isEnabled());
        failed(fx::Error(fx::ErrorKind::Run, fx::Message::received({}, {}, "no worker")));
        QVERIFY(shows(QStringLiteral("no worker. The rules have not changed.")));
        QVERIFY(action->isEnabled());
        // Something else is wanted before it is found.
        action->trigger();
        tickAll();
        QCOMPARE(cancelled, 1);
        action->trigger();
        const fx::timing::OperatorProfile profile{
            "onednn",
            "p",
            "l",
            "v",
            {{"conv2d", {}, {}, {"torch.nn.Conv2d"}, {{"torch.float32", "contiguous", true, "brg"}}},
             {"linear", {}, {}, {"torch.nn.Linear"}, {{"torch.float32", "contiguous", false, "MKL sgemm"}}}}};
        const QString path = QString::fromStdString(fx::timing::profilePath("onednn"));
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(QByteArray::fromStdString(fx::timing::toJson(profile))) > 0);
        file.close();
        done();
        QTRY_COMPARE(panel().draft().baseName(), QStringLiteral("oneDNN"));
        QTRY_VERIFY(count() == 0 &&
                    panel().outcome().refusal(node("linear"))); // explained also when there is no partition
        document().selection().select({node("linear")}, nullptr);
        QTRY_VERIFY(shows(QStringLiteral("onednn does not run linear on this machine: MKL sgemm ran instead")));
        qunsetenv("XDG_CACHE_HOME");
    }

    void bytes_ofShapesThatTheCanvasShows() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        document().shapes().set(nullptr);
        fx::NodeShapes shapes;
        fx::ValueInfo info;
        info.dtype = "torch.float32", info.sizes = {"2", "3"};
        for (const fx::Node& each : document().module()->graph.nodes())
            shapes.nodes.emplace_back(each.name(), std::vector<fx::ValueInfo>{info});
        document().shapes().set(makeShapeNotes(document().module(), shapes, QStringLiteral("x 2×3 float32")));
        QVERIFY(!table().isColumnHidden(PartitionTableModel::BytesIn));
        const QModelIndex in = table().model()->index(0, PartitionTableModel::BytesIn);
        QCOMPARE(in.data().toString().simplified(), QStringLiteral("24 B"));
        QVERIFY(in.data(Qt::ToolTipRole).toString().contains(QStringLiteral("guessed input: x 2×3 float32")));
        table().selectRow(0);
        QTRY_VERIFY(shows(QStringLiteral("Guessed input: x 2×3 float32")));
        QVERIFY(shows(QStringLiteral("24\u00a0B")));
    }

    void groupsThatAreTooSmall_areNotSaidToStandAlone() {
        open(sample("simple_net.pt"));
        panel().setFlags(0);
        for (int kind = 0; kind < tree().model()->rowCount(); ++kind)
            if (tree().model()->index(kind, 0).data().toString() == QStringLiteral("Modules"))
                QVERIFY(tree().model()->setData(tree().model()->index(kind, 0), Qt::Checked,
                                                Qt::CheckStateRole)); // modules count not, for torch.fx
        QTRY_VERIFY(panel().outcome().report.supported > 1);
        QCOMPARE(count(), 0u);
        QVERIFY(shows(QStringLiteral("in groups that are too small")));
        QVERIFY(shows(QStringLiteral("“Allow single nodes”")));
    }

    void operatorsThatDoNotFit_keepTheirEnds() { // of torch.ops.aten.conv2d.default
        QCOMPARE(tree().textElideMode(), Qt::ElideLeft);
    }

    void legendAndExport_showWhatIsSeen() {
        makeTwo();
        const Legend& legend = *m_window->findChild<Legend*>();
        QTRY_COMPARE(legend.colours().entries.size(), std::size_t(3));
        QVERIFY(legend.colours().entries[0].text.startsWith(QStringLiteral("partition 0 · ")));
        const auto exported = [&](const QString& name) {
            const QString path = m_folder.filePath(name);
            m_window->exportFile(path, exportKindOf(path));
            [&] { QTRY_VERIFY(QFile::exists(path)); }();
            return path;
        };
        const QImage coloured(exported(QStringLiteral("coloured.png")));
        QFile svg(exported(QStringLiteral("coloured.svg")));
        QVERIFY(svg.open(QIODevice::ReadOnly));
        const QByteArray text = svg.readAll();
        QVERIFY(text.contains("partition 0 \xC2\xB7 "));
        QVERIFY(text.contains(theme().partition(0).name().toLatin1()));
        QVERIFY(text.contains("unsupported"));
        QVERIFY(QFileInfo(exported(QStringLiteral("coloured.pdf"))).size() > 1000);
        panel().setSeen(false);
        QTRY_VERIFY(legend.colours().empty());
        const QImage plain(exported(QStringLiteral("plain.png")));
        QVERIFY(coloured.height() > plain.height());
        const auto holds = [](const QImage& image, QRgb color) {
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixel(x, y) == color) return true;
            return false;
        };
        const QRgb hull = theme().partition(0).rgb();
        QVERIFY(holds(coloured, hull));
        QVERIFY(!holds(plain, hull));
    }

    void tenThousandNodes_areLive() {
        m_window->openModule(testing::chain(10000), QStringLiteral("chain"));
        QTRY_VERIFY(document().state() == Document::State::Ready);
        m_window->actions().partition->trigger();
        QTRY_VERIFY(tree().model()->rowCount() > 0);
        tickAll();
        QTRY_COMPARE(count(), 1u);
        tick(QStringLiteral("torch.relu"));
        QTRY_VERIFY(panel().outcome().report.supported < 6000);
        double best = panel().outcome().millis; // other processes may be at work: the best of a few
        for (int i = 0; i < 10 && best >= 500 * LANCET_SLOWNESS; ++i)
            best = std::min(best, runPartition(*document().module(), panel().query(), {}).millis);
        QVERIFY2(best < 500 * LANCET_SLOWNESS, qPrintable(QString::number(best)));
    }
};

QTEST_MAIN(TestPartitionPanel)
#include "tst_partition_panel.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/input_spec.h"
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/canvas_bands.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/partition/partition_panel.h"
#include "ui/partition/stages/balance_bar.h"
#include "ui/partition/stages/stages_session.h"
#include "ui/partition/stages/stages_view.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ui;

/// Stages in the window: bands and cuts on the canvas, the balance bar, undo, export.
class TestStages : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    PartitionPanel& panel() const { return *m_window->findChild<PartitionPanel*>(); }
    StagesSession& session() const { return *StagesSession::of(document()); }
    StagesView& view() const { return *panel().findChild<StagesView*>(); }
    BalanceBar& bar() const { return *view().findChild<BalanceBar*>(); }
    QSpinBox& spin() const { return *view().findChild<QSpinBox*>(QStringLiteral("stageCount")); }
    GraphCanvas& canvas() const { return m_window->currentPage()->canvas(); }
    bool shows(const QString& text) const {
        for (const QLabel* label : view().findChildren<QLabel*>())
            if (label->isVisibleTo(&view()) && label->text().contains(text)) return true;
        return false;
    }
    QToolButton* tool(const QString& text) const {
        for (QToolButton* each : view().findChildren<QToolButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    void choose(StageMeasure measure) {
        auto* const combo = view().findChild<QComboBox*>(QStringLiteral("stageMeasure"));
        combo->setCurrentIndex(static_cast<int>(measure));
        Q_EMIT combo->activated(static_cast<int>(measure));
    }
    void switchTo(int tab) {
        auto* const mode = panel().findChild<QTabBar*>();
        QTest::mouseClick(mode, Qt::LeftButton, {}, mode->tabRect(tab).center());
    }
    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    /// The Stages page of a file, with this number of stages of equal numbers of calls.
    void open(const QString& file, int stages) {
        m_window->openFile(file);
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        m_window->actions().partition->trigger();
        QTRY_VERIFY(panel().isSeen());
        switchTo(1);
        QTRY_VERIFY(session().plan());
        choose(StageMeasure::Calls);
        spin().setValue(stages);
        QTRY_COMPARE(session().cuts().size(), static_cast<std::size_t>(stages - 1));
        QTRY_VERIFY(panel().stages().bands() && panel().stages().bands()->cuts.size() == session().cuts().size());
    }
    /// All calls with shapes, so that bytes are known.
    void noteShapes() {
        fx::NodeShapes shapes;
        fx::ValueInfo info;
        info.dtype = "torch.float32", info.sizes = {"10", "25"};
        for (const fx::Node& each : document().module()->graph.nodes())
            shapes.nodes.emplace_back(each.name(), std::vector<fx::ValueInfo>{info});
        document().shapes().set(makeShapeNotes(document().module(), shapes, {}));
    }

private Q_SLOTS:
    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 900);
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void bands_saySourceOfTimes_andBytesOfCuts() {
        open(sample("simple_net.pt"), 3);
        noteShapes();
        choose(StageMeasure::Estimated);
        QTRY_VERIFY(session().plan() && session().plan()->line->isTimed());
        const CanvasBands& bands = *panel().stages().bands();
        QCOMPARE(bands.bands.size(), std::size_t(3));
        for (const auto& band : bands.bands)
            QVERIFY(QString::fromStdString(band.title).endsWith(QStringLiteral("(estimated)")));
        QVERIFY(QString::fromStdString(bands.cuts[0].title).contains(QStringLiteral("kB")));
        QVERIFY(bands.cuts[0].place < bands.cuts[1].place);
        QVERIFY(bands.bands[0].color != bands.bands[1].color);
        QVERIFY(bands.bands[0].hatch != bands.bands[1].hatch);
        QVERIFY(shows(QStringLiteral("Times are estimates")));
        QVERIFY(shows(QStringLiteral("is the slowest")));
        QVERIFY(!canvas().cutHandle(0).isEmpty());
        // Only what was measured is called so.
        PartitionTimer timer;
        std::function<void(const fx::NodeTimes&)> done;
        timer.missing = [] { return QString(); };
        timer.nodes = [&](auto&, auto, auto then, auto, auto) {
            done = then;
            return [] {};
        };
        panel().setTimer(timer);
        choose(StageMeasure::Measured);
        QVERIFY(done);
        QVERIFY(
            QString::fromStdString(panel().stages().bands()->bands[0].title).endsWith(QStringLiteral("(estimated)")));
        done({{"conv", 9.0}, {"relu", 1.0}, {"max_pool2d", 1.0}});
        QTRY_VERIFY(session().plan() && session().plan()->isMeasured);
        QVERIFY(
            QString::fromStdString(panel().stages().bands()->bands[0].title).endsWith(QStringLiteral("(measured)")));
        QCOMPARE(session().plan()->line->balance(session().cuts()).largest, std::size_t(0));
        // What was measured with other inputs is not.
        RunSession& run = *m_window->run().sessionOf(*m_window->currentDocument());
        run.setInputs(run.inputs());
        QCOMPARE(session().measure(), StageMeasure::Estimated);
        QTRY_VERIFY(session().plan() && !session().plan()->isMeasured);
    }

    void cut_dragged_movesAndBalancesLive_andIsUndone() {
        open(sample("simple_net.pt"), 2);
        const auto before = session().cuts();
        const QPointF handle = canvas().cutHandle(0).center();
        canvas().fit();
        QVERIFY(testing::settle());
        const QPoint from = canvas().cutHandle(0).center().toPoint();
        const auto& calls = session().plan()->line->calls();
        const QRectF last = canvas().nodeRect(calls.back());
        QVERIFY(!last.isEmpty());
        QVERIFY(handle.y() != 0);
        const QPoint to(from.x(), qRound(last.top()) - 2);
        const QString words = bar().accessibleDescription();
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
        QCOMPARE(session().current(), 0);
        QTest::mouseMove(&canvas(), (from + to) / 2);
        QTest::mouseMove(&canvas(), to);
        QCOMPARE(session().cuts(), fx::StageLine::Cuts{calls.size() - 1});
        QVERIFY(bar().accessibleDescription() != words); // before the button is released
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
        QVERIFY(document().versions().history()->entries().size() == 1); // the model is as it was
        // One drag is one step back, by the key too.
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(session().cuts(), before);
        QVERIFY(tool(QStringLiteral("Redo"))->isEnabled());
        QTest::mouseClick(tool(QStringLiteral("Redo")), Qt::LeftButton);
        QCOMPARE(session().cuts(), fx::StageLine::Cuts{calls.size() - 1});
    }

    void cut_draggedInTheBar_movesLive_andIsUndoneAtOnce() {
        open(sample("simple_net.pt"), 2);
        const auto before = session().cuts();
        const std::size_t calls = session().plan()->line->size();
        const int y = bar().height() / 2;
        const QPoint from(qRound(bar().segmentRect(1).left()) - 1, y);
        QTest::mouseClick(&bar(), Qt::LeftButton, {}, from + QPoint(20, 0));
        QCOMPARE(session().cuts(), before); // a click chooses
        QCOMPARE(session().current(), 0);
        QTest::mousePress(&bar(), Qt::LeftButton, {}, from);
        QTest::mouseMove(&bar(), QPoint(bar().width() / 3, y));
        QTest::mouseMove(&bar(), QPoint(bar().width() - 1, y));
        QCOMPARE(session().cuts(), fx::StageLine::Cuts{calls - 1}); // before the button is released
        QTest::mouseMove(&bar(), QPoint(0, y));
        QCOMPARE(session().cuts(), fx::StageLine::Cuts{1});
        QTest::mouseRelease(&bar(), Qt::LeftButton, {}, QPoint(0, y));
        QTest::mouseMove(&bar(), QPoint(bar().width() / 2, y)); // no drag any more
        QCOMPARE(session().cuts(), fx::StageLine::Cuts{1});
        QTest::keyClick(&bar(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(session().cuts(), before);
    }

    void cut_movesByKeyboard_onCanvasAndBar() {
        open(sample("simple_net.pt"), 3);
        const auto before = session().cuts();
        session().choose(0);
        QTest::keyClick(&canvas(), Qt::Key_Left);
        QCOMPARE(session().cuts()[0], std::max<std::size_t>(before[0] - 1, 1));
        QTest::keyClick(&canvas(), Qt::Key_Escape);
        QCOMPARE(session().current(), -1);
        bar().setFocus();
        QTest::keyClick(&bar(), Qt::Key_Right); // chooses the first
        QCOMPARE(session().current(), 0);
        QTest::keyClick(&bar(), Qt::Key_Down);
        QCOMPARE(session().current(), 1);
        for (int i = 0; i < 100; ++i) QTest::keyClick(&bar(), Qt::Key_Left);
        QCOMPARE(session().cuts()[1], session().cuts()[0] + 1); // each stage keeps a call
        QTest::keyClick(&bar(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(session().cuts()[1], session().cuts()[0] + 2);
    }

    void cutChosenInTheBar_isScrolledTo() {
        open(sample("resnet.pt"), 2);
        canvas().setZoom(2);
        canvas().centerOn({0, 0});
        QVERIFY(!canvas().rect().contains(canvas().cutHandle(0).center().toPoint()));
        const double zoom = canvas().zoom();
        const auto selected = document().selection().nodes();
        QTest::mouseClick(&bar(), Qt::LeftButton);
        QTRY_VERIFY(canvas().rect().contains(canvas().cutHandle(0).center().toPoint()));
        QCOMPARE(canvas().zoom(), zoom);
        QCOMPARE(document().selection().nodes(), selected);
    }

    void bar_isInProportion_andMarksTheSlowest() {
        BalanceBar own(nullptr);
        own.resize(306, 34);
        own.setSegments({{1, QStringLiteral("0")}, {3, QStringLiteral("1")}}, 1, -1);
        QVERIFY(own.segmentRect(1).width() > 2.5 * own.segmentRect(0).width());
        own.setSegments({{0, QStringLiteral("0")}, {3, QStringLiteral("1")}}, 1, -1);
        QVERIFY(own.segmentRect(0).width() > 8); // wide enough for the pointer
        own.grab();
    }

    void bar_narrowSegments_canBeHit_andHaveLabelsThatFit() {
        BalanceBar own(nullptr);
        own.resize(307, 46);
        const QString text = QStringLiteral("12.4 ms");
        own.setSegments({{0.1, text}, {99, text}, {0.9, text}}, 1, -1);
        QCOMPARE(own.labelOf(1), QStringList({QStringLiteral("1 ▲"), text}));
        for (std::size_t i : {0, 2}) {
            QVERIFY(own.labelOf(i).size() < 2); // the number alone or nothing, never a part of the time
            QCOMPARE(own.segmentAt(own.segmentRect(i).center().x()), i);
        }
        QCOMPARE(own.segmentAt(own.segmentRect(0).right() + 1), std::size_t(0)); // in the gap
        QCOMPARE(own.segmentAt(-5), std::size_t(0));
        QCOMPARE(own.segmentAt(1000), std::size_t(2));
        QCOMPARE(own.toolTipOf(0), QStringLiteral("Stage 0: 12.4 ms (0.1 %)"));
        own.setSegments(std::vector<BalanceBar::Segment>(200, {1, text}), 0, -1); // more than there are pixels to read
        QVERIFY(own.labelOf(100).isEmpty());
        QVERIFY(own.segmentRect(100).width() > 0);
        own.setSegments({{1, text},
                         {1, text},
                         {1, text},
                         {4, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text},
                         {1, text}},
                        3, -1); // proportions show where the least width is half of the room
        QVERIFY(own.segmentRect(3).width() > 1.5 * own.segmentRect(2).width());
        own.grab();
    }

    void exported_saysWhere() {
        open(sample("simple_net.pt"), 2);
        session().choose(0);
        session().stepCut(0, 1);
        const fx::NodeId first = session().plan()->line->calls()[session().cuts()[0]];
        const std::string name = document().module()->graph.node(first).name();
        const QString folder = m_folder.filePath(QStringLiteral("stages"));
        QVERIFY(StagesView::filesInTheWay(folder).isEmpty());
        view().exportStages(folder);
        QTRY_VERIFY(shows(QStringLiteral("Saved 2 stages to %1").arg(folder)));
        QVERIFY(shows(QStringLiteral("Open Folder")));
        session().choose(-1); // only looked at
        QVERIFY(shows(QStringLiteral("Saved 2 stages")));
        QVERIFY(QFile::exists(folder + QStringLiteral("/run_pipeline.py")));
        QCOMPARE(StagesView::filesInTheWay(folder).size(), QDir(folder).entryList(QDir::Files).size());
        const fx::Graph second = fx::openModel((folder + QStringLiteral("/stage_1.pt")).toStdString())->graph;
        QVERIFY(second.find(name) != fx::kNoNode);
        QVERIFY(second.node(second.find(name)).op() != fx::Op::Placeholder);
        session().stepCut(0, 1);
        QVERIFY(!shows(QStringLiteral("Saved 2 stages"))); // the files have the stages before
    }

    void exported_modelChanged_isNotSaidAnyMore() {
        open(sample("simple_net.pt"), 2);
        spin().setValue(1); // no cut that an edit could take away
        QTRY_COMPARE(session().cuts().size(), std::size_t(0));
        view().exportStages(m_folder.filePath(QStringLiteral("one")));
        QTRY_VERIFY(shows(QStringLiteral("Saved 1 stage to")));
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), fx::StepList().rename("mul", "other")));
        QVERIFY(!shows(QStringLiteral("Saved 1 stage")));
    }

    void stages_thatNoPipelineCanRun_areSaidBeforeExport() {
        open(sample("transformer.pt2"), 5); // sizes are used by later stages
        QTRY_VERIFY(shows(QStringLiteral("These stages cannot be exported: ")));
        QPushButton* exporter = nullptr;
        for (QPushButton* each : view().findChildren<QPushButton*>())
            if (each->text().startsWith(QStringLiteral("Export"))) exporter = each;
        QVERIFY(exporter);
        QVERIFY(!exporter->isEnabled());
        QVERIFY(!exporter->toolTip().isEmpty());
        spin().setValue(1);
        QTRY_VERIFY(!shows(QStringLiteral("These stages cannot be exported: ")));
    }

    void stages_belongToTheirDocument_andAreKept() {
        open(sample("simple_net.pt"), 3);
        session().stepCut(0, 1);
        session().stepCut(1, 1);
        const auto cuts = session().cuts();
        m_window->openFile(sample("resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready);
        QVERIFY(!panel().showsStages());
        QVERIFY(!panel().stages().bands());
        m_window->close();
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
        m_window->openFile(sample("simple_net.pt"));
        m_window->actions().partition->trigger();
        QTRY_VERIFY(document().state() == Document::State::Ready && session().plan());
        QVERIFY(panel().showsStages());
        QCOMPARE(session().cuts(), cuts);
        // An edit keeps the cuts whose calls it keeps.
        const std::string moved = document().module()->graph.node(session().plan()->line->calls()[cuts[0]]).name();
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), fx::StepList().rename("conv", "other")));
        QTRY_VERIFY(session().plan() && session().cuts() == cuts);
        QVERIFY(document().module()->graph.find(moved) != fx::kNoNode);
        switchTo(0);
        QVERIFY(!panel().stages().bands());
    }

    void undo_ofCuts_survivesAnEdit() {
        open(sample("simple_net.pt"), 3);
        const auto before = session().cuts();
        session().stepCut(0, 1);
        const auto moved = session().cuts();
        QVERIFY(moved != before);
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), fx::StepList().rename("output", "other")));
        QTRY_VERIFY(session().plan() && session().cuts() == moved);
        QVERIFY(session().canUndo());
        session().undo();
        QCOMPARE(session().cuts(), before);
        session().redo();
        QCOMPARE(session().cuts(), moved);
    }

    void cuts_whoseCallsAreReplaced_follow_andUndoBringsThemBack() {
        open(sample("resnet.pt"), 4);
        const fx::GraphModule& model = *document().module();
        const auto callsAt = [&](std::size_t cut) { return session().plan()->line->calls()[session().cuts()[cut]]; };
        const auto first = session().cuts();
        const std::size_t bn = session().plan()->line->placeOf(model.graph.find("layer1_0_bn1"));
        session().moveCut(0, bn + 1); // before a relu that is replaced together with the batch norm before it
        session().endMove();
        const auto cuts = session().cuts();
        const fx::NodeId relu = callsAt(0), second = callsAt(1);
        QCOMPARE(QString::fromStdString(model.graph.node(relu).name()), QStringLiteral("layer1_0_relu"));
        QVERIFY(document().versions().edit(QStringLiteral("Replace"),
                                           R"J([{"step": "replace_pattern", "options": {"only": ["layer1_0_relu"]},
                "pattern": "def pattern(x, a: nn.BatchNorm2d, b: nn.ReLU):\n    return b(a(x))\n",
                "replacement":
                    "def replacement(x, a: nn.BatchNorm2d, b: nn.ReLU):\n    return torch.sigmoid(x)\n"}])J"_steps));
        QVERIFY(document().module()->graph.find("layer1_0_bn1") == fx::kNoNode);
        QTRY_VERIFY(session().plan());
        QCOMPARE(session().cuts().size(), cuts.size());
        QCOMPARE(QString::fromStdString(document().module()->graph.node(callsAt(0)).target()),
                 QStringLiteral("torch.sigmoid"));
        QCOMPARE(callsAt(1), second);
        QVERIFY(session().canUndo()); // moving the cut, not the edit
        document().versions().undo();
        QTRY_VERIFY(session().plan());
        QCOMPARE(session().cuts(), cuts);
        QVERIFY(session().canUndo());
        document().versions().redo();
        QTRY_VERIFY(session().plan());
        session().undo(); // from now on these are the cuts of all versions
        QCOMPARE(session().cuts().size(), cuts.size());
        document().versions().undo();
        QTRY_VERIFY(session().plan());
        QCOMPARE(session().cuts(), first);
    }

    void stage_whoseCallsAreErased_takesACallOfTheNext() {
        open(sample("simple_net.pt"), 3);
        session().choose(0);
        session().stepCut(0, 1);
        const auto count = session().cuts().size();
        const auto& line = *session().plan()->line;
        const auto [begin, end] = line.extent(session().cuts(), 1);
        const fx::Graph& graph = document().module()->graph;
        fx::StepList steps;
        for (std::size_t i = end; i-- > begin;) {
            const fx::Node& call = graph.node(line.calls()[i]);
            steps.erase(call.name(), graph.node(call.inputs().front()).name());
        }
        QVERIFY2(document().versions().edit(QStringLiteral("Erase"), steps), steps.text().c_str());
        QTRY_VERIFY(session().plan());
        QCOMPARE(session().cuts().size(), count);
        QVERIFY(session().plan()->line->isValid(session().cuts()));
    }

    void stage_chosen_isSelected() {
        open(sample("resnet.pt"), 4);
        auto* const table = view().findChild<QTableView*>(QStringLiteral("stages"));
        QCOMPARE(table->model()->rowCount(), 4);
        table->selectRow(2);
        const auto& cuts = session().cuts();
        QCOMPARE(document().selection().nodes().size(), cuts[2] - cuts[1]);
        QTRY_VERIFY(document().picture().shows(session().plan()->line->calls()[cuts[1]]));
    }

    void places_bandsFollowThePicture() {
        open(sample("resnet.pt"), 3);
        for (const bool expanded : {true, false}) {
            expanded ? document().picture().expandAll() : document().picture().collapseAll();
            QTRY_VERIFY(!document().picture().busy());
            QVERIFY(testing::settle());
            const CanvasBands& bands = *panel().stages().bands();
            const fx::Rect& all = canvas().scene().picture().bounds;
            for (const auto& cut : bands.cuts) {
                QVERIFY(cut.place > all.y);
                QVERIFY(cut.place < all.bottom());
            }
            QVERIFY(bands.cuts[0].place < bands.cuts[1].place);
        }
        document().picture().setDirection(fx::Direction::LeftRight);
        QTRY_COMPARE(canvas().scene().picture().direction, fx::Direction::LeftRight);
        const fx::Rect& all = canvas().scene().picture().bounds;
        QVERIFY(panel().stages().bands()->cuts[0].place > all.x);
        QVERIFY(panel().stages().bands()->cuts[1].place < all.right());
        canvas().grab();
    }

    void fiftyThousandNodes_dragFluently() {
        m_window->openModule(testing::chain(50'000), QStringLiteral("chain"));
        QTRY_VERIFY_WITH_TIMEOUT(document().state() == Document::State::Ready && document().picture().scene(),
                                 30'000 * LANCET_SLOWNESS);
        m_window->actions().partition->trigger();
        switchTo(1);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() && panel().stages().bands(), 30'000 * LANCET_SLOWNESS);
        spin().setValue(8);
        QTRY_COMPARE_WITH_TIMEOUT(session().cuts().size(), std::size_t(7), 30'000 * LANCET_SLOWNESS);
        const auto fluent = [&] {
            double best = 1e9; // other processes may be at work: the best of a few
            for (int i = 0; i < 10; ++i) {
                QElapsedTimer clock;
                clock.start();
                session().stepCut(3, i % 2 ? 1 : -1);
                QApplication::processEvents(); // with everything that is drawn again
                best = std::min(best, static_cast<double>(clock.nsecsElapsed()) / 1e6);
            }
            QVERIFY2(best < 50 * LANCET_SLOWNESS, qPrintable(QString::number(best)));
        };
        fluent(); // closed groups
        document().picture().expandAll();
        QTRY_VERIFY_WITH_TIMEOUT(canvas().scene().picture().nodes.size() > 49'000, 30'000 * LANCET_SLOWNESS);
        fluent(); // every node drawn
    }

    void nestedGraph_hasTheShapesOfItsParent() {
        // A split model: its stages are graphs inside.
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        QVERIFY(document().versions().edit(
            QStringLiteral("Split"),
            R"([{"step": "partition", "stages": 2, "balance": "nodes", "split": true}])"_steps));
        QTRY_VERIFY(document().module()->graph.find("submod_1") != fx::kNoNode);
        noteShapes();
        document().selection().select({document().module()->graph.find("submod_1")}, nullptr);
        QTRY_VERIFY(m_window->actions().openNested->isEnabled());
        const QString parent = document().file().title();
        m_window->actions().openNested->trigger();
        QTRY_VERIFY(document().file().title().startsWith(parent + QStringLiteral(" › ")));
        const fx::InputDescription inputs = fx::inputsFromJson(document().projectInputs());
        QVERIFY(!inputs.inputs.empty());
        for (const fx::InputSpec& input : inputs.inputs) QCOMPARE(input.sizes, (std::vector<std::int64_t>{10, 25}));
    }
};

QTEST_MAIN(TestStages)
#include "tst_stages.moc"

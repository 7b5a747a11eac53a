// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/quant/quant_fixture.h"

#include "core/diff/written_check.h"
#include "core/edit/version_marks.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "tests/ui/support/settle.h"
#include "ui/document/panel_views.h"
#include "ui/quant/quant_rows_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabBar>
#include <QToolButton>

using namespace ui;

/// Settings of the panel, and what a run makes.
class TestQuantPanel : public QObject, protected QuantFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void settings_leaveRoomForTheTables() {
        openNet();
        m_panel->resize(344, 470); // beside the canvas of a window of 1280 x 800
        QVERIFY(testing::settle());
        QHash<QString, const QComboBox*> lists;
        for (const QComboBox* each : m_panel->findChildren<QComboBox*>()) lists[each->accessibleName()] = each;
        const auto top = [&](const char* name) { return lists.value(QLatin1String(name))->y(); };
        QCOMPARE(top("Mode"), top("Backend"));
        QCOMPARE(top("Calibration data"), top("Form"));
        const QTableView* layers = tables().table(QuantTables::Layers);
        tables().findChild<QTabBar*>()->setCurrentIndex(QuantTables::Layers);
        QVERIFY(testing::settle());
        QVERIFY2(layers->viewport()->height() >= 4 * layers->verticalHeader()->defaultSectionSize(),
                 qPrintable(QString::number(layers->viewport()->height())));
    }

    void titles_standAsTheCellsBelowThem() {
        QuantRowsModel model({QStringLiteral("Nodes"), QStringLiteral("Rule")});
        model.setRows({{{QStringLiteral("5"), 5}, {QStringLiteral("global")}}});
        for (const int column : {0, 1})
            QCOMPARE(bool(model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight),
                     column == 0);
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("Rule"));
    }

    void noFile_panelSaysWhatToDo() {
        QVERIFY(m_panel->starts()->isHidden());
        QVERIFY(m_panel->emptyText()->text().contains(QStringLiteral("Open a model")));
    }

    void choices_areKeptWithTheDocument() {
        openNet();
        choose(m_panel->backends(), "qnnpack");
        choose(m_panel->modes(), "dynamic");
        choose(m_panel->forms(), "reference");
        m_panel->setDataFile(QStringLiteral("/data/batches.pt"));
        const QuantChoices kept = QuantChoices::fromJson(m_document->panelViews().of(QStringLiteral("quantise")));
        QCOMPARE(kept, session().choices());
        QVERIFY(kept.backend == fx::quant::Backend::Qnnpack);
        QVERIFY(kept.form == QuantChoices::Form::Reference);
        QCOMPARE(QuantChoices::fromJson({}), QuantChoices());
    }

    void randomData_isWarnedOf_onlyWhereItIsUsed() {
        openNet();
        QVERIFY(m_panel->dataWarning()->text().contains(QStringLiteral("random inputs")));
        choose(m_panel->modes(), "dynamic"); // not for ranges, but layers are compared
        QVERIFY(m_panel->dataWarning()->text().contains(QStringLiteral("errors of layers")));
        QVERIFY(m_panel->data()->isEnabled());
        choose(m_panel->modes(), "qat");
        QVERIFY(!m_panel->dataWarning()->text().contains(QStringLiteral("random")));
        QVERIFY(!m_panel->data()->isEnabled());
    }

    void button_staysWhenTheDataChanges() {
        openNet();
        QVERIFY(testing::settle());
        const int top = m_panel->starts()->y();
        m_panel->setDataFile(QStringLiteral("/data/batches.pt"));
        QVERIFY(testing::settle());
        QVERIFY(m_panel->dataWarning()->isHidden());
        QCOMPARE(m_panel->starts()->y(), top);
        choose(m_panel->modes(), "dynamic");
        QVERIFY(testing::settle());
        QCOMPARE(m_panel->starts()->y(), top);
    }

    void weightOnly_withoutEmbeddings_saysSo() {
        openNet();
        choose(m_panel->modes(), "weight-only");
        quantise();
        QCOMPARE(versions(), std::size_t{1});
        QVERIFY2(session().told().contains(QStringLiteral("embeddings")), qPrintable(session().told()));
        QVERIFY(!session().told().contains(QStringLiteral("fused"))); // there is no such version
    }

    void results_goWithTheirVersionAndData() {
        openNet();
        waitForPlan();
        quantise();
        const int layers = rows(QuantTables::Layers);
        QVERIFY(session().measured());
        QVERIFY(layers > 0);
        m_document->versions().undo();
        QVERIFY(!session().measured());
        QCOMPARE(rows(QuantTables::Layers), 0);
        QVERIFY(tables().firstLoss()->text().contains(QStringLiteral("Redo to see them"))); // nothing else has changed
        m_document->versions().redo();
        QCOMPARE(rows(QuantTables::Layers), layers);
        m_panel->setDataFile(QStringLiteral("/data/others.pt"));
        QVERIFY(!session().measured());
        QVERIFY(tables().firstLoss()->text().contains(QStringLiteral("other data")));
        QCOMPARE(rows(QuantTables::Layers), 0);
        m_panel->setDataFile({});
        QCOMPARE(rows(QuantTables::Layers), layers);
    }

    void qat_hasThePreparedFormOnly() {
        openNet();
        choose(m_panel->modes(), "qat");
        QVERIFY(!m_panel->starts()->isEnabled());
        QVERIFY(m_panel->starts()->toolTip().contains(QStringLiteral("prepared")));
        choose(m_panel->forms(), "prepared");
        QVERIFY(m_panel->starts()->isEnabled());
        QVERIFY(!m_panel->data()->isEnabled());
    }

    void forms_areOneChangeEach_undoneAndRepeated_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("type");
        QTest::newRow("prepared") << "static"
                                  << "prepared"
                                  << "Observer";
        QTest::newRow("converted") << "static"
                                   << "converted"
                                   << "quantized";
        QTest::newRow("reference") << "static"
                                   << "reference"
                                   << "reference";
        QTest::newRow("dynamic") << "dynamic"
                                 << "converted"
                                 << "dynamic";
        QTest::newRow("qat") << "qat"
                             << "prepared"
                             << "FakeQuantize";
    }
    void forms_areOneChangeEach_undoneAndRepeated() {
        QFETCH(QString, mode);
        QFETCH(QString, form);
        QFETCH(QString, type);
        openNet();
        const auto before = m_document->module();
        choose(m_panel->modes(), qPrintable(mode));
        choose(m_panel->forms(), qPrintable(form));
        quantise();
        QCOMPARE(versions(), std::size_t{2});
        QVERIFY(calls(qPrintable(type)));
        const QString said = session().told();
        const auto made = m_document->module();
        QCOMPARE(session().madeWith(), QStringLiteral("This version was quantised without a data file."));
        // Recovery and projects repeat the steps without the worker.
        const auto again = fx::History::edited(*before, m_document->versions().history()->entries()[1].steps);
        fx::requireSame(*made, *again, "again");
        QVERIFY(again->format == made->format);
        QVERIFY(again->path == made->path);
        // On another model they would replace it.
        QVERIFY_THROWS_EXCEPTION(fx::Error,
                                 fx::History::edited(*made, m_document->versions().history()->entries()[1].steps));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && m_document->shapes().notes()->version == made,
                                 kPatience);
        if (mode != QLatin1String("qat")) QVERIFY(m_document->shapes().failures().empty());
        m_document->versions().undo();
        QCOMPARE(m_document->module(), before);
        QVERIFY(session().madeWith().isEmpty());
        QVERIFY(session().told().isEmpty()); // it was about the quantised model
        QVERIFY(!said.isEmpty());
        m_document->versions().redo();
        QCOMPARE(m_document->module(), made);
        QCOMPARE(session().told(), said);
    }

    /// After a recovery the panel's own file may be another one.
    void data_ofTheQuantisedVersion_isNamed() {
        openNet();
        QTemporaryDir folder;
        m_panel->setDataFile(batchFile(folder, QStringLiteral("zeros.safetensors"), '\0'));
        quantise();
        const auto& entry = m_document->versions().history()->entries()[1];
        QVERIFY2(QString::fromStdString(entry.name).contains(QStringLiteral("zeros.safetensors")), entry.name.c_str());
        m_panel->setDataFile(QStringLiteral("/data/batches.pt"));
        QCOMPARE(session().madeWith(), QStringLiteral("This version was quantised with zeros.safetensors."));
        const auto labels = m_panel->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [&](const QLabel* each) { return each->text() == session().madeWith(); }));
        QTRY_VERIFY(session().whyNot().contains(QStringLiteral("Undo the quantisation")));
    }

    void project_keepsTheChange() {
        openNet();
        const auto before = m_document->module();
        quantise();
        const auto& entry = m_document->versions().history()->entries()[1];
        fx::Project project;
        project.original = before;
        project.add({entry.name, entry.steps, entry.time});
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("net.lancet")).toStdString();
        QVERIFY(fx::saveProject(project, *entry.model, path, true).verified);
        // Its history leads to the quantised model, with the file that is in the project.
        const auto opened = fx::openModel(path);
        fx::requireSame(*entry.model, *opened, path);
    }

    /// Opened again, a project shows the errors and ranges that were measured before it was saved.
    void project_keepsWhatWasMeasured() {
        openNet();
        quantise();
        QVERIFY(session().measured());
        QVERIFY(session().measured()->errors);
        const auto errors = session().measured()->errors->layers;
        const int layers = rows(QuantTables::Layers), observers = rows(QuantTables::Observers);
        const QString sqnr = cell(QuantTables::Layers, 0, 1), saturated = cell(QuantTables::Observers, 0, 6);
        QVERIFY(layers > 0);
        QVERIFY(observers > 0);
        QVERIFY(!sqnr.isEmpty());
        const auto& entry = m_document->versions().history()->entries()[1];
        fx::Project project;
        project.original = m_document->versions().history()->entries()[0].model;
        project.add({entry.name, entry.steps, entry.time});
        project.view = ViewState{{}, m_document->picture().options(), {}, m_document->panelViews().all()}
                           .toJson(m_document->module()->graph)
                           .toStdString();
        project.inputs = fx::inputsJson(m_center->session()->inputs());
        QVERIFY(!viewsOfFile(m_document->panelViews().all()).contains(QStringLiteral("project.quantiseMeasured")));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.lancet"));
        QVERIFY(fx::saveProject(project, *entry.model, path.toStdString(), true).verified);
        m_center->setDocument(nullptr);
        m_document = std::make_unique<Document>(path);
        m_document->load();
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(session().measured(), kPatience);
        QCOMPARE(session().measured()->errors->layers.size(), errors.size());
        QCOMPARE(session().measured()->errors->layers[0].sqnr(), errors[0].sqnr());
        QTRY_COMPARE(rows(QuantTables::Observers), observers);
        QCOMPARE(rows(QuantTables::Layers), layers);
        QCOMPARE(cell(QuantTables::Layers, 0, 1), sqnr);
        QCOMPARE(cell(QuantTables::Observers, 0, 6), saturated);
        m_document->versions().undo();
        QTRY_VERIFY(session().isMeasuredAfter());
    }

    void exportedProgram_isQuantisedByPt2e() {
        m_document =
            std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2e/residual_only.static.pt2"));
        m_document->load();
        m_center->setDocument(m_document.get());
        QTRY_VERIFY(m_document->state() == Document::State::Ready);
        m_center->session()->setAutomatic(false);
        waitForPlan();
        QVERIFY(!session().plan()->observers.empty());
        QTRY_VERIFY_WITH_TIMEOUT(session().whyNot().isEmpty(), kPatience);
        quantise();
        QVERIFY(!m_document->module()->lifted.empty());
        bool found = false;
        for (const fx::Node& node : m_document->module()->graph.nodes())
            found |= node.target().find("quantized_decomposed") != std::string::npos;
        QVERIFY(found);
        const fx::VersionMarks marks =
            fx::versionMarks(*m_document->versions().history()->entries().front().model, *m_document->module());
        for (const fx::NodeId node : marks.created) // what the program had is not new
            QVERIFY(m_document->versions().history()->entries().front().model->graph.find(
                        m_document->module()->graph.node(node).name()) == fx::kNoNode);
        QTRY_VERIFY_WITH_TIMEOUT(!session().noPlan().isEmpty(), kPatience);
        QVERIFY2(session().noPlan().contains(QStringLiteral("quantised already")), qPrintable(session().noPlan()));
        choose(m_panel->modes(), "weight-only");
        QVERIFY(!session().whyNot().isEmpty());
    }

    void quantisedModel_isRefusedWithAReason() {
        openNet();
        quantise();
        const QString told = session().told();
        QTRY_VERIFY_WITH_TIMEOUT(!m_panel->starts()->isEnabled(), kPatience);
        QVERIFY2(m_panel->starts()->toolTip().contains(QStringLiteral("quantised already")),
                 qPrintable(m_panel->starts()->toolTip()));
        QCOMPARE(session().told(), told); // what the run had to say stays
        int labels = 0;
        for (const QLabel* each : m_panel->findChildren<QLabel*>())
            labels += each->isVisible() && each->text().contains(QStringLiteral("already"));
        QCOMPARE(labels, 1);
        m_document->versions().undo();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->starts()->isEnabled(), kPatience);
    }

    void quantisedFile_isNotWarnedOfRandomData_norAskedToQuantise() {
        openNet();
        quantise();
        const auto copy = std::make_shared<fx::GraphModule>(*m_document->module());
        m_center->setDocument(nullptr);
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(copy, QStringLiteral("net"));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(session().isQuantised(), kPatience);
        QVERIFY(m_panel->dataWarning()->isHidden());
        QVERIFY2(m_panel->starts()->toolTip().contains(QStringLiteral("floating point")),
                 qPrintable(m_panel->starts()->toolTip()));
        QVERIFY2(tables().firstLoss()->text().contains(QStringLiteral("no measurements")),
                 qPrintable(tables().firstLoss()->text()));
    }

    /// torch.ao replaces the module before it traces, so that the method is not called.
    void methodOfAFloatFunctional_isReplaced() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("net.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch\nfrom torch import nn\nclass Sum(nn.quantized.FloatFunctional):\n"
                   "    def add(self, x, y):\n        return torch.sub(x, y)\n"
                   "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.sum = Sum(); self.a = nn.Linear(4, 4)\n"
                   "    def forward(self, x):\n        return self.sum.add(self.a(x), x)\n");
        file.close();
        m_document = std::make_unique<Document>(file.fileName() + QStringLiteral(":Net"));
        m_document->load();
        m_center->setDocument(m_document.get());
        choose(m_panel->modes(), "dynamic");
        QTRY_VERIFY_WITH_TIMEOUT(m_document->module() && m_panel->starts()->isEnabled(), kPatience);
        QCOMPARE(m_document->module()->graph.node(m_document->module()->graph.find("sub")).target(),
                 std::string("torch.sub"));
        quantise();
        const fx::Graph& graph = m_document->module()->graph;
        QVERIFY(graph.find("add") != fx::kNoNode);
        QVERIFY(graph.find("sub") == fx::kNoNode);
    }

    void missingData_isNamed_nothingChanges() {
        openNet();
        m_panel->setDataFile(QStringLiteral("/nowhere/batches.pt"));
        m_panel->starts()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY(session().toldBad());
        QVERIFY2(session().told().contains(QStringLiteral("batches.pt")), qPrintable(session().told()));
        QCOMPARE(versions(), std::size_t{1});
    }

    void wrongBatch_isNamed() {
        openNet();
        QTemporaryDir folder;
        m_panel->setDataFile(batchFile(folder, QStringLiteral("nan.safetensors"), '\xff'));
        m_panel->starts()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY(session().toldBad());
        QVERIFY2(session().told().contains(QRegularExpression(QStringLiteral("batch 1\\b.*NaN"))),
                 qPrintable(session().told()));
    }

    void cancel_changesNothing() {
        openNet();
        m_panel->starts()->click();
        QVERIFY(m_document->operations().isRunning(DocumentOperations::Kind::Edit));
        m_panel->cancels()->click();
        QVERIFY(!session().isBusy());
        QVERIFY(!m_document->operations().isRunning(DocumentOperations::Kind::Edit));
        QVERIFY(testing::settle());
        QCOMPARE(versions(), std::size_t{1});
        quantise();
        QCOMPARE(versions(), std::size_t{2});
    }

    void editMeanwhile_isKept_resultIsDropped() {
        openNet();
        m_panel->starts()->click();
        QSignalSpy refused(&m_document->versions(), &DocumentVersions::refused);
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename"),
                                            R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(versions(), std::size_t{2});
        QVERIFY(m_document->module()->graph.find("act") != fx::kNoNode);
    }
};

QTEST_MAIN(TestQuantPanel)
#include "tst_quant_panel.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/io/compare/compare_models.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "ui/quant/observer_histogram.h"
#include "ui/quant/quant_panel.h"
#include "ui/quant/quant_rows_model.h"
#include "ui/run/run_center.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

using namespace ui;

/// A model that is quantised in the panel, with a real worker.
class TestQuantPanel : public QObject {
    Q_OBJECT

    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    QuantPanel* m_panel = nullptr;
    static constexpr int kPatience = 90000;

    QuantSession& session() const { return *m_panel->session(); }
    std::size_t versions() const { return m_document->history()->entries().size(); }
    void openNet() {
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        m_center->setDocument(m_document.get());
        RunSession* run = m_center->session();
        QTRY_VERIFY(!run->guesses().empty());
        run->setAutomatic(false);
        fx::InputDescription inputs = run->inputs();
        inputs.inputs[0].sizes = {1, 3, 16, 16};
        run->setInputs(inputs);
    }
    void choose(QComboBox* list, const char* text) {
        const int index = list->findText(QLatin1String(text));
        QVERIFY2(index >= 0, text);
        list->setCurrentIndex(index);
        Q_EMIT list->activated(index);
    }
    void quantise() {
        QVERIFY2(m_panel->starts()->isEnabled(), qPrintable(m_panel->starts()->toolTip()));
        m_panel->starts()->click();
        QVERIFY(session().isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY2(!session().toldBad(), qPrintable(session().told()));
    }
    /// A file with a batch of which all bytes are this.
    static QString batchFile(const QTemporaryDir& folder, const QString& name, char byte) {
        QFile data(folder.filePath(name));
        if (!data.open(QIODevice::WriteOnly)) return {};
        const QByteArray header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[1,3,16,16],\"data_offsets\":[0,3072]}}";
        QByteArray size(8, '\0');
        size[0] = static_cast<char>(header.size());
        data.write(size + header + QByteArray(3072, byte));
        return data.fileName();
    }
    QuantTables& tables() const { return *m_panel->tables(); }
    /// A cell of a table as it is shown.
    QString cell(QuantTables::Tab tab, int row, int column) const {
        return tables().table(tab)->model()->index(row, column).data().toString();
    }
    int rows(QuantTables::Tab tab) const { return tables().table(tab)->model()->rowCount(); }
    void waitForPlan() {
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() && session().plan()->version == m_document->module(), kPatience);
    }
    /// The observer on the edge into a node.
    const QuantPlan::Observer* before(const char* node) const {
        const fx::Graph& graph = m_document->module()->graph;
        const fx::NodeId to = graph.find(node);
        for (const fx::NodeId from : graph.node(to).inputs())
            if (const auto* found = session().plan()->on(from, to)) return found;
        return nullptr;
    }
    QAction* action(QMenu* menu, const char* text) const {
        for (QAction* each : menu->actions())
            if (each->text().startsWith(QLatin1String(text))) return each;
        return nullptr;
    }
    bool calls(const char* type) const {
        const fx::GraphModule& model = *m_document->module();
        for (const fx::Node& node : model.graph.nodes()) {
            if (node.op() != fx::Op::CallModule) continue;
            const fx::PathTarget target = fx::resolvePath(*model.root, node.target());
            if (target.module && target.module->qualifiedType().find(type) != std::string::npos) return true;
        }
        return false;
    }

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() {
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, {}, m_window.get());
        m_panel = new QuantPanel(*m_center, m_window.get());
        for (const auto tab : {QuantTables::Rules, QuantTables::Observers, QuantTables::Layers})
            new QAbstractItemModelTester(tables().table(tab)->model(), m_panel);
        m_window->resize(500, 900);
        m_panel->resize(500, 900);
        m_window->show();
        m_panel->setSeen(true); // as its dock says in the window
    }
    void cleanup() {
        if (m_center) m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
        m_center = nullptr;
    }

    void settings_leaveRoomForTheTables() {
        openNet();
        m_panel->resize(344, 470); // beside the canvas of a window of 1280 x 800
        QTest::qWait(50);
        QHash<QString, const QComboBox*> lists;
        for (const QComboBox* each : m_panel->findChildren<QComboBox*>()) lists[each->accessibleName()] = each;
        const auto top = [&](const char* name) { return lists.value(QLatin1String(name))->y(); };
        QCOMPARE(top("Mode"), top("Backend"));
        QCOMPARE(top("Calibration data"), top("Form"));
        const QTableView* layers = tables().table(QuantTables::Layers);
        tables().findChild<QTabBar*>()->setCurrentIndex(QuantTables::Layers);
        QTest::qWait(50);
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
        const QuantChoices kept = QuantChoices::fromJson(m_document->panelView(QStringLiteral("quantise")));
        QCOMPARE(kept, session().choices());
        QVERIFY(kept.backend == fx::quant::Backend::Qnnpack && kept.form == QuantChoices::Form::Reference);
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
        QTest::qWait(50);
        const int top = m_panel->starts()->y();
        m_panel->setDataFile(QStringLiteral("/data/batches.pt"));
        QTest::qWait(50);
        QVERIFY(m_panel->dataWarning()->isHidden());
        QCOMPARE(m_panel->starts()->y(), top);
        choose(m_panel->modes(), "dynamic");
        QTest::qWait(50);
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
        QVERIFY(session().measured() && layers > 0);
        m_document->undo();
        QVERIFY(!session().measured());
        QCOMPARE(rows(QuantTables::Layers), 0);
        QVERIFY(tables().firstLoss()->text().contains(QStringLiteral("another version")));
        m_document->redo();
        QCOMPARE(rows(QuantTables::Layers), layers);
        m_panel->setDataFile(QStringLiteral("/data/others.pt"));
        QVERIFY(!session().measured());
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
        QVERIFY(m_panel->starts()->isEnabled() && !m_panel->data()->isEnabled());
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
        const auto again = fx::History::edited(*before, m_document->history()->entries()[1].steps);
        fx::requireSame(*made, *again, "again");
        QVERIFY(again->format == made->format && again->path == made->path);
        // On another model they would replace it.
        QVERIFY_EXCEPTION_THROWN(fx::History::edited(*made, m_document->history()->entries()[1].steps), fx::Error);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && m_document->shapes()->version == made, kPatience);
        if (mode != QLatin1String("qat")) QVERIFY(!m_document->hasShapeFailures());
        m_document->undo();
        QCOMPARE(m_document->module(), before);
        QVERIFY(session().madeWith().isEmpty());
        QVERIFY(session().told().isEmpty()); // it was about the quantised model
        QVERIFY(!said.isEmpty());
        m_document->redo();
        QCOMPARE(m_document->module(), made);
        QCOMPARE(session().told(), said);
    }

    /// After a recovery the panel's own file may be another one.
    void data_ofTheQuantisedVersion_isNamed() {
        openNet();
        QTemporaryDir folder;
        m_panel->setDataFile(batchFile(folder, QStringLiteral("zeros.safetensors"), '\0'));
        quantise();
        const auto& entry = m_document->history()->entries()[1];
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
        const auto& entry = m_document->history()->entries()[1];
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

    void rules_sayWhatTheyHit_andWhereObserversGo() {
        openNet();
        waitForPlan();
        QVERIFY(rows(QuantTables::Rules) > 0);
        int hit = 0;
        for (int row = 0; row < rows(QuantTables::Rules); ++row) hit += cell(QuantTables::Rules, row, 0).toInt();
        QVERIFY(hit > 0);
        QCOMPARE(rows(QuantTables::Observers), static_cast<int>(session().plan()->observers.size()));
        const QString places = QStringLiteral(" at %1 places").arg(session().plan()->observers.size());
        const QString tip = tables().tabs()->tabToolTip(QuantTables::Observers);
        QVERIFY2(tip.contains(places), qPrintable(tip));
        // Each observer is a badge on the edges that go through it.
        const auto& marks = tables().marks();
        QVERIFY(marks.hasBadges());
        for (const auto& observer : session().plan()->observers) {
            QVERIFY2(observer.from != fx::kNoNode, qPrintable(observer.name));
            for (const fx::NodeId user : observer.users) QVERIFY(marks.badgeOf(observer.from, user));
        }
    }

    void badge_excludesAndQuantisesAgain() {
        openNet();
        waitForPlan();
        const auto& first = session().plan()->observers.front();
        const fx::NodeId from = first.from, to = first.users.front();
        const QString cause = first.cause;
        const auto observers = session().plan()->observers.size();
        std::unique_ptr<QMenu> menu(tables().badgeMenu(from, to));
        QAction* exclude = action(menu.get(), "Exclude");
        QVERIFY(exclude && exclude->text().contains(cause));
        exclude->trigger();
        QTRY_VERIFY(session().plan() && session().plan()->observers.size() < observers);
        QCOMPARE(session().choices().rules.size(), std::size_t{1});
        QVERIFY(session().plan()->rules.front().isOwn && !session().plan()->rules.front().nodes.empty());
        QVERIFY(QuantChoices::fromJson(m_document->panelView(QStringLiteral("quantise"))) == session().choices());
        const auto [node, rule] = session().plan()->excluded.front();
        const fx::NodeId input = m_document->module()->graph.node(node).inputs().front();
        const EdgeBadge* badge = tables().marks().badgeOf(input, node);
        QVERIFY(badge && badge->faint);
        menu.reset(tables().badgeMenu(input, node));
        QVERIFY(action(menu.get(), "Quantise It Again"));
        action(menu.get(), "Quantise It Again")->trigger();
        QTRY_VERIFY(session().plan() && session().plan()->observers.size() == observers);
        QVERIFY(session().choices().rules.empty());
    }

    void badge_offersOnlyWhatTheModeAndTheBackendHave() {
        openNet();
        waitForPlan();
        const QuantPlan::Observer* observer = before("conv");
        QVERIFY(observer && observer->cause == QLatin1String("conv"));
        QTRY_VERIFY_WITH_TIMEOUT(session().fitting(observer->of), kPatience);
        std::unique_ptr<QMenu> menu(tables().badgeMenu(observer->from, observer->users.front()));
        QAction* change = action(menu.get(), "Change Observer");
        QVERIFY(change && change->menu());
        QVERIFY(action(change->menu(), "default_per_channel_qconfig"));
        for (const QAction* each : change->menu()->actions())
            for (const char* word : {"qat", "dynamic", "weight_only", "qnnpack", "reuse", "placeholder"})
                QVERIFY2(!each->text().contains(QLatin1String(word)), qPrintable(each->text()));
        QVERIFY(!action(menu.get(), "Share"));                 // its weights need an observer of their own
        QVERIFY(tables().qconfigs()->currentText().isEmpty()); // no rule is chosen
        tables().table(QuantTables::Rules)->selectRow(rows(QuantTables::Rules) - 1);
        QCOMPARE(tables().qconfigs()->findText(QStringLiteral("default_qat_qconfig")), -1);
        QVERIFY(tables().qconfigs()->findText(QStringLiteral("default_qconfig")) > 0);
        QVERIFY(!tables().qconfigs()->currentText().isEmpty());
    }

    void rule_withoutAKernel_isSaid_andCanBeTakenBackOnTheCanvas() {
        openNet();
        waitForPlan();
        QuantChoices choices = session().choices();
        choices.setRule({fx::quant::RuleKind::ModuleName, "conv", {}, 0}, "default_symmetric_qnnpack_qat_qconfig");
        session().setChoices(choices);
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() && !session().plan()->warning.isEmpty(), kPatience);
        QVERIFY2(session().plan()->warning.contains(QStringLiteral("qconfig of the backend")),
                 qPrintable(session().plan()->warning));
        const fx::Graph& graph = m_document->module()->graph;
        const fx::NodeId conv = graph.find("conv"), input = graph.node(conv).inputs().front();
        QVERIFY(tables().marks().badgeOf(input, conv));
        std::unique_ptr<QMenu> menu(tables().badgeMenu(input, conv));
        QVERIFY(action(menu.get(), "Quantise It Again"));
        action(menu.get(), "Quantise It Again")->trigger();
        QVERIFY(session().choices().rules.empty());
    }

    void rule_excludedLayer_staysInFloatingPoint() {
        openNet();
        waitForPlan();
        const fx::NodeId conv = m_document->module()->graph.find("conv");
        QVERIFY(conv != fx::kNoNode);
        m_document->select({conv}, nullptr);
        QVERIFY(tables().excludes()->isEnabled());
        tables().excludes()->click();
        QTRY_VERIFY(session().plan() && !session().plan()->excluded.empty());
        quantise();
        const fx::PathTarget target = fx::resolvePath(*m_document->module()->root, "conv");
        QVERIFY(target.module && target.module->qualifiedType().find("quantized") == std::string::npos);
        QVERIFY(m_document->history()->entries()[1].steps.find("qconfig") != std::string::npos);
    }

    void rule_thatIsRefused_isNamed_andCanBeRemoved() {
        openNet();
        waitForPlan();
        QuantChoices choices = session().choices();
        choices.rules.push_back({{fx::quant::RuleKind::Regex, "(", {}, 0}, "default_qconfig"});
        session().setChoices(choices);
        QTRY_VERIFY(!session().noPlan().isEmpty());
        QVERIFY(!session().plan());
        QCOMPARE(rows(QuantTables::Rules), 1);
        tables().table(QuantTables::Rules)->selectRow(0);
        QVERIFY(tables().removes()->isEnabled());
        tables().removes()->click();
        waitForPlan();
        QVERIFY(session().choices().rules.empty());
    }

    void layers_haveErrorsSizesAndHistograms() {
        openNet();
        waitForPlan();
        quantise();
        const QuantMeasured* measured = session().measured();
        QVERIFY(measured && measured->errors && !measured->errors->layers.empty());
        QCOMPARE(rows(QuantTables::Layers), static_cast<int>(measured->errors->layers.size()));
        QVERIFY(cell(QuantTables::Layers, 0, 1).contains(QStringLiteral("dB")) ||
                cell(QuantTables::Layers, 0, 1) == QStringLiteral("no error"));
        QVERIFY(measured->bytesAfter < measured->bytesBefore);
        bool smaller = false;
        for (const auto& [layer, bytes] : measured->layerBytes) smaller |= bytes.second * 2 < bytes.first;
        QVERIFY(smaller);
        QVERIFY(!tables().firstLoss()->text().isEmpty());
        QVERIFY(tables().marks().hasColours());
        const fx::NodeId node = m_document->module()->graph.find(measured->errors->layers.front().node);
        QVERIFY(tables().marks().styleOf(node)->fill.isValid() && !tables().marks().legend().empty());
        QVERIFY(tables().histogram()->about().contains(QStringLiteral("saturate")));
    }

    void scan_stops_goesOn_andProposes() {
        openNet();
        waitForPlan();
        QVERIFY2(tables().scans()->isEnabled(), qPrintable(tables().scans()->toolTip()));
        tables().scans()->click();
        QVERIFY(session().isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(!session().sensitivity().done.empty() || !session().isBusy(), kPatience);
        session().cancel();
        const auto done = session().sensitivity().done.size();
        QVERIFY(!m_document->panelView(QStringLiteral("quantiseScan")).isEmpty() || done == 0);
        tables().budget()->setValue(100); // more than int8 can give
        Q_EMIT tables().budget()->editingFinished();
        QTRY_VERIFY(session().whyNoScan().isEmpty());
        QCOMPARE(session().sensitivity().done.size(), done);
        tables().scans()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY2(session().proposal(), qPrintable(session().told()));
        const auto& proposal = *session().proposal()->proposal;
        QVERIFY(!proposal.kept.empty());
        QCOMPARE(proposal.kept.size() + proposal.quantised.size(), session().sensitivity().done.size());
        QCOMPARE(versions(), std::size_t{1});
        QCOMPARE(tables().scans()->text(), QStringLiteral("Propose Layers"));
        const QString told = session().told();
        const int scanned = rows(QuantTables::Layers);
        const auto kept = proposal.kept.size();
        tables().usesProposal()->click();
        QCOMPARE(session().choices().rules.size(), kept);
        QVERIFY(session().told() != told); // it was about other rules
        waitForPlan();
        QTRY_COMPARE(rows(QuantTables::Layers), scanned); // what a layer alone costs is still so
        QVERIFY(!cell(QuantTables::Layers, 0, 3).isEmpty());
        const QTableView* layers = tables().table(QuantTables::Layers);
        QVERIFY(layers->isColumnHidden(1) && !layers->isColumnHidden(3)); // only what the scan fills
    }

    /// A tab that is closed and a process that is killed say nothing to the session.
    void scan_isKeptAsItGoes_withTheModelItIsOf() {
        openNet();
        waitForPlan();
        tables().scans()->click();
        QSignalSpy scanned(&session(), &QuantSession::scanned);
        QTRY_VERIFY_WITH_TIMEOUT(!scanned.isEmpty() || !session().isBusy(), kPatience);
        const QJsonObject kept = m_document->panelViews();
        const auto done = session().sensitivity().done;
        QVERIFY(!done.empty());
        m_center->setDocument(nullptr);
        m_document.reset(); // while it runs
        openNet();
        m_document->restorePanelViews(kept);
        QTRY_COMPARE_WITH_TIMEOUT(session().sensitivity().done.size(), done.size(), kPatience);
        QCOMPARE(session().sensitivity().done.front().noise, done.front().noise);
        fx::InputDescription inputs = m_center->session()->inputs();
        inputs.inputs[0].sizes = {1, 3, 24, 24};
        m_center->session()->setInputs(inputs);
        QVERIFY(session().sensitivity().done.empty());
        m_panel->setDataFile(QStringLiteral("/data/batches.pt"));
        waitForPlan();
        QVERIFY(session().sensitivity().done.empty());
    }

    /// The version that is scanned is no longer the current one.
    void scan_whileTheModelIsEdited_isOfItsOwnVersion() {
        openNet();
        waitForPlan();
        tables().scans()->click();
        QVERIFY(m_document->edit(QStringLiteral("Rename"), R"([{"step": "rename", "node": "relu", "name": "act"}])"));
        waitForPlan();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY(session().sensitivity().done.empty() && !session().proposal());
        m_document->undo();
        waitForPlan();
        QTRY_VERIFY(!session().sensitivity().done.empty());
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
        m_document->undo();
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
        QVERIFY(graph.find("add") != fx::kNoNode && graph.find("sub") == fx::kNoNode);
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
        QVERIFY(!session().isBusy() && !m_document->operations().isRunning(DocumentOperations::Kind::Edit));
        QTest::qWait(300);
        QCOMPARE(versions(), std::size_t{1});
        quantise();
        QCOMPARE(versions(), std::size_t{2});
    }

    void editMeanwhile_isKept_resultIsDropped() {
        openNet();
        m_panel->starts()->click();
        QSignalSpy refused(m_document.get(), &Document::refused);
        QVERIFY(m_document->edit(QStringLiteral("Rename"), R"([{"step": "rename", "node": "relu", "name": "act"}])"));
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QCOMPARE(refused.size(), 1);
        QCOMPARE(versions(), std::size_t{2});
        QVERIFY(m_document->module()->graph.find("act") != fx::kNoNode);
    }
};

QTEST_MAIN(TestQuantPanel)
#include "tst_quant_panel.moc"

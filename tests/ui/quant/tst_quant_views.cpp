// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/quant/quant_fixture.h"

#include "ui/quant/observer_histogram.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTabBar>

using namespace ui;

/// Rules, observers and layers of the panel, and the scan.
class TestQuantViews : public QObject, protected QuantFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

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
        QVERIFY(exclude);
        QVERIFY(exclude->text().contains(cause));
        exclude->trigger();
        QTRY_VERIFY(session().plan() && session().plan()->observers.size() < observers);
        QCOMPARE(session().choices().rules.size(), std::size_t{1});
        QVERIFY(session().plan()->rules.front().isOwn);
        QVERIFY(!session().plan()->rules.front().nodes.empty());
        QVERIFY(QuantChoices::fromJson(m_document->panelViews().of(QStringLiteral("quantise"))) == session().choices());
        const auto [node, rule] = session().plan()->excluded.front();
        const fx::NodeId input = m_document->module()->graph.node(node).inputs().front();
        const EdgeBadge* badge = tables().marks().badgeOf(input, node);
        QVERIFY(badge);
        QVERIFY(badge->faint);
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
        QVERIFY(observer);
        QVERIFY(observer->cause == QLatin1String("conv"));
        QTRY_VERIFY_WITH_TIMEOUT(session().fitting(observer->of), kPatience);
        std::unique_ptr<QMenu> menu(tables().badgeMenu(observer->from, observer->users.front()));
        QAction* change = action(menu.get(), "Change Observer");
        QVERIFY(change);
        QVERIFY(change->menu());
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
        QVERIFY2(session().plan()->warning.contains(QStringLiteral("give a qconfig with observers of")),
                 qPrintable(session().plan()->warning));
        const fx::Graph& graph = m_document->module()->graph;
        const fx::NodeId conv = graph.find("conv"), input = graph.node(conv).inputs().front();
        QVERIFY(tables().marks().badgeOf(input, conv));
        std::unique_ptr<QMenu> menu(tables().badgeMenu(input, conv));
        QVERIFY(action(menu.get(), "Quantise It Again"));
        action(menu.get(), "Quantise It Again")->trigger();
        QVERIFY(session().choices().rules.empty());
    }

    /// A row is what it tells, not its number.
    void row_thatWasChosen_staysChosen_whereverItIs() {
        openNet();
        waitForPlan();
        QTableView* table = tables().table(QuantTables::Observers);
        const int last = rows(QuantTables::Observers) - 1;
        table->selectRow(last);
        const QString observed = cell(QuantTables::Observers, last, 0), what = cell(QuantTables::Observers, last, 3);
        const auto chosen = [&](int column) {
            return table->model()->index(table->currentIndex().row(), column).data().toString();
        };
        QuantChoices choices = session().choices();
        choices.setRule(*session().plan()->observers.front().where, std::string());
        session().setChoices(choices);
        QTRY_VERIFY(session().plan() && rows(QuantTables::Observers) <= last);
        QCOMPARE(chosen(0), observed);
        QCOMPARE(chosen(3), what);
        QTableView* rules = tables().table(QuantTables::Rules);
        for (int row = 0; row < rows(QuantTables::Rules); ++row)
            if (cell(QuantTables::Rules, row, 1).contains(QStringLiteral("yours"))) rules->selectRow(row);
        QVERIFY(tables().removes()->isEnabled());
        tables().removes()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!rules->currentIndex().isValid(), kPatience); // not the rule that is there now
    }

    void rule_excludedLayer_staysInFloatingPoint() {
        openNet();
        waitForPlan();
        const fx::NodeId conv = m_document->module()->graph.find("conv");
        QVERIFY(conv != fx::kNoNode);
        m_document->selection().select({conv}, nullptr);
        QVERIFY(tables().excludes()->isEnabled());
        tables().excludes()->click();
        QTRY_VERIFY(session().plan() && !session().plan()->excluded.empty());
        quantise();
        const fx::PathTarget target = fx::resolvePath(*m_document->module()->root, "conv");
        QVERIFY(target.module);
        QVERIFY(target.module->qualifiedType().find("quantized") == std::string::npos);
        QVERIFY(m_document->versions().history()->entries()[1].steps[0].find("qconfig").exists());
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

    void rules_areUndoneAndRedone() {
        openNet();
        waitForPlan();
        QVERIFY(!tables().stepsRules(false)->isEnabled());
        QVERIFY(!tables().stepsRules(true)->isEnabled());
        m_document->selection().select({m_document->module()->graph.find("conv")}, nullptr);
        tables().excludes()->click();
        QTRY_VERIFY(session().plan() && !session().plan()->excluded.empty());
        const auto rules = session().choices().rules;
        QVERIFY(!rules.empty());
        choose(m_panel->backends(), "qnnpack"); // other settings are not rules
        tables().stepsRules(false)->click();
        QVERIFY(session().choices().rules.empty());
        QVERIFY(session().choices().backend == fx::quant::Backend::Qnnpack);
        waitForPlan();
        QVERIFY(!tables().stepsRules(false)->isEnabled());
        tables().stepsRules(true)->click();
        QCOMPARE(session().choices().rules, rules);
        waitForPlan();
        QVERIFY(!tables().stepsRules(true)->isEnabled());
    }

    void layers_haveErrorsSizesAndHistograms() {
        openNet();
        waitForPlan();
        quantise();
        const QuantMeasured* measured = session().measured();
        QVERIFY(measured);
        QVERIFY(measured->errors);
        QVERIFY(!measured->errors->layers.empty());
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
        QVERIFY(tables().marks().styleOf(node)->fill.isValid());
        QVERIFY(!tables().marks().legend().empty());
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
        QVERIFY(!m_document->panelViews().of(QStringLiteral("quantiseScan")).isEmpty() || done == 0);
        tables().budget()->setValue(100); // more than int8 can give
        Q_EMIT tables().budget()->editingFinished();
        QTRY_VERIFY(session().whyNoScan().isEmpty());
        QCOMPARE(session().sensitivity().done.size(), done);
        tables().scans()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY2(session().proposal(), qPrintable(session().told()));
        QVERIFY(session().proposal()->proposal->quantised.empty()); // the panel says so and offers nothing to use
        QVERIFY(!tables().usesProposal()->isEnabled());
        QVERIFY(session().toldBad());
        const auto& known = session().sensitivity().done; // with a budget between those of the layers
        const auto [best, worst] = std::minmax_element(known.begin(), known.end(),
                                                       [](const auto& a, const auto& b) { return a.noise < b.noise; });
        tables().budget()->setValue((best->sqnr() + worst->sqnr()) / 2);
        Q_EMIT tables().budget()->editingFinished();
        QTRY_VERIFY(session().whyNoScan().isEmpty());
        tables().scans()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY2(session().proposal(), qPrintable(session().told()));
        const auto& proposal = *session().proposal()->proposal;
        QVERIFY(!proposal.kept.empty());
        QVERIFY(!proposal.quantised.empty());
        QCOMPARE(proposal.kept.size() + proposal.quantised.size(), session().sensitivity().done.size());
        QCOMPARE(versions(), std::size_t{1});
        QCOMPARE(tables().scans()->text(), QStringLiteral("Propose Layers"));
        const QString told = session().told();
        const int scanned = rows(QuantTables::Layers);
        const auto kept = proposal.kept.size() + session().proposal()->operators.size();
        tables().usesProposal()->click();
        QCOMPARE(session().choices().rules.size(), kept);
        QVERIFY(session().told() != told); // it was about other rules
        waitForPlan();
        QTRY_COMPARE(rows(QuantTables::Layers), scanned); // what a layer alone costs is still so
        QVERIFY(!cell(QuantTables::Layers, 0, 3).isEmpty());
        const QTableView* layers = tables().table(QuantTables::Layers);
        QVERIFY(layers->isColumnHidden(1));
        QVERIFY(!layers->isColumnHidden(3)); // only what the scan fills
    }

    /// A tab that is closed and a process that is killed say nothing to the session.
    void scan_isKeptAsItGoes_withTheModelItIsOf() {
        openNet();
        waitForPlan();
        tables().scans()->click();
        QSignalSpy scanned(&session(), &QuantSession::scanned);
        QTRY_VERIFY_WITH_TIMEOUT(!scanned.isEmpty() || !session().isBusy(), kPatience);
        const QJsonObject kept = m_document->panelViews().all();
        const auto done = session().sensitivity().done;
        QVERIFY(!done.empty());
        m_center->setDocument(nullptr);
        m_document.reset(); // while it runs
        openNet();
        m_document->panelViews().restore(kept);
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

    void scans_ofSeveralSettings_areKept() {
        openNet();
        for (const char* backend : {"x86", "qnnpack"}) {
            choose(m_panel->backends(), backend);
            QTRY_VERIFY_WITH_TIMEOUT(session().whyNoScan().isEmpty() && session().sensitivity().done.empty(),
                                     kPatience);
            QVERIFY(session().sensitivity().done.empty());
            tables().scans()->click();
            QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
            QVERIFY2(session().proposal(), qPrintable(session().told()));
        }
        const auto done = session().sensitivity().done;
        choose(m_panel->backends(), "x86");
        const auto isOther = [&] {
            const auto& now = session().sensitivity().done;
            return now.size() == done.size() && now.front().noise != done.front().noise;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isOther(), kPatience);
    }

    /// The version that is scanned is no longer the current one.
    void scan_whileTheModelIsEdited_isOfItsOwnVersion() {
        openNet();
        waitForPlan();
        tables().scans()->click();
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename"),
                                            R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        waitForPlan();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY(session().sensitivity().done.empty());
        QVERIFY(!session().proposal());
        m_document->versions().undo();
        waitForPlan();
        QTRY_VERIFY(!session().sensitivity().done.empty());
    }
};

QTEST_MAIN(TestQuantViews)
#include "tst_quant_views.moc"

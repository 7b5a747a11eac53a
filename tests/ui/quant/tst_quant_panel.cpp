// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/io/compare/compare_models.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "ui/quant/quant_panel.h"
#include "ui/run/run_center.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
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
    }
    void cleanup() {
        if (m_center) m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
        m_center = nullptr;
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
        choose(m_panel->modes(), "dynamic");
        QVERIFY(!m_panel->dataWarning()->text().contains(QStringLiteral("random")));
        QVERIFY(!m_panel->data()->isEnabled());
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
        QVERIFY(!session().told().isEmpty());
        const auto made = m_document->module();
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
        m_document->redo();
        QCOMPARE(m_document->module(), made);
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

    void quantisedModel_isRefusedWithAReason() {
        openNet();
        quantise();
        m_panel->starts()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY(session().toldBad());
        QVERIFY2(session().told().contains(QStringLiteral("quantised already")), qPrintable(session().told()));
        QCOMPARE(versions(), std::size_t{2});
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

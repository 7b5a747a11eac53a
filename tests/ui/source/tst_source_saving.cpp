// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/source/source_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/code/code_editing.h"
#include "ui/code/code_panel.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/source/source_banner.h"
#include "ui/source/source_message.h"
#include "ui/source/source_pane.h"

#include <QApplication>
#include <QDialog>
#include <QFileDialog>
#include <QMessageBox>
#include <QStatusBar>
#include <QTest>
#include <QTimer>

using namespace ui;

/// Source, its graph and the edits of both are saved and closed.
class TestSourceSaving : public SourceFixture {
    Q_OBJECT

    /// A graph with an edit of its own below a text that was changed.
    void editBoth(const QByteArray& text) {
        type(kNet);
        QTRY_VERIFY(source().isDrawn());
        QVERIFY(document().versions().edit(
            QStringLiteral("Insert neg"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", )"
            R"("target": "torch.neg", "args": [{"node": "relu"}], "rewire_users": true}])"_steps));
        type(text);
    }
    /// Answers file dialogs with what they propose, in this order, whenever they come; nothing else is asked.
    void acceptFiles(const QStringList& titles, int tries = 300) {
        if (titles.isEmpty()) return;
        QTimer::singleShot(20, this, [this, titles, tries] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog || dialog->windowTitle() != titles.front()) {
                QVERIFY2(tries > 0, qPrintable(titles.front()));
                return acceptFiles(titles, tries - 1);
            }
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
            acceptFiles(titles.mid(1), tries);
        });
    }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { shutDown(); }

    void source_isSavedAsTyped_andTheModelBesideIt() {
        const QString path = write("net.py", kNet);
        open(path);
        type("# mine\n" + kNet);
        m_window->actions().save->trigger();
        QTRY_VERIFY(!document().isModified());
        QCOMPARE(contentOf(path), "# mine\n" + kNet);
        const QString model = m_folder->filePath(QStringLiteral("net.json"));
        m_window->saveTo(model);
        QTRY_VERIFY(QFile::exists(model));
        QTRY_VERIFY(document().operations().running().empty());
        QCOMPARE(fx::openModel(model.toStdString())->graph.size(), std::size_t(5));
        QCOMPARE(document().file().path(), path); // the document still is the source
        const QString other = m_folder->filePath(QStringLiteral("other.py"));
        m_window->saveTo(other);
        QTRY_COMPARE(document().file().path(), other);
        QCOMPARE(document().file().title(), QStringLiteral("other.py"));
    }

    void partialModel_isNotSaved() {
        open(write("net.py", kNet));
        type(QByteArray(kNet).replace("torch.relu(x)", "torch.relu(y)"));
        QString told;
        connect(&document().operations(), &DocumentOperations::failed, this,
                [&](const QString&, const fx::Error& error) { told = QString::fromUtf8(error.what()); });
        testing::whenOpen<QWidget>(m_window.get(), [](QWidget* box) { box->close(); });
        m_window->saveTo(m_folder->filePath(QStringLiteral("net.pt")));
        QTRY_VERIFY2(told.contains(QLatin1String("not complete")), qPrintable(told));
        QVERIFY(!QFile::exists(m_folder->filePath(QStringLiteral("net.pt"))));
    }

    void editsOfTheGraph_stay_untilTheyAreGivenUp() {
        open(write("net.py", kNet));
        QTRY_VERIFY(source().isDrawn());
        QVERIFY(document().versions().edit(QStringLiteral("Rename"),
                                           R"([{"step": "rename", "node": "relu", "name": "mine"}])"_steps));
        QVERIFY(banner().text().startsWith(QLatin1String("The graph was edited")));
        QCOMPARE(pane().message()->text(),
                 QStringLiteral("Net: 5 nodes in the source  ·  5 nodes in the edited graph"));
        type(QByteArray(kNet).replace("torch.relu(x)", "torch.relu(x) + 1"));
        QVERIFY(node("mine") != fx::kNoNode);
        QVERIFY(node("add") == fx::kNoNode);
        for (const auto answer : {QMessageBox::Cancel, QMessageBox::Discard}) {
            QVERIFY(node("mine") != fx::kNoNode);
            bool isAnswered = false;
            testing::whenOpen<QMessageBox>(m_window.get(), [answer, &isAnswered](QMessageBox* question) {
                isAnswered = true;
                question->button(answer)->click();
            });
            banner().followButton()->click();
            QVERIFY(isAnswered);
        }
        QTRY_VERIFY(node("mine") == fx::kNoNode && node("add") != fx::kNoNode);
        QTRY_VERIFY(banner().text().isEmpty());
    }

    void editsOfTheGraph_thatAreUndone_leaveItWithItsSource() {
        open(write("net.py", kNet));
        QTRY_VERIFY(source().isDrawn());
        const fx::StepList rename = fx::StepList().rename("relu", "mine");
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), rename));
        document().versions().undo();
        QVERIFY2(banner().text().isEmpty(), qPrintable(banner().text()));
        QCOMPARE(pane().message()->text(), QStringLiteral("Net: 5 nodes"));
        document().versions().redo();
        QVERIFY(!banner().text().isEmpty());
        document().versions().undo();
        type(QByteArray(kNet).replace("torch.relu(x)", "torch.relu(x) + 1"));
        QVERIFY(node("add") != fx::kNoNode);
        QVERIFY(!document().versions().history()->canRedo());
        // Below a text that changed meanwhile, what is undone can still be redone, and the graph is not the source's.
        QVERIFY(document().versions().edit(QStringLiteral("Rename"), rename));
        type(kNet);
        document().versions().undo();
        QVERIFY(!banner().text().isEmpty());
        QVERIFY(node("add") != fx::kNoNode);
        document().versions().redo();
        QVERIFY(node("mine") != fx::kNoNode);
    }

    void codeThatIsNotApplied_staysWhenTheSourceIsTraced() {
        open(write("net.py", kNet));
        QTRY_VERIFY(source().isDrawn() && document().facts().code());
        const QByteArray typed = QByteArray::fromStdString(document().facts().code()->text) + "    # typed\n";
        document().setDraft(CodeDraft{typed, document().facts().code(), document().module()});
        type(QByteArray(kNet).replace("torch.relu(x)", "torch.relu(x) + 1"));
        QVERIFY(node("add") != fx::kNoNode);
        QVERIFY(document().draft());
        QVERIFY(document().draft()->text == typed);
        QTRY_COMPARE(m_window->findChild<CodePanel*>()->editing()->state(), CodeEditing::State::Outdated);
        document().setDraft({});
    }

    void closing_asksAboutTypedText() {
        open(write("net.py", kNet));
        type("#\n" + kNet);
        bool asked = false;
        testing::whenOpen<QDialog>(m_window.get(), [&](QDialog* question) {
            asked = true;
            question->reject();
        });
        m_window->actions().closeTab->trigger();
        QVERIFY(asked);
        QVERIFY(testing::settle());
        QVERIFY(m_window->currentDocument());
        source().replaceText(kNet);
        m_window->actions().closeTab->trigger();
        QTRY_VERIFY(!m_window->currentDocument());
    }

    void reload_keepsWhatIsTypedMeanwhile() {
        open(write("net.py", kNet));
        QTRY_VERIFY(source().isDrawn());
        {
            const testing::HeldPool held;
            m_window->actions().reload->trigger(); // nothing has changed, so it asks nothing
            QVERIFY(document().operations().isRunning(DocumentOperations::Kind::Open));
            editor().typeText("# mine\n" + kNet);
            Q_EMIT editor().typed();
        }
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()));
        QVERIFY2(box->text().startsWith(QStringLiteral("Could not reload net.py")), qPrintable(box->text()));
        box->reject();
        QCOMPARE(source().text(), "# mine\n" + kNet);
        QVERIFY(document().isModified());
        source().replaceText(kNet);
        QTRY_VERIFY(source().isCurrent());
        m_window->actions().reload->trigger();
        QTRY_VERIFY(!document().operations().isRunning(DocumentOperations::Kind::Open));
        QVERIFY(!document().isModified());
    }

    void closing_savesSourceAndGraph_data() {
        QTest::addColumn<bool>("isNew");
        QTest::newRow("a file") << false;
        QTest::newRow("a new source") << true;
    }
    void closing_savesSourceAndGraph() {
        QFETCH(bool, isNew);
        const QString path = write(isNew ? "Untitled.py" : "net.py", kNet);
        if (isNew) {
            QVERIFY(QFile::remove(path));
            m_settings->setLastFolder(m_folder->path());
            m_window->newSource();
        } else {
            open(path);
        }
        editBoth("# mine\n" + kNet);
        const QString title = document().file().title();
        QString asked;
        testing::whenOpen<QMessageBox>(m_window.get(), [&](QMessageBox* question) {
            asked = question->text();
            question->button(QMessageBox::Save)->click();
        });
        QStringList files{QStringLiteral("Save the Graph of %1 As").arg(title)};
        if (isNew) files.prepend(QStringLiteral("Save the Source of %1 As").arg(title));
        acceptFiles(files);
        m_window->actions().closeTab->trigger();
        QVERIFY2(asked.contains(QLatin1String("to the source and to the graph")), qPrintable(asked));
        QTRY_VERIFY(!m_window->currentDocument());
        QCOMPARE(contentOf(path), "# mine\n" + kNet);
        const QString model = m_folder->filePath(isNew ? QStringLiteral("Untitled.pt") : QStringLiteral("net.pt"));
        QVERIFY(fx::openModel(model.toStdString())->graph.find("neg") != fx::kNoNode);
    }

    void closing_withoutFileForTheGraph_writesNothing() {
        const QString path = write("net.py", kNet);
        open(path);
        editBoth("# mine\n" + kNet);
        testing::whenOpen<QMessageBox>(m_window.get(), [this](QMessageBox* question) {
            testing::whenOpen<QFileDialog>(m_window.get(), [](QFileDialog* files) { files->reject(); });
            question->button(QMessageBox::Save)->click();
        });
        m_window->actions().closeTab->trigger();
        QVERIFY(testing::settle()); // what closes does so a moment after
        QVERIFY(m_window->currentDocument());
        QVERIFY(document().hasUnsavedSource());
        QVERIFY(document().hasUnsavedGraph());
        QCOMPARE(contentOf(path), kNet);
    }

    void save_ofSourceAndGraph_writesTheSource_andSaysWhatIsLeft() {
        const QString path = write("net.py", kNet);
        open(path);
        editBoth("# mine\n" + kNet);
        m_window->actions().save->trigger();
        QTRY_COMPARE(contentOf(path), "# mine\n" + kNet);
        QTRY_VERIFY(!document().hasUnsavedSource());
        QVERIFY(document().hasUnsavedGraph());
        QTRY_VERIFY2(m_window->statusBar()->currentMessage().contains(QLatin1String("edits of its graph")),
                     qPrintable(m_window->statusBar()->currentMessage()));
        document().followSource();
    }

    void closing_keepsWhatIsTypedWhileItSaves() {
        const QString path = write("net.py", kNet);
        open(path);
        type("# first\n" + kNet);
        {
            const testing::HeldPool held;
            testing::whenOpen<QMessageBox>(m_window.get(),
                                           [](QMessageBox* question) { question->button(QMessageBox::Save)->click(); });
            m_window->actions().closeTab->trigger();
            QVERIFY(document().operations().isWriting());
            editor().typeText("# second\n" + kNet);
            Q_EMIT editor().typed();
        }
        QTRY_COMPARE(contentOf(path), "# first\n" + kNet);
        QTRY_VERIFY(!document().operations().isWriting());
        QVERIFY(testing::settle()); // what closes does so a moment after
        QVERIFY(m_window->currentDocument());
        QVERIFY(document().isModified());
        QCOMPARE(source().text(), "# second\n" + kNet);
    }

    void closing_keepsCodeThatSavingDoesNotAskAbout() {
        open(write("net.py", kNet));
        QTRY_VERIFY(source().isDrawn() && document().facts().code());
        const QByteArray typed = QByteArray::fromStdString(document().facts().code()->text) + "    # typed\n";
        document().setDraft(CodeDraft{typed, document().facts().code(), document().module()});
        testing::whenOpen<QMessageBox>(m_window.get(),
                                       [](QMessageBox* question) { question->button(QMessageBox::Save)->click(); });
        m_window->actions().closeTab->trigger();
        QTRY_VERIFY(!document().operations().isWriting());
        QVERIFY(testing::settle()); // what closes does so a moment after
        QVERIFY(m_window->currentDocument());
        QVERIFY(document().draft());
        document().setDraft({});
    }

    /// One save after the other, as with Ctrl+S, each of which ends and says so.
    void save_inARow_endsEachTime() {
        const QString path = write("net.py", kNet);
        open(path);
        for (const QByteArray& text : {"# first\n" + kNet, "# second\n" + kNet, "# second\n" + kNet}) {
            type(text);
            m_window->actions().save->trigger();
            QTRY_VERIFY(!document().isModified());
            QTRY_VERIFY(!document().operations().isWriting());
            QCOMPARE(contentOf(path), text);
            QVERIFY(!QApplication::activeModalWidget());
        }
    }

    void save_twice_writesTheNewest_andTakesItselfForNoStranger() {
        const QString path = write("net.py", kNet);
        open(path);
        type("# first\n" + kNet);
        {
            const testing::HeldPool held;
            m_window->saveTo(path);
            editor().typeText("# second\n" + kNet);
            Q_EMIT editor().typed();
            m_window->saveTo(path);
            m_window->actions().reload->trigger();
            QMessageBox* box = nullptr;
            QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()));
            QVERIFY2(box->informativeText().contains(QStringLiteral("is being saved")),
                     qPrintable(box->informativeText()));
            box->reject();
        }
        QTRY_COMPARE(contentOf(path), "# second\n" + kNet);
        QTRY_VERIFY(!document().isModified());
        QVERIFY(!QApplication::activeModalWidget()); // it would ask whether changes of others may be overwritten
    }

    void reload_keepsTheEditor() {
        const QString path = write("net.py", kNet);
        open(path);
        SourcePane* before = &pane();
        write("net.py", "# by another program\n" + kNet);
        document().load();
        QTRY_COMPARE(source().text(), "# by another program\n" + kNet);
        QCOMPARE(&pane(), before);
        QVERIFY(!m_window->currentPage()->sourceViewer());
        QCOMPARE(editor().bytes(), source().text());
    }
};

QTEST_MAIN(TestSourceSaving)
#include "tst_source_saving.moc"

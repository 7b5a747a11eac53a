// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/shell/saving_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/models.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_source.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/save_path.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QTest>

using namespace ui;

/// The file that is proposed and chosen: its folder, name, format and what it replaces.
class TestSavingNames : public SavingFixture {
    Q_OBJECT

    /// Accepts what the next file dialog proposes, and answers the box that follows.
    void answerAfterDialog(const char* button) {
        whenFileDialog([this, button](QFileDialog* dialog) {
            answer(QLatin1String(button));
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
    }

    /// The folder and the name that an action proposes for a file.
    std::pair<QString, QString> proposal(QAction& action) {
        std::pair<QString, QString> proposed;
        testing::whenOpen<QFileDialog>(m_window.get(), [&proposed](QFileDialog* dialog) {
            proposed = {dialog->directory().absolutePath(),
                        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->text()};
            dialog->reject();
        });
        action.trigger();
        return proposed;
    }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    /// A quantised model is not what the file is, nor is the one in floating point after it was undone.
    void save_afterQuantisation_asksForAFile() {
        Document* a = openCopy("net.pt");
        QVERIFY(a);
        m_window->saveTo(file("net.json"));
        QTRY_COMPARE(a->file().target(), file("net.json"));
        QTRY_VERIFY(!a->operations().isWriting());
        const QByteArray before = bytesOf(file("net.json"));
        auto made = fx::History::edited(*a->module(), R"([{"step": "rename", "node": "mul", "name": "packed"}])"_steps);
        QVERIFY(
            a->versions().adoptEdit(QStringLiteral("Quantise"), R"([{"step": "quantize"}])"_steps, std::move(made)));
        QCOMPARE(proposal(*m_window->actions().save).second, QStringLiteral("net_quantised.json"));
        // Its own file is the only one with the weights in floating point
        typeInDialog("net.json", "Cancel");
        m_window->actions().saveAs->trigger();
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("Quantising cannot be reversed")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("net.json")), before);
        m_window->saveTo(file("net.py")); // source alone: the file of the document is still the other one
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        sheet->saveAnyway()->click();
        QTRY_VERIFY(QFile::exists(file("net.py")) && !a->operations().isWriting());
        QVERIFY(!proposal(*m_window->actions().save).second.isEmpty());
        QCOMPARE(bytesOf(file("net.json")), before);
        m_window->saveTo(file("net_quantised.json"));
        QTRY_COMPARE(a->file().target(), file("net_quantised.json"));
        QVERIFY(rename(*a, "packed", "again"));
        m_window->actions().save->trigger(); // this is its file
        QTRY_VERIFY(!a->isModified() && !a->operations().isWriting());
        QVERIFY(holds(file("net_quantised.json"), "again"));
        const QByteArray quantised = bytesOf(file("net_quantised.json"));
        a->versions().goTo(0);
        QCOMPARE(proposal(*m_window->actions().save).second, QStringLiteral("net.json"));
        QCOMPARE(bytesOf(file("net_quantised.json")), quantised);
        QCOMPARE(bytesOf(file("net.json")), before);
    }

    void saveAs_extension_isThereBeforeItAsksToReplace() {
        QVERIFY(openCopy("other.pt"));
        QVERIFY(QFile::copy(file("other.pt"), file("net.pt")));
        typeInDialog("net", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("net.pt already exists. Replace it?")), qPrintable(m_asked[0]));
        QVERIFY(!m_window->currentDocument()->operations().isWriting());
    }

    void saveAs_overALink_namesWhatIsReplaced() {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        QVERIFY(openCopy("a.pt"));
        QVERIFY(QFile::copy(file("a.pt"), file("models/net.pt")));
        QVERIFY(QFile::link(QStringLiteral("models/net.pt"), file("link.pt")));
        typeInDialog("link.pt", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(
            m_asked[0].startsWith(QStringLiteral("link.pt is a link to %1, which already exists. Replace that file?")
                                      .arg(QFileInfo(file("models/net.pt")).canonicalFilePath())),
            qPrintable(m_asked[0]));
    }

    void saveAs_folderThatHoldsOtherFiles_isRefusedBeforeItAsksToReplace() {
        QVERIFY(openCopy("a.pt"));
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("full")));
        for (const char* name : {"full/module.py", "full/mine.txt"})
            QVERIFY(QFile(file(name)).open(QIODevice::WriteOnly));
        whenFileDialog([this](QFileDialog* dialog) {
            const QStringList filters = dialog->nameFilters();
            const auto folder = std::find_if(filters.begin(), filters.end(), [](const QString& each) {
                return each.startsWith(QStringLiteral("Folder"));
            });
            QVERIFY(folder != filters.end());
            dialog->selectNameFilter(*folder);
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("full"));
            answer(QStringLiteral("OK"));
            whenFileDialog([](QFileDialog* again) { again->reject(); }, 1);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("the folder also holds mine.txt, which would be lost")),
                 qPrintable(m_asked[0]));
        QVERIFY(QFile::exists(file("full/mine.txt")));
    }

    void picture_isWhatItsNameSays() {
        QVERIFY(openCopy("a.pt"));
        m_settings->setLastFolder(m_folder->path());
        whenFileDialog([](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("drawn.svg"));
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        m_window->actions().exportDot->trigger();
        QTRY_VERIFY(bytesOf(file("drawn.svg")).contains("<svg"));
        QVERIFY(!QFile::exists(file("drawn.svg.dot")));
    }

    void saveAs_proposesTheOwnFormat_andFolder_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"net.pt", "net.pth", "net.json", "net.lancet", "net/"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void saveAs_proposesTheOwnFormat_andFolder() {
        QFETCH(QString, name);
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("models/") + name);
        QTRY_COMPARE(a->file().target(), file("models/") + name);
        m_settings->setLastFolder(m_folder->path());
        const auto [folder, proposed] = proposal(*m_window->actions().saveAs);
        QCOMPARE(folder, file("models"));
        QCOMPARE(proposed, name.endsWith(u'/') ? name.chopped(1) : name);
    }

    void saveAs_ofAPart_proposesItsOwnName() {
        m_window->openModule(testing::matrixPower(1), QStringLiteral("net.pt › block.1 › mid.0"));
        QCOMPARE(proposal(*m_window->actions().saveAs).second, QStringLiteral("mid.0.pt"));
    }

    void save_openedDescription_proposesADescription() {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("models/net.json"));
        QTRY_COMPARE(a->file().target(), file("models/net.json"));
        for (const char* ending : {"json", "safetensors"})
            QVERIFY(QFile::copy(file("models/net.") + QLatin1String(ending),
                                file("models/other.") + QLatin1String(ending)));
        Document* opened = open(file("models/other.json"));
        QVERIFY(opened);
        QVERIFY(rename(*opened, "mul", "scaled"));
        m_settings->setLastFolder(m_folder->path());
        const auto [folder, proposed] = proposal(*m_window->actions().save);
        QCOMPARE(folder, file("models"));
        QCOMPARE(proposed, QStringLiteral("other.json"));
    }

    void saveAs_ofAnOpenedFolder_canReplaceIt() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("net/"));
        QTRY_COMPARE(a->file().target(), file("net/"));
        QVERIFY(rename(*a, "mul", "scaled"));
        answerAfterDialog("Replace");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("net/ already exists.")), qPrintable(m_asked[0]));
        QCOMPARE(a->file().target(), file("net/"));
    }

    void saveAs_description_asksAboutItsWeightsToo() {
        QVERIFY(openCopy("net.pt"));
        QFile weights(file("other.safetensors"));
        QVERIFY(weights.open(QIODevice::WriteOnly));
        typeInDialog("other.json", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("other.safetensors already exists.")), qPrintable(m_asked[0]));
        QVERIFY(!QFile::exists(file("other.json")));
    }

    void ending_followsTheFilter() {
        const std::vector<SaveFormat> formats{{QStringLiteral(".pt2"), {}},
                                              {QStringLiteral(".pt"), {}},
                                              {QStringLiteral("/"), {}},
                                              {QStringLiteral(".json"), {}}};
        const auto ending = [&](const char* typed, std::size_t chosen) {
            return withEnding(QLatin1String(typed), formats[chosen], formats);
        };
        QCOMPARE(ending("net", 0), QStringLiteral("net.pt2"));
        QCOMPARE(ending("net.v2", 0), QStringLiteral("net.v2.pt2"));
        QCOMPARE(ending("net.json", 0), QStringLiteral("net.json"));
        QCOMPARE(ending("net.pth", 1), QStringLiteral("net.pth"));
        QCOMPARE(ending("net", 2), QStringLiteral("net/"));
        QCOMPARE(ending("net.pt", 2), QStringLiteral("net.pt")); // nobody wants a folder of that name
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("is.pt")));
        QCOMPARE(ending(qPrintable(file("is.pt")), 2), file("is.pt/")); // unless there is one
        // What is written follows the ending, which is compared as it is.
        QCOMPARE(ending("NET.JSON", 1), QStringLiteral("NET.json"));
        QCOMPARE(ending("net.PT2", 1), QStringLiteral("net.pt2"));
        QCOMPARE(ending("net.PTH", 0), QStringLiteral("net.PTH"));
    }

    void endingOfAnotherFormat_isRefused() {
        const std::vector<SaveFormat> formats{{QStringLiteral(".pt"), {}}, {QStringLiteral(".json"), {}}};
        for (const char* typed : {"net", "net.v2", "net.pt", "net.PTH", "net.JSON", "net.pt2/", "resnet18.a1_in1k"})
            QVERIFY2(!otherFormat(QLatin1String(typed), formats), typed);
        for (const char* typed : {"net.pt2", "net.onnx", "net.TS"})
            QVERIFY2(otherFormat(QLatin1String(typed), formats), typed);
        const std::vector<SaveFormat> ofFolder{{QStringLiteral("/"), {}}, {QStringLiteral(".pt"), {}}};
        QVERIFY(!otherFormat(QStringLiteral("net.pth"), ofFolder));
        QCOMPARE(QByteArray(otherFormat(QStringLiteral("net.pt2"), formats)->what()),
                 QByteArray("this cannot be saved as .pt2"));
    }

    void save_folderHasGone_startsAboveIt_andNamesTheOtherFolder() {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models/deep")));
        Document* a = openCopy("models/deep/a.pt");
        QVERIFY(a);
        QVERIFY(QFile::copy(file("models/deep/a.pt"), file("models/a.pt")));
        const auto own = proposal(*m_window->actions().saveAs);
        QCOMPARE(own.first, QFileInfo(file("models/deep")).canonicalFilePath());
        QVERIFY(QDir(file("models/deep")).removeRecursively());
        const auto above = proposal(*m_window->actions().saveAs);
        QCOMPARE(above.first, QFileInfo(file("models")).canonicalFilePath());
        QCOMPARE(above.second, QStringLiteral("a.pt"));
        typeInDialog("a.pt", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("a.pt already exists in %1. Replace it?").arg(file("models"))),
                 qPrintable(m_asked[0]));
    }
};

QTEST_MAIN(TestSavingNames)
#include "tst_saving_names.moc"

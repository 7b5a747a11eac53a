// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "ui/shell/saving/note_bar.h"
#include "ui/widgets/failure_box.h"

#include <QMessageBox>
#include <QTest>

using namespace ui;

/// Notes that stay while they apply, and messages that appear once, in a box.
class TestNoteBar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void note_isShownUntilTheDocumentHasAFile() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("net › part"));
        NoteBar bar(document);
        QVERIFY(bar.isHidden());
        document.setNote(QStringLiteral("A copy."));
        QCOMPARE(bar.text(), QStringLiteral("A copy."));
        QVERIFY(document.versions().edit(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps));
        QCOMPARE(bar.text(), QStringLiteral("A copy."));
        document.setSaved(document.module(), QStringLiteral("/nowhere/own.pt"));
        QVERIFY(bar.isHidden());
    }

    void noPlaceForTheJournal_isShownWhileItIsSo() {
        const QByteArray state = qgetenv("XDG_STATE_HOME");
        qputenv("XDG_STATE_HOME", "/dev/null");
        Document document(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        NoteBar bar(document);
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Ready);
        QVERIFY(bar.isHidden());
        QVERIFY(document.versions().edit(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "mul", "name": "other"}])"_steps));
        const QString text = bar.text();
        QVERIFY2(text.startsWith(QStringLiteral("Edits here cannot be recovered after a crash: cannot write "
                                                "/dev/null/lancet/journals: Not a directory.")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("/dev/null/lancet/journals")), qPrintable(text));
        qputenv("XDG_STATE_HOME", state);
    }

    void failureOfACompiler_isMonospaced_othersAreNot() {
        QWidget window;
        window.show();
        const auto shown = [&](const char* what) {
            showFailure(&window, QStringLiteral("Could not save <a>.ts"),
                        fx::Error(fx::ErrorKind::Refused, fx::Message::received({}, {}, what)));
            auto* box = window.findChild<QMessageBox*>();
            const QString text = box->text() + u'|' + box->informativeText();
            delete box;
            return text;
        };
        const QString marked =
            shown("TorchScript cannot compile this model: no\n  return a < b\n         ~~~~~ <--- HERE");
        QVERIFY2(marked.startsWith(QStringLiteral("Could not save &lt;a&gt;.ts|")), qPrintable(marked));
        QVERIFY2(marked.contains(QStringLiteral("<pre ")), qPrintable(marked));
        QVERIFY2(marked.contains(QStringLiteral("return a &lt; b\n")), qPrintable(marked));
        QCOMPARE(shown("a < b"), QStringLiteral("Could not save <a>.ts|a < b"));
    }
};

QTEST_MAIN(TestNoteBar)
#include "tst_note_bar.moc"

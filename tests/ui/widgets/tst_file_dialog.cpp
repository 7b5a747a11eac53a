// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_dialog.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>

using namespace ui;

class TestFileDialog : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    static constexpr char kModels[] = "Models (*.pt *.json);;All files (*)";

    QString file(const char* name) const { return m_dir.filePath(QLatin1String(name)); }
    void make(const char* name) const {
        QFile made(file(name));
        QVERIFY(made.open(QIODevice::WriteOnly));
    }
    /// While a dialog waits.
    template<class Act> static void inDialog(const Act& act) {
        QTimer::singleShot(50, qApp, [act] {
            auto* dialog = qobject_cast<FileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            act(*dialog);
        });
    }

private Q_SLOTS:
    void initTestCase() {
        make("a_model_with_quite_a_long_name_of_its_own.pt");
        make("notes.txt");
        QVERIFY(QDir(m_dir.path()).mkdir(QStringLiteral("folder")));
    }

    void names_haveTheRoom_andOnlyModelsAreListed() {
        FileDialog dialog(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels));
        dialog.show();
        auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
        QVERIFY(files && files->isVisible());
        QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2); // the folder and the model
        const QString name = files->model()->index(1, 0, files->rootIndex()).data().toString();
        QTRY_VERIFY2(files->columnWidth(0) > files->fontMetrics().horizontalAdvance(name) + 24,
                     qPrintable(QString::number(files->columnWidth(0))));
        QVERIFY(files->header()->length() <= files->viewport()->width());
    }

    void folder_isTakenByItsButton() {
        FileDialog dialog(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels));
        dialog.setFileMode(QFileDialog::ExistingFiles);
        dialog.offerFolder(QStringLiteral("Open Folder"));
        inDialog([](FileDialog& shown) {
            auto* files = shown.findChild<QTreeView*>(QStringLiteral("treeView"));
            QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2);
            files->setCurrentIndex(files->model()->index(0, 0, files->rootIndex()));
            shown.folderButton()->click();
        });
        QCOMPARE(dialog.taken(), QStringList{file("folder")});
    }

    void nothingSelected_theFolderInViewIsTaken() {
        FileDialog dialog(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels));
        dialog.offerFolder(QStringLiteral("Open Folder"));
        inDialog([](FileDialog& shown) { shown.folderButton()->click(); });
        QCOMPARE(dialog.taken(), QStringList{QDir(m_dir.path()).absolutePath()});
    }

    void cancelled_nothingIsTaken() {
        inDialog([](FileDialog& shown) { shown.reject(); });
        QVERIFY(FileDialog::openFile(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels)).isEmpty());
    }

    void newFolderToWriteTo_isCreated() {
        inDialog([](FileDialog& shown) {
            shown.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("new/stages"));
            QMetaObject::invokeMethod(&shown, "accept", Qt::QueuedConnection);
        });
        QCOMPARE(FileDialog::saveFolder(nullptr, QStringLiteral("Folder"), m_dir.path()), file("new/stages"));
        QVERIFY(QFileInfo(file("new/stages")).isDir());
        QVERIFY(QDir(file("new")).removeRecursively());
    }

    /// Rows that Qt selects while one types are not what was typed. The name of one letter is one where Qt leaves the
    /// folder in view selected.
    void typedPath_isTaken_withTheCompletionListOpen_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("typed");
        for (const QString kind : {"folder to write", "folder", "file"}) {
            const QString ending = kind == QLatin1String("file") ? QStringLiteral("/in.pt") : QString();
            QTest::addRow("%s, whole path", qPrintable(kind)) << kind << file("o/st") + ending;
            QTest::addRow("%s, name", qPrintable(kind)) << kind << QStringLiteral("st") + ending;
        }
    }
    void typedPath_isTaken_withTheCompletionListOpen() {
        QFETCH(QString, kind);
        QFETCH(QString, typed);
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("o/st/deeper")));
        make("o/st/in.pt");
        make("o/in.pt");
        inDialog([typed](FileDialog& shown) {
            auto* files = shown.findChild<QTreeView*>(QStringLiteral("treeView"));
            QTRY_VERIFY(files->model()->rowCount(files->rootIndex()) > 0);
            auto* field = shown.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
            field->setFocus();
            QTest::qWait(100);
            for (const QChar key : typed) {
                QWidget* list = QApplication::activePopupWidget(); // gets the keys while it is open
                QTest::keyClick(list ? list : field, key.toLatin1());
                QTest::qWait(30);
            }
            QTest::qWait(300); // the completer has listed the folder
            QWidget* list = QApplication::activePopupWidget();
            QTest::keyClick(list ? list : field, Qt::Key_Return);
            QTest::qWait(50);
            if (shown.isVisible()) shown.reject();
        });
        const QString at = file("o"), title = QStringLiteral("Take");
        if (kind == QLatin1String("folder")) QCOMPARE(FileDialog::openFolder(nullptr, title, at), file("o/st"));
        else if (kind == QLatin1String("file"))
            QCOMPARE(FileDialog::openFile(nullptr, title, at, QLatin1String(kModels)), file("o/st/in.pt"));
        else QCOMPARE(FileDialog::saveFolder(nullptr, title, at), file("o/st"));
    }

    void rowChosenAfterTyping_isTaken() {
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("two/a")) &&
                QDir(m_dir.path()).mkpath(QStringLiteral("two/b")));
        inDialog([](FileDialog& shown) {
            auto* files = shown.findChild<QTreeView*>(QStringLiteral("treeView"));
            QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2);
            QTest::keyClicks(shown.findChild<QLineEdit*>(QStringLiteral("fileNameEdit")), QStringLiteral("a"));
            const QModelIndex row = files->model()->index(1, 0, files->rootIndex());
            if (QWidget* list = QApplication::activePopupWidget()) list->hide();
            QTest::mouseClick(files->viewport(), Qt::LeftButton, {}, files->visualRect(row).center());
            QMetaObject::invokeMethod(&shown, "accept", Qt::QueuedConnection);
        });
        QCOMPARE(FileDialog::openFolder(nullptr, QStringLiteral("Take"), file("two")), file("two/b"));
    }

    void savedName_getsItsEnding() {
        inDialog([](FileDialog& shown) {
            shown.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("rules"));
            QMetaObject::invokeMethod(&shown, "accept", Qt::QueuedConnection);
        });
        QCOMPARE(FileDialog::saveFile(nullptr, QStringLiteral("Save"), file("x"), QStringLiteral("Rules (*.json)")),
                 file("rules.json"));
    }

    void wholePath_ofAFileInTheFolder_canBeSaved() {
        make("there.pt");
        FileDialog dialog(nullptr, QStringLiteral("Save"), m_dir.path(), QLatin1String(kModels));
        dialog.setAcceptMode(QFileDialog::AcceptSave);
        dialog.setFileMode(QFileDialog::AnyFile);
        dialog.show();
        auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
        QTRY_VERIFY(files->model()->rowCount(files->rootIndex()) > 0);
        auto* field = dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        const QPushButton* save = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
        field->clear();
        QTest::keyClicks(field, file("there.pt"));
        QTRY_VERIFY(save->isEnabled());
        QTest::qWait(300); // the completer selects the file
        QVERIFY(save->isEnabled());
    }
};

QTEST_MAIN(TestFileDialog)
#include "tst_file_dialog.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/modal.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/save_path.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QStyledItemDelegate>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>

using namespace ui;

class TestFileDialog : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir, m_settings;
    static constexpr char kModels[] = "Models (*.pt *.json);;All files (*)";

    QString file(const char* name) const { return m_dir.filePath(QLatin1String(name)); }
    void make(const char* name) const {
        QFile made(file(name));
        QVERIFY(made.open(QIODevice::WriteOnly));
    }
    /// While a dialog waits.
    template<class Act> static void inDialog(const Act& act) {
        testing::whenOpen<FileDialog>(qApp, [act](FileDialog* dialog) { act(*dialog); });
    }
    /// The row of a file, whose place changes until all are listed and sorted.
    static QModelIndex rowOf(const QTreeView* files, const QString& name) {
        QModelIndexList rows;
        (void)QTest::qWaitFor([&] {
            const QModelIndex first = files->model()->index(0, 0, files->rootIndex());
            rows = files->model()->match(first, Qt::DisplayRole, name, 1, Qt::MatchExactly);
            return !rows.isEmpty();
        });
        return rows.value(0);
    }

private Q_SLOTS:
    void initTestCase() {
        // Qt keeps widths and sizes of its dialogs in a file that other tests write at the same time.
        QVERIFY(m_settings.isValid());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
        make("a_model_with_quite_a_long_name_of_its_own.pt");
        make("notes.txt");
        QVERIFY(QDir(m_dir.path()).mkdir(QStringLiteral("folder")));
    }

    void names_haveTheRoom_andOnlyModelsAreListed() {
        FileDialog dialog(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels));
        dialog.show();
        auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
        QVERIFY(files);
        QVERIFY(files->isVisible());
        QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2); // the folder and the model
        const QString name = QStringLiteral("a_model_with_quite_a_long_name_of_its_own.pt");
        QVERIFY(!files->model()->match(files->model()->index(0, 0, files->rootIndex()), Qt::DisplayRole, name).empty());
        dialog.resize(880, 560); // the screen of a test may have less
        QTRY_VERIFY2(files->columnWidth(0) > files->fontMetrics().horizontalAdvance(name) + 24,
                     qPrintable(QString::number(files->columnWidth(0))));
        QVERIFY(files->header()->length() <= files->viewport()->width());
    }

    void hiddenCharacters_areSpelled() {
        const QString name = QStringLiteral("net\u202etp.py"), spelled = QStringLiteral("net\\u202etp.py");
        QTemporaryDir folder;
        QFile made(folder.filePath(name));
        QVERIFY(made.open(QIODevice::WriteOnly));
        FileDialog dialog(nullptr, QStringLiteral("Open"), folder.path());
        dialog.show();
        auto* files = dialog.findChild<QTreeView*>(QStringLiteral("treeView"));
        QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 1);
        const QModelIndex index = files->model()->index(0, 0, files->rootIndex());
        const auto* shown = qobject_cast<QStyledItemDelegate*>(files->itemDelegateForIndex(index));
        QVERIFY(shown);
        QCOMPARE(shown->displayText(index.data(), {}), spelled);
        QVERIFY(dialog.spelled().isEmpty());
        auto* field = dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        const auto* proposed = qobject_cast<QStyledItemDelegate*>(field->completer()->popup()->itemDelegate());
        QVERIFY(proposed);
        QCOMPARE(proposed->displayText(name, {}), spelled);
        field->setText(name);
        QVERIFY2(dialog.spelled().endsWith(spelled), qPrintable(dialog.spelled()));
        QCOMPARE(dialog.selectedFiles(), QStringList{folder.filePath(name)}); // as it is
    }

    void folder_isTakenByItsButton() {
        FileDialog dialog(nullptr, QStringLiteral("Open"), m_dir.path(), QLatin1String(kModels));
        dialog.setFileMode(QFileDialog::ExistingFiles);
        dialog.offerFolder(QStringLiteral("Open Folder"));
        inDialog([](FileDialog& shown) {
            auto* files = shown.findChild<QTreeView*>(QStringLiteral("treeView"));
            QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2);
            files->setCurrentIndex(rowOf(files, QStringLiteral("folder")));
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
            QTRY_VERIFY(field->hasFocus());
            for (const QChar key : typed) {
                QWidget* list = QApplication::activePopupWidget(); // gets the keys while it is open
                QTest::keyClick(list ? list : field, key.toLatin1());
                QCoreApplication::processEvents();
            }
            const auto list = [] { return QApplication::activePopupWidget(); };
            const bool isListed = QTest::qWaitFor(list), isTaken = [&] {
                QTest::keyClick(isListed ? list() : field, Qt::Key_Return);
                return QTest::qWaitFor([&shown] { return !shown.isVisible(); });
            }();
            if (!isTaken) shown.reject();
            QVERIFY(isListed);
            QVERIFY(isTaken);
        });
        const QString at = file("o"), title = QStringLiteral("Take");
        if (kind == QLatin1String("folder")) QCOMPARE(FileDialog::openFolder(nullptr, title, at), file("o/st"));
        else if (kind == QLatin1String("file"))
            QCOMPARE(FileDialog::openFile(nullptr, title, at, QLatin1String(kModels)), file("o/st/in.pt"));
        else QCOMPARE(FileDialog::saveFolder(nullptr, title, at), file("o/st"));
    }

    void rowChosenAfterTyping_isTaken() {
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("two/a")));
        QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("two/b")));
        inDialog([](FileDialog& shown) {
            auto* files = shown.findChild<QTreeView*>(QStringLiteral("treeView"));
            QTRY_COMPARE(files->model()->rowCount(files->rootIndex()), 2);
            QTest::keyClicks(shown.findChild<QLineEdit*>(QStringLiteral("fileNameEdit")), QStringLiteral("a"));
            const QModelIndex row = rowOf(files, QStringLiteral("b"));
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
        QCOMPARE(askSavePath(nullptr, QStringLiteral("Save"), file("x"),
                             {{QStringLiteral(".json"), QStringLiteral("Rules (*.json)")}}),
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
        QTRY_VERIFY(files->selectionModel()->hasSelection()); // by the completer
        QVERIFY(save->isEnabled());
    }
};

QTEST_MAIN(TestFileDialog)
#include "tst_file_dialog.moc"

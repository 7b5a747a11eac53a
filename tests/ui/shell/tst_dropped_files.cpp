// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"
#include "tests/ui/support/models.h"
#include "ui/document/current_document.h"
#include "ui/shell/window/dropped_files.h"

#include <QFile>
#include <QMimeData>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestDroppedFiles : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QUrl file(const char* name, const char* content) {
        QFile made(m_folder.filePath(QLatin1String(name)));
        if (made.open(QIODevice::WriteOnly)) made.write(content);
        return QUrl::fromLocalFile(made.fileName());
    }
    QUrl recipe(const char* name) { return file(name, fx::recipeText(fx::History(testing::smallNet())).c_str()); }
    QUrl model(const char* name) { return file(name, R"({"format": "something else"})"); }

    /// What is announced for a drop.
    struct Fixture {
        CurrentDocument current;
        DroppedFiles dropped{current, nullptr};
        QSignalSpy files{&dropped, &DroppedFiles::fileChosen}, recipes{&dropped, &DroppedFiles::recipeChosen},
            notes{&dropped, &DroppedFiles::notified};
    };

private Q_SLOTS:
    void accepts_localFilesOnly() {
        QMimeData data;
        QVERIFY(!DroppedFiles::accepts(data));
        data.setUrls({QUrl(QStringLiteral("https://pytorch.org/"))});
        QVERIFY(!DroppedFiles::accepts(data));
        data.setUrls({QUrl(QStringLiteral("https://pytorch.org/")), QUrl::fromLocalFile(QStringLiteral("/net.pt"))});
        QVERIFY(DroppedFiles::accepts(data));
    }

    void model_isOpened_atOnceUnlessItMayBeARecipe() {
        Fixture f;
        f.dropped.take({QUrl::fromLocalFile(QStringLiteral("/net.pt")), QUrl(QStringLiteral("https://pytorch.org/"))});
        QCOMPARE(f.files.size(), 1);
        QCOMPARE(f.files[0][0].toString(), QStringLiteral("/net.pt"));
        const QUrl json = model("model.json");
        f.dropped.take({json});
        QCOMPARE(f.files.size(), 1);
        QTRY_COMPARE(f.files.size(), 2);
        QCOMPARE(f.files[1][0].toString(), json.toLocalFile());
        QVERIFY(f.recipes.isEmpty());
    }

    void recipe_isForTheModelInFront() {
        Fixture f;
        f.dropped.take({recipe("recipe.json")});
        QTRY_COMPARE(f.notes.size(), 1); // there is no model
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        f.current.set(&document);
        f.dropped.take({recipe("recipe.json")});
        QTRY_COMPARE(f.recipes.size(), 1);
        QCOMPARE(f.recipes[0][0].toString(), m_folder.filePath(QStringLiteral("recipe.json")));
        f.dropped.take({recipe("one.json"), recipe("two.json")});
        QTRY_COMPARE(f.notes.size(), 2); // one at a time
        f.dropped.take({recipe("recipe.json"), QUrl::fromLocalFile(QStringLiteral("/net.pt"))});
        QTRY_COMPARE(f.notes.size(), 3); // it may be meant for that model
        QCOMPARE(f.recipes.size(), 1);
        f.current.set(nullptr);
    }
};

QTEST_MAIN(TestDroppedFiles)
#include "tst_dropped_files.moc"

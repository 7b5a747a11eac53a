// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "ui/document/current_document.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

namespace {

struct Panel : QObject {
    QList<Document*> shown;
    void setDocument(Document* document) { shown << document; }
};

void fill(Document& document) { document.adopt(testing::smallNet(), QStringLiteral("small")); }

} // namespace

class TestCurrentDocument : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void set_anotherDocument_panelsTurnToIt() {
        CurrentDocument current;
        Panel early, late;
        Document one({}), two({});
        current.subscribe(&early);
        QVERIFY(early.shown.isEmpty());
        current.set(&one);
        current.subscribe(&late);
        current.set(&one); // nothing new
        current.set(&two);
        current.set(nullptr);
        QCOMPARE(early.shown, (QList<Document*>{&one, &two, nullptr}));
        QCOMPARE(late.shown, early.shown);
    }

    void ready_documentWithoutModel_isNull() {
        CurrentDocument current;
        Document document({});
        current.set(&document);
        QCOMPARE(current.get(), &document);
        QVERIFY(!current.ready());
        fill(document);
        QCOMPARE(current.ready(), &document);
    }

    void signals_ofTheDocumentInFrontOnly() {
        CurrentDocument current;
        Document front({}), behind({});
        fill(front), fill(behind);
        current.set(&behind);
        current.set(&front);
        QSignalSpy updated(&current, &CurrentDocument::updated), versions(&current, &CurrentDocument::versionChanged);
        behind.selection().selectAll();
        QCOMPARE(updated.count(), 0);
        front.selection().selectAll();
        QCOMPARE(updated.count(), 1);
        QVERIFY(front.versions().edit(QStringLiteral("Rename"),
                                      R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps));
        QVERIFY(versions.count() > 0);
    }

    void documentGone_isNull() {
        CurrentDocument current;
        auto document = std::make_unique<Document>(QString());
        current.set(document.get());
        document.reset();
        QVERIFY(!current.get());
        QVERIFY(!current.ready());
    }
};

QTEST_MAIN(TestCurrentDocument)
#include "tst_current_document.moc"

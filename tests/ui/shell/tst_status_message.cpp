// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/status_message.h"

#include <QStatusBar>
#include <QTest>

using namespace ui;

class TestStatusMessage : public QObject {
    Q_OBJECT

    using Subject = StatusMessage::Subject;

private Q_SLOTS:
    void show_message_hasItsSubjectUntilItIsReplaced() {
        QStatusBar bar;
        StatusMessage message(bar);
        message.show(QStringLiteral("Saving net.pt"), Subject::Saving);
        QCOMPARE(bar.currentMessage(), QStringLiteral("Saving net.pt"));
        QVERIFY(message.isAbout(Subject::Saving));
        message.show(QStringLiteral("Erased relu."), Subject::LastEdit);
        QVERIFY(message.isAbout(Subject::LastEdit));
        message.show(QStringLiteral("Copied the code."));
        QVERIFY(message.isAbout(Subject::Other));
    }

    void clear_orAnotherMessageInTheBar_endsTheSubject() {
        QStatusBar bar;
        StatusMessage message(bar);
        message.show(QStringLiteral("Saving net.pt"), Subject::Saving);
        message.clear();
        QCOMPARE(bar.currentMessage(), QString());
        QVERIFY(!message.isAbout(Subject::Saving));
        message.show(QStringLiteral("Saving net.pt"), Subject::Saving);
        bar.showMessage(QStringLiteral("a tip of a menu"));
        QVERIFY(!message.isAbout(Subject::Saving));
    }
};

QTEST_MAIN(TestStatusMessage)
#include "tst_status_message.moc"

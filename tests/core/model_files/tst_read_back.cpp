// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/model_files/read_back.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;

class tst_ReadBack : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_description = m_folder.filePath("net.json"), m_weights = m_folder.filePath("net.safetensors");

    Error failure() {
        try {
            (void)readBack(m_description.toStdString(), kSaveAsOther);
        } catch (const Error& error) { return error; }
        return {ErrorKind::Usage, Message::received({}, {}, "read")};
    }

private Q_SLOTS:
    void init() {
        writeIrJson(*openModel(LANCET_SOURCE_DIR "/tests/data/graphmodule/nested.pt"), m_description.toStdString());
    }

    void wrongContent_refusedWithTheRemedyOfTheCaller() {
        QVERIFY(readBack(m_description.toStdString(), kSaveAsOther) != nullptr);
        QVERIFY(QFile::resize(m_description, 40));
        const Error error = failure();
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY(error.message().is("saving.cannot_read_description"));
        QVERIFY(error.hint.starts_with("nothing was replaced; "));
        QVERIFY(!QString::fromStdString(error.hint).contains(".json"));
    }

    void weightsThatCannotBeRead_areNoRefusal() {
        QVERIFY(QFile::remove(m_weights) &&
                QDir().mkdir(m_weights)); // root may read every file, and none reads a folder
        QCOMPARE(failure().kind(), ErrorKind::File);
    }
};

QTEST_APPLESS_MAIN(tst_ReadBack)
#include "tst_read_back.moc"

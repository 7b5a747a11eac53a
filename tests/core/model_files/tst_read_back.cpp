// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/model_files/read_back.h"
#include "core/model_files/save_description.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <utility>

using namespace fx;

class TestReadBack : public QObject {
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

    void description_othersReplaceItWhileItIsSaved_neitherFileIsTouched() {
        const auto content = [](const QString& path) {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray weights = content(m_weights);
        bool replaced = false;
        const Progress progress({}, [&](std::string_view what, double) { // while the weights are written
            if (!what.starts_with("writing ") || std::exchange(replaced, true)) return;
            QFile other(m_folder.filePath("other"));
            QVERIFY(other.open(QIODevice::WriteOnly));
            other.write("another program's");
            other.close();
            QCOMPARE(::rename(other.fileName().toUtf8().constData(), m_description.toUtf8().constData()), 0);
        });
        const auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt");
        QVERIFY_THROWS_EXCEPTION(Error, saveDescription(*model, m_description.toStdString(), true, progress));
        QVERIFY(replaced);
        QCOMPARE(content(m_description), QByteArray("another program's"));
        QVERIFY(content(m_weights) == weights);
        QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 2);
        QVERIFY(saveDescription(*model, m_folder.filePath("fresh.json").toStdString(), true).verified);
        QVERIFY(QFile::remove(m_folder.filePath("fresh.json")));
        QVERIFY(QFile::remove(m_folder.filePath("fresh.safetensors")));
    }

    void weightsThatCannotBeRead_areNoRefusal() {
        QVERIFY(QFile::remove(m_weights));
        QVERIFY(QDir().mkdir(m_weights)); // root may read every file, and none reads a folder
        QCOMPARE(failure().kind(), ErrorKind::File);
    }
};

QTEST_APPLESS_MAIN(TestReadBack)
#include "tst_read_back.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/io/zip/checksums.h"
#include "core/io/zip/zip_archive.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace fx;

namespace {

const std::string kData = LANCET_SOURCE_DIR "/tests/data/zip/";

ZipArchive openFixture(const std::string& name) { return ZipArchive::open(DataFile::open(kData + name + ".zip")); }

/// Opens the archive and reads every member; the error's text, or empty.
QString errorOfReading(const std::string& path) {
    try {
        const ZipArchive archive = ZipArchive::open(DataFile::open(path));
        for (const ZipMember& member : archive.members()) {
            (void)archive.read(member, 1 << 20);
            std::vector<std::byte> start(std::min<std::uint64_t>(member.size, 16));
            archive.storage(member)->read(0, start);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File) qFatal("an error that is not of kind File");
        return QString::fromStdString(error.what());
    }
    return {};
}

} // namespace

class TestZipArchive : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wrongChecksums_nameTheMembers() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("stored.zip");
        QVERIFY(QFile::copy(QString::fromStdString(kData + "stored.zip"), path));
        QVERIFY(!wrongChecksums(path.toStdString()));
        QVERIFY(!wrongChecksums(folder.path().toStdString()));
        QVERIFY(!wrongChecksums("missing"));
        const ZipArchive archive = ZipArchive::open(DataFile::open(path.toStdString()));
        QFile bytes(path);
        QVERIFY(bytes.open(QIODevice::ReadWrite));
        QVERIFY(bytes.seek(static_cast<qint64>(archive.dataOffset(*archive.find("root/data/0"))) + 100));
        QVERIFY(bytes.write("?!", 2) == 2);
        bytes.close();
        const auto warning = wrongChecksums(path.toStdString());
        QVERIFY(warning);
        QVERIFY(warning->what.is("zip.wrong_sums"));
        QCOMPARE(warning->what.argument("names"), std::string("root/data/0"));
    }

    void open_goodArchives_membersAndContent_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"stored", "comment", "zip64_members", "zip64_end"}) QTest::newRow(name) << name;
    }

    void open_goodArchives_membersAndContent() {
        QFETCH(QString, name);
        const ZipArchive archive = openFixture(name.toStdString());
        QCOMPARE(archive.members().size(), std::size_t{3});
        QCOMPARE(archive.root(), std::string("root/"));
        const ZipMember* pickle = archive.findInRoot("data.pkl");
        QVERIFY(pickle);
        QVERIFY(pickle->stored);
        QCOMPARE(archive.readText(*pickle, 100), std::string("hello"));
        QVERIFY(ZipArchive::checksumMatches(*pickle, archive.read(*pickle, 100)));
        QVERIFY(!archive.find("data.pkl"));
        const ZipMember* data = archive.find("root/data/0");
        QVERIFY(data);
        const auto storage = archive.storage(*data);
        QCOMPARE(storage->byteCount(), 256u);
        QCOMPARE(storage->fileOffset(), archive.dataOffset(*data));
        std::vector<std::byte> bytes(2);
        storage->read(100, bytes);
        QCOMPARE(std::to_integer<int>(bytes[1]), 101);
    }

    void deflated_readForwardAndBack_sameBytes() {
        const ZipArchive archive = openFixture("deflated");
        const ZipMember* member = archive.findInRoot("data.pkl");
        QVERIFY(member);
        QVERIFY(!member->stored);
        const std::string text = archive.readText(*member, 1 << 20);
        QVERIFY(text.ends_with("line 2999 of a text that packs\n"));
        const auto storage = archive.storage(*member);
        for (const std::size_t offset : {70'000u, 80'000u, 5u, 0u}) {
            std::vector<std::byte> bytes(20);
            storage->read(offset, bytes);
            QCOMPARE(std::string(reinterpret_cast<const char*>(bytes.data()), 20), text.substr(offset, 20));
        }
        QVERIFY_THROWS_EXCEPTION(Error, archive.read(*member, 1000));
    }

    void open_odd_accepted() {
        QCOMPARE(openFixture("no_root").root(), std::string());
        QVERIFY(openFixture("empty").members().empty());
        QCOMPARE(openFixture("nested").members().size(), std::size_t{1});
        QVERIFY(ZipArchive::looksLikeZip(*DataFile::open(kData + "empty.zip")));
        QVERIFY(!ZipArchive::looksLikeZip(*DataFile::open(kData + "../make_zip_fixtures.py")));
    }

    void open_hostile_refused_data() {
        QTest::addColumn<QString>("why");
        QTest::newRow("bad_bomb") << "more than 20 times";
        QTest::newRow("bad_many_bombs") << "more than 20 times";
        QTest::newRow("bad_overlap") << "overlap";
        QTest::newRow("bad_100001_members") << "100001 members";
        QTest::newRow("bad_directory_outside") << "lies outside";
        QTest::newRow("bad_stored_two_sizes") << "two different sizes";
        QTest::newRow("bad_member_past_end") << "past the end";
        QTest::newRow("bad_method") << "expected deflate";
        QTest::newRow("bad_encrypted") << "encrypted";
        QTest::newRow("bad_no_end") << "end is missing";
    }

    void open_hostile_refused() {
        QFETCH(QString, why);
        const std::string name = QTest::currentDataTag();
        QVERIFY_THROWS_EXCEPTION(Error, openFixture(name));
        QVERIFY2(errorOfReading(kData + name + ".zip").contains(why),
                 qPrintable(errorOfReading(kData + name + ".zip")));
    }

    /// Refused by the sizes that the directory tells: nothing is inflated, and no memory is taken.
    void read_smallBomb_refusedBeforeInflating() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("bomb.zip");
        const auto put = [](QByteArray& out, quint64 value, int bytes) {
            for (int i = 0; i < bytes; ++i, value >>= 8) out.append(static_cast<char>(value));
        };
        const quint32 size = 48 << 20; // the archive as a whole may be opened
        const QByteArray packed = qCompress(QByteArray(size, '\0'), 9).mid(6).chopped(4),
                         name = "data.pkl"; // without zlib's frame
        QByteArray head, bytes = "PK\x03\x04";
        put(head, 20, 2), put(head, 0, 2), put(head, 8, 2), put(head, 0, 8);
        put(head, static_cast<quint64>(packed.size()), 4), put(head, size, 4);
        put(head, static_cast<quint64>(name.size()), 2), put(head, 0, 2);
        bytes += head + name + packed;
        const auto directory = static_cast<quint64>(bytes.size());
        bytes += "PK\x01\x02";
        put(bytes, 20, 2), bytes += head, put(bytes, 0, 14), bytes += name;
        const quint64 length = static_cast<quint64>(bytes.size()) - directory;
        bytes += "PK\x05\x06";
        put(bytes, 0, 4), put(bytes, 1, 2), put(bytes, 1, 2), put(bytes, length, 4), put(bytes, directory, 4),
            put(bytes, 0, 2);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(bytes) == bytes.size());
        file.close();
        const ZipArchive archive = ZipArchive::open(DataFile::open(path.toStdString()));
        const std::clock_t start = std::clock();
        try {
            archive.read(archive.members().front(), 1 << 30);
            QFAIL("it was inflated");
        } catch (const Error& error) {
            QCOMPARE(error.message().argument("cause"), std::string("zip.member_too_large"));
        }
        QVERIFY2(double(std::clock() - start) / CLOCKS_PER_SEC < 0.02 * LANCET_SLOWNESS,
                 "it took the time of inflating");
        std::vector<std::byte> piece(16); // a piece is read in bounded memory
        archive.storage(archive.members().front())->read(0, piece);
    }

    void read_damagedLater_refused() {
        QVERIFY(errorOfReading(kData + "late_header.zip").contains("header"));
        QVERIFY(errorOfReading(kData + "late_deflate.zip").contains("damaged"));
        const ZipArchive archive = ZipArchive::open(DataFile::open(kData + "late_deflate.zip"));
        QStringList places; // the member that is damaged
        for (const ZipMember& member : archive.members()) try {
                (void)archive.read(member, 1 << 20);
            } catch (const Error& error) {
                QCOMPARE(error.where, member.name);
                places << QString::fromStdString(error.where);
            }
        QVERIFY(!places.isEmpty());
    }

    void open_sample_onlyDirectoryNeeded() {
        const ZipArchive archive = ZipArchive::open(DataFile::open(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QCOMPARE(archive.root(), std::string("resnet/"));
        QVERIFY(archive.findInRoot("data.pkl"));
        QCOMPARE(archive.dataOffset(*archive.findInRoot("data/0")) % 64, 0u);
    }

    /// Cut at every 64th byte, and with single bytes changed, nothing worse than an Error happens.
    void open_truncatedOrFlipped_neverWorseThanAnError() {
        QTemporaryDir folder;
        for (const char* name : {"deflated", "zip64_end", "zip64_members"}) {
            QFile original(QString::fromStdString(kData) + name + ".zip");
            QVERIFY(original.open(QIODevice::ReadOnly));
            const QByteArray good = original.readAll();
            const QString path = folder.filePath("damaged.zip");
            const auto tryBytes = [&](const QByteArray& bytes) {
                QFile file(path);
                if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
                file.write(bytes);
                file.close();
                return errorOfReading(path.toStdString());
            };
            QVERIFY(tryBytes(good).isEmpty());
            for (qsizetype length = 0; length < good.size(); length += 64)
                QVERIFY(!tryBytes(good.left(length)).isEmpty());
            for (qsizetype i = good.size() - 400; i < good.size(); ++i)
                for (const char bits : {'\x01', '\x80', '\xff'}) {
                    QByteArray flipped = good;
                    flipped[i] = static_cast<char>(flipped[i] ^ bits);
                    (void)tryBytes(flipped);
                }
        }
    }
};

QTEST_APPLESS_MAIN(TestZipArchive)
#include "tst_zip_archive.moc"

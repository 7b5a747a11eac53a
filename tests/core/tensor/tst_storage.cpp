// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/tensor/storage.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <array>

#include <fcntl.h>
#include <sys/stat.h>

using namespace fx;

class TestStorage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char* name, const QByteArray& content) {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(content);
        return path.toStdString();
    }

    static QString errorOf(const std::function<void()>& action) {
        try {
            action();
        } catch (const Error& error) { return QString::fromStdString(error.what()); }
        return {};
    }

private Q_SLOTS:
    void read_region_itsBytes() {
        const auto file = DataFile::open(write("a", "0123456789"));
        const auto storage = Storage::inFile(file, 2, 5);
        std::array<std::byte, 3> bytes;
        storage->read(1, bytes);
        QCOMPARE(std::to_integer<char>(bytes[0]), '3');
        QVERIFY(!errorOf([&] { storage->read(3, bytes); }).isEmpty());
        QVERIFY(!errorOf([&] { Storage::inFile(file, 8, 3); }).isEmpty());
        QVERIFY(!errorOf([&] { Storage::inFile(file, ~0ull, 3); }).isEmpty());
    }

    void read_truncatedMeanwhile_noticed() {
        const std::string path = write("b", QByteArray(8192, 'x'));
        const auto file = DataFile::open(path);
        QVERIFY(file->unchanged());
        QVERIFY(QFile::resize(QString::fromStdString(path), 100));
        std::array<std::byte, 16> bytes;
        QVERIFY(errorOf([&] { file->read(4096, bytes); }).contains("changed on disk"));
        QVERIFY(errorOf([&] { file->read(0, bytes); }).contains("changed on disk"));
        QVERIFY(!file->unchanged());
    }

    void read_overwrittenMeanwhile_noticed() {
        const std::string path = write("c", "aaaa");
        const auto file = DataFile::open(path);
        const timespec times[2] = {{1, 0}, {1, 0}};
        write("c", "bbbb");
        QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
        std::array<std::byte, 4> bytes;
        QVERIFY(errorOf([&] { file->read(0, bytes); }).contains("changed on disk"));
    }

    void keepContent_overwrittenMeanwhile_oldContentStays() {
        const std::string path = write("k", "0123456789");
        const auto file = DataFile::open(path);
        file->keepContent();
        write("k", "other");
        const auto part = DataFile::part(file, 2, 5);
        std::array<std::byte, 3> bytes;
        part->read(1, bytes);
        QCOMPARE(std::to_integer<char>(bytes[0]), '3');
        QVERIFY(!errorOf([&] { file->read(8, bytes); }).isEmpty());
        QVERIFY(!file->unchanged());
        QVERIFY(file->isReadable());
    }

    void keepContent_largerThanMemory_sharesBlocksOrSaysSo() {
        const std::string path = write("large", "0123456789");
        const auto file = DataFile::open(path);
        const bool kept = file->keepContent(4); // as the file system can
        QVERIFY(file->isReadable());
        write("large", "other");
        QCOMPARE(file->isReadable(), kept);
        std::array<std::byte, 3> bytes;
        QCOMPARE(errorOf([&] { file->read(1, bytes); }).isEmpty(), kept);
        if (kept) QCOMPARE(std::to_integer<char>(bytes[0]), '1');
    }

    void read_replacedByRename_oldContentStays() {
        const std::string path = write("d", "old");
        const auto file = DataFile::open(path);
        QCOMPARE(std::rename(write("e", "new").c_str(), path.c_str()), 0);
        std::array<std::byte, 3> bytes;
        file->read(0, bytes);
        QCOMPARE(std::to_integer<char>(bytes[0]), 'o');
        QVERIFY(!file->unchanged());
    }

    void open_notAFile_refused() {
        QVERIFY(errorOf([&] { DataFile::open(m_folder.filePath("missing").toStdString()); }).contains("No such file"));
        QVERIFY(errorOf([&] { DataFile::open(m_folder.path().toStdString()); }).contains("directory"));
        const std::string pipe = m_folder.filePath("pipe").toStdString();
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY(errorOf([&] { DataFile::open(pipe); }).contains("not a regular file"));
    }

    void through_reader_isAsked() {
        const auto storage = Storage::through(10, [](std::uint64_t offset, std::span<std::byte> out) {
            for (std::byte& byte : out) byte = static_cast<std::byte>(offset++);
        });
        std::array<std::byte, 2> bytes;
        storage->read(7, bytes);
        QCOMPARE(std::to_integer<int>(bytes[1]), 8);
        QVERIFY(!errorOf([&] { storage->read(9, bytes); }).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestStorage)
#include "tst_storage.moc"

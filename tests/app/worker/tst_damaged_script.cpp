// SPDX-License-Identifier: GPL-3.0-or-later
// Broken and hostile TorchScript files: each is an error that names the file, whatever LibTorch does with it.
#include "core/io/zip/zip_archive.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/remote/script_message.h"
#include "core/torchscript/torchscript.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

constexpr std::uint64_t kMost = 1 << 20;

std::string sample(const char* name) { return std::string(LANCET_SOURCE_DIR "/tests/data/torchscript/") + name; }

QByteArray bytesOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The sample with one member's content changed; members keep their order.
QByteArray with(const char* name, const std::string& member, const std::function<std::string(std::string)>& change) {
    const auto archive = ZipArchive::open(DataFile::open(sample(name)));
    QByteArray out;
    ZipWriter zip([&out](std::string_view bytes) { out.append(bytes.data(), static_cast<qsizetype>(bytes.size())); });
    for (const ZipMember& each : archive.members()) {
        const std::string content = archive.readText(each, kMost);
        zip.add(each.name, each.name.ends_with(member) ? change(content) : content);
    }
    zip.finish();
    return out;
}

QByteArray replaced(const char* name, const std::string& member, const std::string& before, const std::string& after) {
    return with(name, member, [&](std::string text) {
        const std::size_t at = text.find(before);
        if (at == text.npos) qFatal("the sample has no such text: %s", before.c_str());
        return text.replace(at, before.size(), after);
    });
}

void put(QByteArray& out, quint64 value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.append(static_cast<char>(value >> (8 * i)));
}

/// A deflated member of zeros in front of the sample's: a few bytes that unpack to many.
QByteArray bomb(const char* name, const std::string& member, qsizetype size) {
    const auto archive = ZipArchive::open(DataFile::open(sample(name)));
    QByteArray out, directory;
    int count = 0;
    for (const ZipMember& each : archive.members()) {
        const bool grows = each.name.ends_with(member);
        const std::string text = archive.readText(each, kMost);
        const QByteArray content = grows ? QByteArray(size, '\0') : QByteArray::fromStdString(text);
        const QByteArray packed = grows ? qCompress(content, 9).mid(6).chopped(4) : content; // without zlib's frame
        QByteArray head;
        put(head, 20, 2), put(head, 0, 2), put(head, grows ? 8 : 0, 2), put(head, 0, 4);
        put(head, 0, 4); // nobody gets as far as the checksum
        put(head, static_cast<quint64>(packed.size()), 4), put(head, static_cast<quint64>(content.size()), 4);
        put(head, each.name.size(), 2), put(head, 0, 2);
        const auto start = static_cast<quint64>(out.size());
        out += QByteArrayLiteral("PK\x03\x04") + head + QByteArray::fromStdString(each.name) + packed;
        directory += QByteArrayLiteral("PK\x01\x02");
        put(directory, 20, 2), directory += head, put(directory, 0, 2), put(directory, 0, 2), put(directory, 0, 2);
        put(directory, 0, 4), put(directory, start, 4);
        directory += QByteArray::fromStdString(each.name), ++count;
    }
    const auto start = static_cast<quint64>(out.size());
    out += directory + QByteArrayLiteral("PK\x05\x06");
    put(out, 0, 4), put(out, static_cast<quint64>(count), 2), put(out, static_cast<quint64>(count), 2);
    put(out, static_cast<quint64>(directory.size()), 4), put(out, start, 4), put(out, 0, 2);
    return out;
}

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

} // namespace

class TestDamagedScript : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    WorkerClient m_worker{{{LANCET_WORKER}, true, 0}};

    /// One worker describes all files.
    std::shared_ptr<GraphModule> open(const std::string& path) {
        OpenOptions options;
        options.readers.script = [this](const std::string& file, const Progress& progress) {
            return describeByWorker(file, progress, m_worker);
        };
        return openModel(path, options);
    }

    /// Opens the bytes as a file: an error of the file that names it, or, if `mayOpen`, a graph.
    void check(const QByteArray& bytes, bool mayOpen = false) {
        const std::string path = m_folder.filePath("damaged.ts").toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.close();
        try {
            open(path);
            QVERIFY2(mayOpen, "it was opened");
        } catch (const Error& error) {
            QVERIFY2(error.kind() == ErrorKind::File || (mayOpen && error.kind() == ErrorKind::Refused), error.what());
            QVERIFY2(error.file.find("damaged.ts") != std::string::npos, error.what());
            QVERIFY(!std::string(error.what()).empty());
            QVERIFY(std::string(error.what()).find('\0') == std::string::npos);
        }
    }

private Q_SLOTS:
    void truncated_isAnErrorOfTheFile_data() {
        QTest::addColumn<int>("permille");
        for (int permille = 0; permille < 1000; permille += 25) QTest::addRow("cut at %d", permille) << permille;
    }
    void truncated_isAnErrorOfTheFile() {
        QFETCH(int, permille);
        const QByteArray whole = bytesOf(sample("traced.ts"));
        check(whole.left(whole.size() * permille / 1000));
    }

    void flipped_neverEndsBadly_data() {
        QTest::addColumn<int>("permille");
        for (int permille = 0; permille < 1000; permille += 25) QTest::addRow("flipped at %d", permille) << permille;
    }
    void flipped_neverEndsBadly() {
        QFETCH(int, permille);
        QByteArray bytes = bytesOf(sample("traced.ts"));
        for (qsizetype i = 0; i < 24; ++i) {
            char& byte = bytes[bytes.size() * permille / 1000 + i];
            byte = static_cast<char>(~byte);
        }
        check(bytes, true); // weights may be hit, which no reader can see
    }

    void code_damaged_isAnErrorOfTheFile_data() {
        QTest::addColumn<QByteArray>("bytes");
        const std::string code = "code/__torch__.py", call = "(_1).forward1(input, )";
        for (const int percent : {10, 30, 50, 60, 70, 80, 90})
            QTest::addRow("cut at %d", percent) << with("traced.ts", code, [percent](const std::string& text) {
                return text.substr(0, text.size() * static_cast<std::size_t>(percent) / 100);
            });
        QTest::newRow("empty") << with("traced.ts", code, [](const std::string&) { return std::string(); });
        QTest::newRow("zeros") << with("traced.ts", code,
                                       [](const std::string& text) { return std::string(text.size(), '\0'); });
        QTest::newRow("unknown operator") << replaced("traced.ts", code, "torch.view(", "torch.vjew(");
        QTest::newRow("unknown class") << replaced("traced.ts", code, "container.Sequential", "container.Sequence");
        QTest::newRow("unknown attribute") << replaced("traced.ts", code, "self.net\n", "self.nett\n");
        QTest::newRow("constant past the end") << replaced("traced.ts", code, "CONSTANTS.c0", "CONSTANTS.c99");
        QTest::newRow("no constant") << replaced("traced.ts", code, "CONSTANTS.c0", "CONSTANTS.cx");
        QTest::newRow("wrong type") << replaced("traced.ts", code, "int(_2)", "str(_2)");
        QTest::newRow("calls itself") << replaced("traced.ts", code, call, "(self).forward(input, )");
        QTest::newRow("deep") << replaced("traced.ts", code, call,
                                          repeated("(", 200'000) + "x" + repeated(")", 200'000));
        QTest::newRow("deep negation") << replaced("traced.ts", code, call, repeated("-", 200'000) + "x");
        QTest::newRow("deep type") << replaced("traced.ts", code, "x: Tensor",
                                               "x: " + repeated("List[", 200'000) + "int" + repeated("]", 200'000));
        QTest::newRow("class of itself") << replaced(
            "traced.ts", code, "__torch__.torch.nn.modules.container.Sequential", "__torch__.Traced");
    }
    void code_damaged_isAnErrorOfTheFile() {
        QFETCH(QByteArray, bytes);
        check(bytes);
    }

    void pickle_damaged_isAnErrorOfTheFile_data() {
        QTest::addColumn<QByteArray>("bytes");
        const std::string head("\x80\x02", 2);
        const std::vector<std::pair<const char*, std::string>> pickles = {
            {"empty", ""},
            {"none", head + "N."},
            {"list in itself", head + "]q\x01h\x01" + "a."},
            {"number", head + "K\x05."},
            {"stack underflow", head + "R."},
            {"no end", head + "]"},
            {"unknown memo", head + "h\x63."},
            {"deep", head + repeated("]", 300'000) + repeated("a", 299'999) + "."},
            {"doubled", head + "]q\x01" + repeated("(h\x01h\x01tq\x01", 60) + "."},
            {"class of Python", head + "cos\nsystem\n(X\x04" + std::string(3, '\0') + "trueTR."},
            {"long text", head + "X" + std::string("\xff\xff\xff\x7f", 4) + "a."},
            {"tensor of nothing", head + "ctorch._utils\n_rebuild_tensor_v2\n)R."}};
        for (const char* member : {"data.pkl", "constants.pkl"})
            for (const auto& [name, pickle] : pickles) {
                if (std::string(member) == "constants.pkl" && std::string(name) == "none") continue;
                QTest::addRow("%s: %s", member, name)
                    << with("traced.ts", std::string("traced/") + member,
                            [&pickle = pickle](const std::string&) { return pickle; });
            }
    }
    void pickle_damaged_isAnErrorOfTheFile() {
        QFETCH(QByteArray, bytes);
        check(bytes);
    }

    void library_unknown_isKept() {
        const std::string path = m_folder.filePath("library.ts").toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(replaced("traced.ts", "code/__torch__.py", "torch.view(_0", "ops.nowhere.view(_0"));
        file.close();
        const std::string graph = graphText(open(path)->graph);
        QVERIFY2(graph.find("nowhere.view") != std::string::npos, graph.c_str());
    }

    void members_damaged_areErrorsOfTheFile_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("other version") << with("traced.ts", "version", [](const std::string&) { return "99999"; });
        QTest::newRow("no version") << with("traced.ts", "version", [](const std::string&) { return "x"; });
        QTest::newRow("short weights") << with("traced.ts", "data/0", [](const std::string&) { return "1234"; });
        QTest::newRow("bomb of code") << bomb("traced.ts", "code/__torch__.py", qsizetype{100} << 20);
        QTest::newRow("bomb of constants") << bomb("traced.ts", "traced/constants.pkl", qsizetype{60} << 20);
        QTest::newRow("bomb of weights") << bomb("traced.ts", "data/0", qsizetype{60} << 20);
        QTest::newRow("bomb of data") << bomb("traced.ts", "traced/data.pkl", qsizetype{300} << 20);
    }
    void members_damaged_areErrorsOfTheFile() {
        QFETCH(QByteArray, bytes);
        check(bytes);
    }

    /// Each opcode is an object of LibTorch: these would take a gigabyte.
    void pickle_ofManyObjects_isRefusedBeforeLibTorchSeesIt_data() {
        QTest::addColumn<QString>("member");
        for (const char* member : {"traced/constants.pkl", "traced/data.pkl"}) QTest::newRow(member) << member;
    }
    void pickle_ofManyObjects_isRefusedBeforeLibTorchSeesIt() {
        QFETCH(QString, member);
        const QByteArray bytes = with("traced.ts", member.toStdString(), [](const std::string& text) {
            return "\x80\x02(" + std::string(6'000'000, ']') + "1" + text.substr(2); // popped again
        });
        const QString path = m_folder.filePath("many.ts");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(bytes) == bytes.size());
        file.close();
        try {
            open(path.toStdString());
            QFAIL("it was opened");
        } catch (const Error& error) {
            QVERIFY2(error.message().is("script.too_many_objects"), error.what());
            QVERIFY(!error.hint.empty());
        }
    }

    void whole_isOpenedAfterAllThat() {
        check(with("traced.ts", "", [](std::string text) { return text; }), true);
    }
};

QTEST_GUILESS_MAIN(TestDamagedScript)
#include "tst_damaged_script.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickler.h"
#include "core/io/pickle/unpickler.h"
#include "tests/sanitized.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <bit>

using namespace fx;

namespace {

PickleArena load(const QByteArray& bytes) {
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.constData());
    return unpickle(std::make_shared<const std::vector<std::byte>>(begin, begin + bytes.size()), "data.pkl");
}

QString errorOf(const QByteArray& bytes) {
    try {
        (void)load(bytes);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File || error.where.find("byte ") == std::string::npos)
            qFatal("an error without its place");
        return QString::fromStdString(error.what());
    }
    return {};
}

QString hex(std::string_view bytes) {
    return QString::fromLatin1(QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())).toHex());
}

/// The notation of make_pickle_fixtures.py.
constexpr int kMostMillis = kPatience * 2000;

class Describer {
public:
    explicit Describer(const PickleArena& arena) : m_arena(arena) {}

    QString describe(PickleRef ref) {
        if (std::find(m_path.begin(), m_path.end(), ref) != m_path.end()) return "^";
        m_path.push_back(ref);
        const QString text = inner(ref);
        m_path.pop_back();
        return text;
    }

private:
    QString inner(PickleRef ref) {
        const auto name = [&](PickleRef global) { return "@" + QString::fromStdString(m_arena.qualifiedName(global)); };
        switch (m_arena.kind(ref)) {
        case PickleKind::None: return "N";
        case PickleKind::Bool: return m_arena.boolean(ref) ? "T" : "F";
        case PickleKind::Int: return "i" + QString::number(m_arena.integer(ref));
        case PickleKind::BigInt: return "i" + QString::fromStdString(m_arena.bigIntDigits(ref));
        case PickleKind::Float:
            return "f" + QString("%1").arg(std::bit_cast<quint64>(m_arena.real(ref)), 16, 16, QChar('0'));
        case PickleKind::String: return "s" + hex(m_arena.text(ref));
        case PickleKind::Bytes: return "b" + hex(m_arena.text(ref));
        case PickleKind::ByteArray: return "a" + hex(m_arena.text(ref));
        case PickleKind::Tuple: return "(" + items(ref) + ")";
        case PickleKind::List: return "[" + items(ref) + "]";
        case PickleKind::Dict: return pairs(ref);
        case PickleKind::Set: return "<" + items(ref) + ">";
        case PickleKind::FrozenSet: return "!<" + items(ref) + ">";
        case PickleKind::Global: return name(ref);
        case PickleKind::Persistent: return "P" + describe(m_arena.callee(ref));
        case PickleKind::Reduce: return "R" + name(m_arena.callee(ref)) + rest(ref);
        case PickleKind::NewObj: return "O" + name(m_arena.callee(ref)) + rest(ref);
        case PickleKind::NewObjEx: return "X" + name(m_arena.callee(ref)) + rest(ref);
        }
        return "?";
    }
    QString items(PickleRef ref) {
        QStringList list;
        for (const PickleRef item : m_arena.items(ref)) list << describe(item);
        return list.join(",");
    }
    QString pairs(PickleRef ref) {
        const std::vector<PickleRef> all = m_arena.pairs(ref);
        QStringList list;
        for (std::size_t i = 0; i + 1 < all.size(); i += 2) list << describe(all[i]) + ":" + describe(all[i + 1]);
        return "{" + list.join(",") + "}";
    }
    QString rest(PickleRef ref) {
        QString text = describe(m_arena.args(ref));
        const QString grown = m_arena.pairs(ref).empty() ? QString() : pairs(ref);
        if (m_arena.state(ref) != kNoPickle) text += "|" + describe(m_arena.state(ref));
        else if (!grown.isEmpty()) text += "|";
        return grown.isEmpty() ? text : text + "|" + grown;
    }
    const PickleArena& m_arena;
    std::vector<PickleRef> m_path;
};

QByteArray nested(qsizetype levels, char open, char close) {
    return QByteArray("\x80\x02", 2) + QByteArray(levels, open) + QByteArray(levels - 1, close) + '.';
}

} // namespace

class TestUnpickler : public QObject {
    Q_OBJECT

    static QList<QStringList> cases() {
        QFile file(LANCET_SOURCE_DIR "/tests/data/pickle/cases.txt");
        if (!file.open(QIODevice::ReadOnly)) qFatal("no cases");
        QList<QStringList> result;
        for (const QString& line : QString::fromLatin1(file.readAll()).split('\n', Qt::SkipEmptyParts))
            result << line.split('\t');
        return result;
    }

private Q_SLOTS:
    void load_pythonsPickles_sameValues_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("expected");
        for (const QStringList& fields : cases())
            QTest::newRow(qPrintable(fields[0])) << QByteArray::fromHex(fields[1].toLatin1()) << fields[2];
    }

    void load_pythonsPickles_sameValues() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, expected);
        const PickleArena arena = load(bytes);
        QCOMPARE(Describer(arena).describe(arena.root()), expected);
    }

    void load_cutShort_error() {
        for (const QStringList& fields : cases()) {
            const QByteArray bytes = QByteArray::fromHex(fields[1].toLatin1());
            const qsizetype step = std::max<qsizetype>(1, bytes.size() / 64);
            for (qsizetype length = 0; length < bytes.size(); length += step)
                QVERIFY2(!errorOf(bytes.left(length)).isEmpty(), qPrintable(fields[0]));
        }
    }

    void load_bitsFlipped_noCrash() {
        quint32 seed = 1;
        const auto random = [&](qsizetype below) {
            seed = seed * 1664525u + 1013904223u;
            return static_cast<qsizetype>(seed >> 8) % below;
        };
        for (const QStringList& fields : cases()) {
            const QByteArray bytes = QByteArray::fromHex(fields[1].toLatin1());
            for (int i = 0; i < 40; ++i) {
                QByteArray flipped = bytes;
                flipped[random(flipped.size())] ^= static_cast<char>(1 << random(8));
                (void)errorOf(flipped);
            }
        }
    }

    void load_wouldRunCode_onlyDescribed() {
        const PickleArena arena = load("cos\nsystem\n(S'touch /tmp/lancet-was-here'\ntR.");
        QVERIFY(arena.isCallOf(arena.root(), "os.system"));
        QVERIFY(!QFile::exists("/tmp/lancet-was-here"));
    }

    void load_refusedOpcodes_reasonAndPlace_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, QByteArray bytes, const char* why) {
            QTest::newRow(name) << bytes << why;
        };
        row("extension registry", QByteArray("\x82\x01.", 3), "extension registry");
        row("out-of-band buffer", QByteArray("\x97.", 2), "not in the file");
        row("newer protocol", QByteArray("\x80\x06N.", 4), "expected at most 5");
        row("unknown opcode", QByteArray("\xff.", 2), "unknown opcode 255");
        row("empty stack", ".", "stack is empty");
        row("below a mark", "K\x01(.", "stack is empty");
        row("missing mark", "K\x01t.", "missing mark");
        row("unknown memo", QByteArray("h\x05.", 3), "does not hold");
        row("absurd memo", QByteArray("Nr\xff\xff\xff\x7f.", 7), "memo has holes");
        row("absurd length", QByteArray("X\xff\xff\xff\xff.", 6), "ends early");
        row("absurd 64-bit length", QByteArray("\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", 10), "ends early");
        row("negative length", QByteArray("\x8b\xff\xff\xff\xff.", 6), "negative length");
        row("text that is not UTF-8", QByteArray("X\x02\0\0\0\xc0\x80.", 8), "not UTF-8");
        row("append to a number",
            "K\x01K\x02"
            "a.",
            "not a container");
        row("odd dict", "}(K\x01u.", "without a value");
        row("state of a number", "K\x01}b.", "not an object");
        row("state twice", "ca\nb\n)R}b}b.", "twice");
        row("bad number", "Ixyz\n.", "invalid number");
        row("bad float", "F\n.", "invalid number");
        row("bad escape", "S'\\x1'\n.", "invalid string");
        row("global without a name", "NN\x93.", "no name");
    }

    void load_refusedOpcodes_reasonAndPlace() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, why);
        QVERIFY2(errorOf(bytes).contains(why), qPrintable(errorOf(bytes)));
    }

    void load_millionLevels_fast_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("lists") << nested(1'000'000, ']', 'a');
        QTest::newRow("tuples") << QByteArray(")") + QByteArray(1'000'000, '\x85') + ".";
        QTest::newRow("marks") << QByteArray(1'000'000, '(') + QByteArray(1'000'000, 'l') + ".";
        QByteArray dicts = "}";
        for (int i = 0; i < 1'000'000; ++i) dicts += "K\x01}";
        QTest::newRow("dicts") << dicts + QByteArray(1'000'000, 's') + ".";
        QByteArray calls = "N";
        for (int i = 0; i < 1'000'000; ++i) calls += "\x85";
        QTest::newRow("calls") << "(ca\nb\n" + calls + "R.";
    }

    void load_millionLevels_fast() {
        QFETCH(QByteArray, bytes);
        QElapsedTimer timer;
        timer.start();
        {
            const PickleArena arena = load(bytes);
            QVERIFY(arena.size() >= 1'000'000);
        }
        QVERIFY2(timer.elapsed() < kMostMillis, qPrintable(QString::number(timer.elapsed())));
    }

    void load_moreThanMemoryAllows_refused() {
        QVERIFY(errorOf(nested(20'000'000, ']', 'a')).contains("too many objects"));
        QVERIFY(errorOf(QByteArray(30'000'000, '(')).contains("too many objects"));
    }

    /// A model of a million modules has such a pickle.
    void load_objectsOfALargeFile_read() {
        constexpr int kTexts = 9'000'000;
        const QByteArray text = "\x8c" + QByteArray(1, 20) + QByteArray(20, 'a') + "0"; // one object, popped again
        QVERIFY(load(text.repeated(kTexts) + "N.").size() > std::size_t{kTexts});
    }

    void load_sameGlobalTwice_oneObject() {
        Pickler pickler;
        pickler.mark();
        pickler.global("collections", "OrderedDict");
        pickler.global("collections", "Counter");
        pickler.text("\u00e9");
        const std::uint32_t text = pickler.put();
        pickler.global("collections", "OrderedDict");
        pickler.get(text);
        pickler.tuple();
        const std::string bytes = pickler.finish();
        QCOMPARE(QByteArray::fromStdString(bytes).count("OrderedDict"), 1);
        const PickleArena arena = load(QByteArray::fromStdString(bytes));
        const std::vector<PickleRef> items = arena.items(arena.root());
        QCOMPARE(items.size(), std::size_t{5});
        QCOMPARE(arena.qualifiedName(items[0]), std::string("collections.OrderedDict"));
        QCOMPARE(arena.qualifiedName(items[1]), std::string("collections.Counter"));
        QCOMPARE(items[3], items[0]);
        QCOMPARE(items[4], items[2]);
    }
    void find_lastKeyWins() {
        const PickleArena arena = load("}(S'a'\nK\x01S'a'\nK\x02u.");
        QCOMPARE(arena.integer(arena.find(arena.root(), "a")), std::int64_t{2});
        QCOMPARE(arena.find(arena.root(), "b"), kNoPickle);
    }
};

QTEST_APPLESS_MAIN(TestUnpickler)
#include "tst_unpickler.moc"

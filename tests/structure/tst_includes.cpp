// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/structure/repository_files.h"

#include <QRegularExpression>
#include <QTest>

using namespace structure;

namespace {

/// The include lines of all sources below `folder`: the file, and what it includes.
QList<std::pair<QString, QString>> includesBelow(const QString& folder) {
    static const QRegularExpression line(QStringLiteral("^#include [\"<]([^\">]+)[\">]"),
                                         QRegularExpression::MultilineOption);
    QList<std::pair<QString, QString>> out;
    for (const QString& file : filesBelow(folder)) {
        const QString text = textOf(file);
        for (auto match = line.globalMatch(text); match.hasNext();) out.emplace_back(file, match.next().captured(1));
    }
    return out;
}

/// The words of a list in a CMakeLists.txt: what the first group of `list` matches.
QStringList wordsOf(const char* file, const char* list) {
    const QString text = textOf(QString::fromLatin1(file));
    static const QRegularExpression space(QStringLiteral("\\s+"));
    return QRegularExpression(QString::fromLatin1(list)).match(text).captured(1).split(space, Qt::SkipEmptyParts);
}

/// The folders of core in the order of core/CMakeLists.txt; engine comes last.
QStringList foldersOfCore() {
    return wordsOf("core/CMakeLists.txt", "foreach\\(folder ([^)]*)\\)") << QStringLiteral("engine");
}

/// The folders of ui in the order of ui/CMakeLists.txt.
QStringList foldersOfUi() { return wordsOf("ui/CMakeLists.txt", "LANCET_UI_FOLDERS ([^)]*)\\)"); }

/// What files of `layer` include from folders of it that come after their own.
QStringList includesOfLaterFolders(const QString& layer, const QStringList& order) {
    QStringList wrong;
    for (const auto& [file, included] : includesBelow(layer)) {
        if (!included.startsWith(layer + u'/')) continue;
        const QString from = file.section(u'/', 1, 1), to = included.section(u'/', 1, 1);
        if (!order.contains(from)) wrong << QStringLiteral("%1 is not listed in %2/CMakeLists.txt").arg(from, layer);
        if (!order.contains(to) || order.indexOf(to) > order.indexOf(from))
            wrong << file + QStringLiteral(" includes ") + included;
    }
    return wrong;
}

} // namespace

/// The architecture as the includes show it: core's folders in their order, `app → ui → core`, LibTorch in two places.
class TestIncludes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void core_includesEarlierFoldersOnly() {
        const QStringList order = foldersOfCore(), wrong = includesOfLaterFolders(QStringLiteral("core"), order);
        QVERIFY(order.size() > 20);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void ui_includesEarlierFoldersOnly() {
        const QStringList order = foldersOfUi(), wrong = includesOfLaterFolders(QStringLiteral("ui"), order);
        QVERIFY(order.size() > 15);
        QVERIFY(order.indexOf(u"document") < order.indexOf(u"canvas")); // what is shown knows nothing of how
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void nothing_includesUpwards() {
        QStringList wrong;
        for (const char* folder : {"core", "ui", "app"})
            for (const auto& [file, included] : includesBelow(QString::fromLatin1(folder))) {
                const bool fromCore = file.startsWith(u"core/"), fromUi = file.startsWith(u"ui/");
                if ((fromCore && included.startsWith(u"ui/")) || ((fromCore || fromUi) && included.startsWith(u"app/")))
                    wrong << file + QStringLiteral(" includes ") + included;
            }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    /// Whoever asks for a file to write uses ui/widgets/save_path.h, which knows what may not be written over.
    void filesToWrite_areAskedForInOnePlace() {
        static const QRegularExpression asks(
            QStringLiteral("FileDialog::save|getSave|getExistingDirectory|AcceptSave|QSaveFile"));
        QStringList found;
        for (const QString& file : filesBelow(QStringLiteral("ui")))
            if (asks.match(textOf(file)).hasMatch()) found << file;
        QCOMPARE(found, QStringList({QStringLiteral("ui/widgets/file_dialog.cpp"),
                                     QStringLiteral("ui/widgets/save_path.cpp")}));
    }

    /// A name that occurs twice opens the wrong file in an editor, and an include without folders finds either.
    void headers_haveUniqueNames() {
        QHash<QString, QStringList> places;
        for (const char* folder : {"core", "ui", "app", "tests"})
            for (const QString& file : filesBelow(QString::fromLatin1(folder)))
                if (file.endsWith(u".h")) places[file.section(u'/', -1)] << file;
        QStringList wrong;
        for (const QStringList& paths : places)
            if (paths.size() > 1) wrong << paths.join(QStringLiteral(" and "));
        QVERIFY(places.size() > 500);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }

    void libraries_stayWhereTheyBelong() {
        static const QRegularExpression torch(QStringLiteral("^(torch|ATen|c10|caffe2)/")),
            qt(QStringLiteral("^Q[A-Z]"));
        QStringList wrong;
        for (const char* folder : {"core", "ui", "app"})
            for (const auto& [file, included] : includesBelow(QString::fromLatin1(folder))) {
                const bool mayUseTorch = file.startsWith(u"core/engine/") || file.startsWith(u"app/worker/");
                if ((torch.match(included).hasMatch() && !mayUseTorch) ||
                    (qt.match(included).hasMatch() && file.startsWith(u"core/")))
                    wrong << file + QStringLiteral(" includes ") + included;
            }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestIncludes)
#include "tst_includes.moc"

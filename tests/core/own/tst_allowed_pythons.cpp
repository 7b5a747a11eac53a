// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/allowed_pythons.h"

#include "core/python/tracing/trace_file.h"
#include "core/sandbox/sandbox.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using fx::AllowedPythons;

/// Environments made of links to programs that are no Python: nothing here starts one.
class TestAllowedPythons : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    QString at(const QString& name) const { return m_folder->filePath(name); }
    std::string path(const char* name) const { return at(QLatin1String(name)).toStdString(); }
    AllowedPythons list() const { return AllowedPythons(path("config/lancet/allowed_pythons")); }
    /// `NAME/bin/python` leads to a program of the system.
    std::string environment(const QString& name, const QString& program = QStringLiteral("/bin/true")) const {
        if (!QDir().mkpath(at(name + QStringLiteral("/bin")))) qFatal("cannot make a folder");
        const QString link = at(name + QStringLiteral("/bin/python"));
        QFile::remove(link);
        if (!QFile::link(program, link)) qFatal("cannot link");
        return link.toStdString();
    }
    void givePyTorch(const QString& name) const {
        QVERIFY(QDir().mkpath(at(name + QStringLiteral("/lib/python3.11/site-packages/torch"))));
    }
    void write(const QString& file, const QByteArray& text) const {
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(text);
    }

private Q_SLOTS:
    void init() {
        qunsetenv("LANCET_SANDBOX");
        for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) qunsetenv(variable);
        qputenv("PATH", "/nowhere");
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void userFile_isInTheConfiguration() {
        qputenv("XDG_CONFIG_HOME", "/c");
        QCOMPARE(AllowedPythons::userFile(), std::string("/c/lancet/allowed_pythons"));
        qputenv("XDG_CONFIG_HOME", "relative"); // which the standard tells to ignore
        qputenv("HOME", "/h");
        QCOMPARE(AllowedPythons::userFile(), std::string("/h/.config/lancet/allowed_pythons"));
    }

    void missingFile_allowsNothing() {
        QVERIFY(list().programs().empty());
        QVERIFY(!list().allows(environment(QStringLiteral("a"))));
        list().forget("/bin/true");
        QVERIFY(!QFile::exists(at(QStringLiteral("config")))); // nothing was to be written
    }

    void allowed_isListedNewestFirst_andForgotten() {
        const std::string a = environment(QStringLiteral("a")), b = environment(QStringLiteral("b"));
        list().allow(a);
        list().allow(b);
        list().allow(b); // again
        QCOMPARE(list().programs(), (std::vector<std::string>{b, a}));
        QVERIFY(list().allows(a));
        struct stat status {};
        QCOMPARE(::stat(list().file().c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777U, 0600U);
        list().forget(b);
        QCOMPARE(list().programs(), std::vector<std::string>{a});
        QVERIFY(!list().allows(b));
    }

    /// Also one that came with a source: both lead to the Python of the system.
    void otherEnvironment_ofTheSamePython_isNotAllowed() {
        list().allow(environment(QStringLiteral("a")));
        QVERIFY(!list().allows(environment(QStringLiteral("download/.venv"))));
        QVERIFY(!list().allows("/bin/true"));
    }

    void otherName_inTheEnvironment_isAllowed() {
        list().allow(environment(QStringLiteral("a")));
        QVERIFY(QFile::link(QStringLiteral("python"), at(QStringLiteral("a/bin/python3"))));
        QVERIFY(list().allows(path("a/bin/python3")));
    }

    void program_thatLeadsElsewhereByNow_isNotAllowed() {
        const std::string a = environment(QStringLiteral("a"));
        list().allow(a);
        environment(QStringLiteral("a"), QStringLiteral("/bin/false"));
        QVERIFY(!list().allows(a));
        QCOMPARE(list().programs(), std::vector<std::string>{a}); // to be seen and removed
        list().allow(a);
        QVERIFY(list().allows(a));
        QVERIFY(list().programs().size() == 1);
    }

    void folder_thatLeadsElsewhereByNow_isNotAllowed() {
        const std::string a = environment(QStringLiteral("a"));
        environment(QStringLiteral("other"));
        QVERIFY(QFile::link(at(QStringLiteral("a")), at(QStringLiteral("link"))));
        list().allow(path("link/bin/python"));
        QCOMPARE(list().programs(), std::vector<std::string>{a});
        QVERIFY(list().allows(path("link/bin/python")));
        QVERIFY(QFile::remove(at(QStringLiteral("link"))));
        QVERIFY(QFile::link(at(QStringLiteral("other")), at(QStringLiteral("link"))));
        QVERIFY(!list().allows(path("link/bin/python")));
    }

    void scriptsAndMissingPrograms_areRefused() {
        const QString script = at(QStringLiteral("a/bin/python"));
        write(script, "#!/bin/sh\n");
        QVERIFY(QFile::setPermissions(script, QFile::ReadOwner | QFile::ExeOwner));
        for (const std::string& program : {script.toStdString(), path("absent"), std::string("python")})
            QVERIFY_THROWS_EXCEPTION(fx::Error, list().allow(program));
        QVERIFY(list().programs().empty());
    }

    /// A program that became a script after it was allowed would run with the user's rights.
    void program_thatIsAScriptByNow_isNotAllowed() {
        const QString program = at(QStringLiteral("a/bin/python"));
        QVERIFY(QDir().mkpath(QFileInfo(program).path()));
        QVERIFY(QFile::copy(QStringLiteral("/bin/true"), program));
        list().allow(program.toStdString());
        QVERIFY(list().allows(program.toStdString()));
        QVERIFY(QFile::remove(program));
        write(program, "#!/bin/sh\n");
        QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
        QVERIFY(!list().allows(program.toStdString()));
    }

    void damagedLines_areIgnored() {
        const std::string a = environment(QStringLiteral("a"));
        const std::string target = QFileInfo(QStringLiteral("/bin/true")).canonicalFilePath().toStdString();
        write(QString::fromStdString(list().file()),
              QByteArray("\xff\xfe\n\t\nrelative\t/bin/true\n/only/one\n/x\ty\n") + QByteArray::fromStdString(a) +
                  '\t' + QByteArray::fromStdString(target)); // without an end of line
        QCOMPARE(list().programs(), std::vector<std::string>{a});
        QVERIFY(list().allows(a));
    }

    void file_thatOthersMayWrite_allowsNothing() {
        const std::string a = environment(QStringLiteral("a"));
        list().allow(a);
        QCOMPARE(::chmod(list().file().c_str(), 0666), 0);
        QVERIFY(!list().allows(a));
        list().allow(a); // recreated
        QVERIFY(list().allows(a));
    }

    void forFolder_withoutASandbox_isNone() {
        list().allow(environment(QStringLiteral("net/.venv")));
        qputenv("LANCET_SANDBOX", "off");
        QVERIFY(!list().forFolder(path("net")));
    }

    void forFolder_isTheEnvironmentMeant() {
        if (!fx::sandboxSupport().holds()) QSKIP("this kernel has no sandbox");
        const std::string beside = environment(QStringLiteral("net/.venv")), mine = environment(QStringLiteral("mine"));
        QVERIFY(!list().forFolder(path("net"))); // nothing is allowed
        list().allow(mine);
        QCOMPARE(list().forFolder(path("net")), std::optional(mine)); // the one beside has no PyTorch
        givePyTorch(QStringLiteral("net/.venv"));
        QVERIFY(!list().forFolder(path("net"))); // that one is meant, and was not allowed
        list().allow(beside);
        QCOMPARE(list().forFolder(path("net")), std::optional(beside));
        QVERIFY(QDir().mkpath(at(QStringLiteral("elsewhere"))));
        list().allow(mine);
        QCOMPARE(list().forFolder(path("elsewhere")), std::optional(mine)); // the last one
        qputenv("VIRTUAL_ENV", at(QStringLiteral("mine")).toUtf8());
        QCOMPARE(list().forFolder(path("net")), std::optional(mine)); // the active one comes first
    }

    /// Its program is then started where its own packages are, and not those beside the link.
    void forFolder_namesTheEnvironmentWithoutLinks() {
        if (!fx::sandboxSupport().holds()) QSKIP("this kernel has no sandbox");
        const std::string mine = environment(QStringLiteral("mine"));
        list().allow(mine);
        QVERIFY(QDir().mkpath(at(QStringLiteral("evil/.venv"))));
        QVERIFY(QFile::link(at(QStringLiteral("mine/bin")), at(QStringLiteral("evil/.venv/bin"))));
        QCOMPARE(list().forFolder(path("evil")), std::optional(mine));
    }

    void outsideScope_isWhatLancetCannotFollow_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<bool>("outside");
        QTest::newRow("a module of Python's library")
            << QByteArray("    import pickle\n    return pickle.dumps(x)\n") << true;
        QTest::newRow("a package that was not found")
            << QByteArray("    import timm\n    return timm.layers(x)\n") << true;
        QTest::newRow("a branch on values") << QByteArray("    return x if x.sum() > 0 else -x\n") << false;
        QTest::newRow("an exception") << QByteArray("    raise ValueError('no')\n") << false;
        QTest::newRow("a mistake") << QByteArray("    return y\n") << false;
    }
    void outsideScope_isWhatLancetCannotFollow() {
        QFETCH(QByteArray, source);
        QFETCH(bool, outside);
        try {
            fx::traceText(path("net.py"), "def net(x):\n" + source.toStdString(), {}, {});
            QFAIL("it was traced");
        } catch (const fx::Error& error) {
            QVERIFY(error.message().is("trace.source_failed"));
            QCOMPARE(fx::isOutsideScope(error), outside);
            const auto& message = error.message(); // as another process sends it
            QCOMPARE(fx::isOutsideScope(fx::Error(
                         error.kind(), fx::Message::received(message.code(), message.arguments(), message.text()))),
                     outside);
        }
    }
};

QTEST_GUILESS_MAIN(TestAllowedPythons)
#include "tst_allowed_pythons.moc"

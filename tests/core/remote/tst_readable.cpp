// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/module/module_editor.h"
#include "core/remote/readable.h"
#include "core/torchscript/torchscript.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <unistd.h>

using namespace fx;
using namespace fx::remote;

namespace {
const std::string kResnet = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";

bool covers(const Readable& readable, const std::vector<std::string>& paths) { return readable.covers(paths); }
} // namespace

/// Which files a worker may read.
class TestReadable : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string at(const char* name) const { return m_folder.filePath(QString::fromUtf8(name)).toStdString(); }
    std::string made(const char* name) const {
        QFile file(m_folder.filePath(QString::fromUtf8(name)));
        if (file.open(QFile::WriteOnly)) file.write(name);
        return at(name);
    }

private Q_SLOTS:
    void model_namesItsFiles() {
        const std::string net = made("net.ts"), json = made("net.json"), weights = made("net.safetensors");
        QCOMPARE(filesOfModel(net), std::vector{net});
        QCOMPARE(filesOfModel(net + "#forward"), std::vector{net});
        QCOMPARE(filesOfModel(json), (std::vector{json, weights}));
        QCOMPARE(filesOfModel(made("net.py") + ":Net"), std::vector{at("net.py")});
        QCOMPARE(filesOfModel(at("missing")), std::vector{at("missing")});
        std::filesystem::create_directory(at("sub"));
        const std::string other = made("sub/net.json");
        QCOMPARE(::symlink(made("secret").c_str(), at("sub/net.safetensors").c_str()), 0);
        QCOMPARE(filesOfModel(other), std::vector{other}); // weights that lead out of the folder
    }

    void rights_areThoseOfTheFile_notOfItsName() {
        const std::string a = made("a"), b = made("b");
        const Readable readable({a}, true);
        QVERIFY(covers(readable, {a}));
        QVERIFY(!covers(readable, {b}));
        QVERIFY(!covers(readable, {a, b}));
        QCOMPARE(::symlink(a.c_str(), at("link").c_str()), 0);
        QVERIFY(covers(readable, {at("link")})); // another name of the same
        std::filesystem::rename(b, a);           // as saving does it
        QVERIFY(!covers(readable, {a}));
        QVERIFY(covers(readable, {at("nowhere")})); // whoever opens it says so
    }

    void folder_coversWhatIsBelow() {
        std::filesystem::create_directories(at("model/deep"));
        const std::string inside = made("model/deep/inside"), outside = made("outside");
        const Readable readable({at("model")}, true);
        QVERIFY(covers(readable, {inside, at("model")}));
        QVERIFY(!covers(readable, {outside}));
        QVERIFY(!covers(readable, {m_folder.path().toStdString()}));
        QCOMPARE(::symlink(outside.c_str(), at("model/way_out").c_str()), 0);
        QVERIFY(!covers(readable, {at("model/way_out")}));
    }

    void elsewhere_onlyNamesAreKnown() {
        const Readable readable({"/models/net.pt"}, false);
        QVERIFY(covers(readable, {"/models/net.pt"}));
        QVERIFY(!covers(readable, {kResnet}));
        QCOMPARE(readable.paths(), std::vector<std::string>{"/models/net.pt"});
    }

    /// A model that says that it calls some file of the user does not get it.
    void calledFile_thatIsNoTorchScript_isLeftOut() {
        GraphModule model = *openModel(kResnet);
        ModuleEditor editor(model);
        Module& fc = *editor.writable("fc");
        fc.className = script::kFileClass, fc.classModule = script::kBlockModule;
        fc.attributes.emplace_back("path", Argument(made("secret")));
        QCOMPARE(calledFiles(model, false), std::vector<std::string>{}); // without a digest it is never opened
        fc.attributes.emplace_back(script::kDigest, Argument(std::string(64, '0')));
        QCOMPARE(calledFiles(model, false), std::vector{at("secret")}); // where it cannot be looked into
        QCOMPARE(calledFiles(model, true), std::vector<std::string>{});
    }
};

QTEST_APPLESS_MAIN(TestReadable)
#include "tst_readable.moc"

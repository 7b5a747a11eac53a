// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/graphmodule/folder_source.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/tensor/elements.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <stop_token>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace fx;

namespace {

const QString kData = LANCET_SOURCE_DIR "/tests/data/graphmodule/";

std::string readAll(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    return file.readAll().toStdString();
}

} // namespace

class TestFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void open_folder_modulesWeightsAndGraph_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("2.13") << "folder";
        QTest::newRow("1.13") << "folder_1_13";
    }

    void open_folder_modulesWeightsAndGraph() {
        QFETCH(QString, name);
        const auto model = openModel((kData + name).toStdString());
        QCOMPARE(model->format, Format::Folder);
        QCOMPARE(model->className, std::string("Folded"));
        QVERIFY(!model->notLoadable);
        const std::string source = readAll(kData + name + "/module.py");
        for (const char* line : {"conv = self.conv(x)", "add_1 = add + y", "def forward(self, x, y : int = 3)"}) {
            QVERIFY(generatePython(model->graph).text.find(line) != std::string::npos);
            QVERIFY(source.find(line) != std::string::npos);
        }
        const Module& root = *model->root;
        QCOMPARE(root.children.size(), std::size_t{5});
        const auto setting = [&](const char* path) { return reprOf(model->graph, *resolvePath(root, path).value); };
        QCOMPARE(setting("conv.dilation"), std::string("(2, 2)"));
        QCOMPARE(setting("conv._reversed_padding_repeated_twice"), std::string("(1, 1, 1, 1)"));
        QCOMPARE(setting("bn.momentum"), std::string("None"));
        QCOMPARE(setting("relu.inplace"), std::string("True"));
        QCOMPARE(setting("own.factor"), std::string("3"));
        QVERIFY(!root.child("conv")->parameter("bias")->tensor);
        QCOMPARE(root.child("conv")->parameter("weight")->tensor->sizes, (std::vector<std::int64_t>{4, 3, 3, 3}));
        QVERIFY(root.parameter("w")->tensor->isParameter);
        QVERIFY(root.parameter("w")->tensor->dtype == DType::Float16);
        QCOMPARE(elementValues(*root.buffer("table")->tensor), (std::vector<double>{0, 1, 2, 3, 4}));
        QCOMPARE(root.child("bn")->buffer("num_batches_tracked")->tensor->dtype, DType::Int64);
    }

    void open_folderAsTorchLoadOfTheSame_sameTotals() {
        const ModuleTotals got = totals(*openModel((kData + "folder/").toStdString())->root);
        QCOMPARE(got.parameters.tensors,
                 std::int64_t{7}); // conv.weight, bn.weight, bn.bias, lin.weight, w, own.inner.*
        QCOMPARE(got.buffers.tensors, std::int64_t{4});
        QCOMPARE(got.modules, std::int64_t{6});
    }

    void parse_foreignLines_refusedWithLine_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        const auto row = [](const char* name, const char* from, const char* to) { QTest::newRow(name) << from << to; };
        row("code in init", "        super().__init__()\n",
            "        super().__init__()\n        import os; os.system('true')\n");
        row("call as value", "Linear(in_features=4", "__import__('os').system('true') or Linear(in_features=4");
        row("nested call", "in_features=4", "in_features=open('/etc/passwd')");
        row("other base class", "(torch.nn.Module)", "(Evil)");
        row("odd head", "import torch\n", "exec('1')\n");
        row("no code", "def forward", "def backward");
        row("size that is no number", "torch.empty([5]", "torch.empty([x]");
        row("brackets that do not close", "Conv2d(3, 4", "Conv2d((((3, 4");
    }

    void parse_foreignLines_refusedWithLine() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QString source = QString::fromStdString(readAll(kData + "folder/module.py"));
        QVERIFY(source.contains(from));
        source.replace(from, to);
        try {
            (void)parseFolderSource(source.toStdString(), "module.py");
            QFAIL("accepted");
        } catch (const Error& error) {
            QVERIFY(error.where.starts_with("line "));
            QCOMPARE(error.kind(), ErrorKind::File);
        }
    }

    void parse_cutAnywhere_errorOrCode() {
        const std::string source = readAll(kData + "folder/module.py");
        for (std::size_t length = 0; length < source.size(); length += 16) {
            try {
                (void)parseFolderSource(source.substr(0, length), "module.py");
            } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::File); }
        }
    }

    void save_readsDifferently_leavesNoNewFolder() {
        const QTemporaryDir target;
        const auto model =
            openModel((kData + "attributes.pt").toStdString()); // has a plain tensor, for which module.py has no place
        const std::string folder = target.filePath("new").toStdString();
        for (const char* end : {"", "/"}) {
            QVERIFY_THROWS_EXCEPTION(Error, saveFolder(*model, folder + end, true));
            QVERIFY(QDir(target.path()).isEmpty());
        }
        QVERIFY(saveFolder(*openModel((kData + "nested.pt").toStdString()), folder, true).verified);
        const auto again = openModel(folder); // GraphModules inside have their graphs
        const bool hasGraph = std::any_of(again->root->children.begin(), again->root->children.end(),
                                          [](const auto& child) { return child.module->graphModule != nullptr; });
        QVERIFY(hasGraph);
        const auto contents = [&] {
            std::map<QString, std::string> files;
            for (const QString& name : QDir(target.filePath("new")).entryList(QDir::Files))
                files[name] = readAll(target.filePath("new/" + name));
            return files;
        };
        const auto before = contents();
        for (const char* end : {"", "/"}) {
            QVERIFY_THROWS_EXCEPTION(Error, saveFolder(*model, folder + end, true));
            QVERIFY(contents() == before); // it was there before
            QCOMPARE(QDir(target.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                     QStringList{"new"});
        }
    }

    /// Nobody can prepare the folder that is filled, and one that is there is neither filled nor followed.
    void save_modulesThatShareChildren_tooManyPaths_refused() {
        QTemporaryDir place;
        GraphModule model;
        model.graph.output(Argument(model.graph.placeholder("x")));
        auto shared = std::make_shared<Module>();
        for (int level = 0; level < 40; ++level) {
            auto above = std::make_shared<Module>();
            above->children = {{"a", shared}, {"b", shared}};
            shared = above;
        }
        model.root->children = {{"m", shared}};
        const std::string folder = place.filePath("net/").toStdString();
        try {
            saveFolder(model, folder, true, {});
            QFAIL("expected a refusal");
        } catch (const Error& error) { QVERIFY2(error.message().is("files.too_many_paths"), error.what()); }
        std::stop_source stop;
        stop.request_stop();
        try {
            saveFolder(model, folder, true, Progress(stop.get_token()));
            QFAIL("expected Cancelled");
        } catch (const Error& error) { QVERIFY(error.kind() == ErrorKind::Cancelled); }
        QVERIFY(!QDir(place.filePath("net")).exists());
    }

    void save_namesThatWouldEndTheirQuotes_refused() {
        QTemporaryDir place;
        for (const char* name : {"a', 1); exec('1'), ('", "a\\", "a\nexec('1')"}) {
            GraphModule model;
            model.graph.output(Argument(model.graph.placeholder("x")));
            model.root->children = {{name, std::make_shared<Module>()}};
            try {
                saveFolder(model, place.filePath("net/").toStdString(), true, {});
                QFAIL("expected a refusal");
            } catch (const Error& error) { QVERIFY2(error.message().is("folder.bad_name"), error.what()); }
        }
    }

    void save_folder_isFreshAndPrivateUntilItIsWhole() {
        const QTemporaryDir target;
        const std::string folder = target.filePath("new").toStdString();
        QVERIFY(QDir(target.path()).mkdir("elsewhere"));
        const std::string guess = folder + ".lancet-" + std::to_string(::getpid());
        QVERIFY(QFile::link(target.filePath("elsewhere"), QString::fromStdString(guess)));
        const auto model = openModel((kData + "nested.pt").toStdString());
        QVERIFY(saveFolder(*model, folder, true).verified);
        QVERIFY(QDir(target.filePath("elsewhere")).isEmpty());
        struct stat made, plain;
        QVERIFY(QDir(target.path()).mkdir("plain"));
        QCOMPARE(::lstat(folder.c_str(), &made), 0);
        QCOMPARE(::stat(target.filePath("plain").toLocal8Bit().constData(), &plain), 0);
        QVERIFY(S_ISDIR(made.st_mode));
        QCOMPARE(made.st_mode & 0777, plain.st_mode & 0777);
        QCOMPARE(::chmod(folder.c_str(), 0750), 0); // what it has stays
        QVERIFY(saveFolder(*model, folder, true).verified);
        QCOMPARE(::stat(folder.c_str(), &made), 0);
        QCOMPARE(made.st_mode & 0777, mode_t{0750});
        QCOMPARE(QDir(target.path()).entryList({"*.lancet-*-*"}, QDir::AllEntries | QDir::Hidden), QStringList());
    }

    void save_linkToFolder_isRefused() {
        const QTemporaryDir target;
        const auto model = openModel((kData + "nested.pt").toStdString());
        QVERIFY(saveFolder(*model, target.filePath("old").toStdString(), true).verified);
        QVERIFY(QFile::link(target.filePath("old"), target.filePath("link")));
        const std::string before = readAll(target.filePath("old/module.py"));
        for (const char* name : {"link", "link/"}) try {
                saveFolder(*model, target.filePath(name).toStdString(), true);
                QFAIL("it was followed");
            } catch (const Error& error) {
                QVERIFY2(error.message().is("folder.link"), error.what());
                QVERIFY(!error.hint.empty());
            }
        QCOMPARE(readAll(target.filePath("old/module.py")), before);
        QCOMPARE(QDir(target.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{"link", "old"}));
    }

    /// The write fails at one byte after the other of the whole: the target stays as it was, and nothing is left
    /// beside.
    void save_diskFull_leavesNothingBehind() {
        const QTemporaryDir target;
        const std::string folder = target.filePath("new").toStdString();
        const auto model = openModel((kData + "nested.pt").toStdString());
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto back = qScopeGuard([&] { ::setrlimit(RLIMIT_FSIZE, &before); });
        for (rlim_t bytes = 0;; bytes = bytes * 2 + 1) {
            rlimit limit = before;
            limit.rlim_cur = bytes;
            QCOMPARE(::setrlimit(RLIMIT_FSIZE, &limit), 0);
            try {
                saveFolder(*model, folder, false);
                break;
            } catch (const Error& error) {
                QVERIFY2(QString::fromUtf8(error.what()).contains("File too large"), error.what());
                QVERIFY(!error.hint.empty());
                // The place that it was to have, not the folder beside it that is gone.
                QVERIFY2(QString::fromUtf8(error.what()).contains("cannot write " + target.filePath("new/")),
                         error.what());
            }
            QVERIFY(QDir(target.path()).isEmpty());
            QVERIFY(bytes < (rlim_t{1} << 30));
        }
        QCOMPARE(QDir(target.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{"new"});
    }

    void parse_bareWord_readAsText() {
        std::string source = readAll(kData + "folder/module.py");
        source.replace(source.find("bias=False"), 10, "padding_mode=reflect");
        const FolderSource parsed = parseFolderSource(source, "module.py");
        QVERIFY(parsed.unquotedText);
        QCOMPARE(*parsed.entries[0].kwargs.back().second.as<std::string>(), std::string("reflect"));
    }

    /// A folder from elsewhere must not show, and Save As not copy, a file that it was not given.
    void open_linksThatLeadOut_refused() {
        QTemporaryDir folder, elsewhere;
        const auto fill = [&](const QString& to) {
            for (const char* name : {"module.py", "state_dict.pt", "relu.pt", "own.pt"}) {
                QFile::remove(to + '/' + name);
                QVERIFY(QFile::copy(kData + "folder/" + name, to + '/' + name));
            }
        };
        fill(elsewhere.path());
        for (const char* name : {"module.py", "state_dict.pt", "relu.pt"}) {
            fill(folder.path());
            QVERIFY(QFile::remove(folder.filePath(name)));
            QVERIFY(QFile::link(elsewhere.filePath(name), folder.filePath(name)));
            try {
                openModel(folder.path().toStdString());
                QFAIL(name);
            } catch (const Error& error) {
                QVERIFY2(error.message().is("files.leads_outside"), error.what());
                QVERIFY(!error.hint.empty());
            }
            QVERIFY(QFile::remove(folder.filePath(name)));
            QVERIFY(QFile::link(name, folder.filePath(name))); // to itself
            QVERIFY_THROWS_EXCEPTION(Error, openModel(folder.path().toStdString()));
            QVERIFY(QFile::remove(folder.filePath(name)));
            QCOMPARE(::mkfifo(folder.filePath(name).toUtf8().constData(), 0600), 0);
            QVERIFY_THROWS_EXCEPTION(Error, openModel(folder.path().toStdString())); // and nothing waits for it
        }
        fill(folder.path());
        QVERIFY(QDir(folder.path()).rename("own.pt", "kept.pt"));
        QVERIFY(QFile::link("kept.pt", folder.filePath("own.pt")));      // inside
        QVERIFY(QFile::link(folder.path(), elsewhere.filePath("link"))); // the user's own
        QVERIFY(openModel(elsewhere.filePath("link").toStdString()) != nullptr);
    }

    void open_missingOrForeignFiles_refused() {
        QTemporaryDir folder;
        for (const char* name : {"module.py", "state_dict.pt", "relu.pt", "own.pt"})
            QVERIFY(QFile::copy(kData + "folder/" + name, folder.filePath(name)));
        QVERIFY(openModel(folder.path().toStdString()) != nullptr);
        QVERIFY(QFile::remove(folder.filePath("relu.pt")));
        QVERIFY_THROWS_EXCEPTION(Error, openModel(folder.path().toStdString()));
        QVERIFY(QFile::copy(kData + "folder/module.py", folder.filePath("relu.pt")));
        QVERIFY_THROWS_EXCEPTION(Error, openModel(folder.path().toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestFolder)
#include "tst_folder.moc"

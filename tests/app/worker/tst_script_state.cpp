// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/foresee.h"
#include "core/remote/save_script.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"
#include "tests/app/worker/open_script.h"
#include "tests/app/worker/script_fixture.h"

#include <QTemporaryDir>

using namespace fx;
using namespace fx::remote;

/// Scripts that assign to their own attributes: their graph is one call of the file.
class TestScriptState : public ScriptFixture {
    Q_OBJECT

    static std::vector<RandomInput> inputs(std::int64_t rate) {
        RandomInput number;
        number.name = "rate", number.sizes = {rate}; // as `--input rate=16000` is read
        return {{"x", {2, 20}, "torch.float32", 0}, number};
    }
    static VerifyReport verified(const std::string& a, const std::string& b) {
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = a, request.other = b;
        request.run.random = inputs(16000);
        return verify(worker, request, {}, {});
    }
    static std::shared_ptr<GraphModule> renamed(const std::string& path) {
        auto module = openScript(path);
        module->graph.setNameUnchecked(module->graph.order().front(), "renamed");
        return module;
    }

private Q_SLOTS:
    /// `--input rate=16000` is a number where the script declares one.
    void numbers_areInputs() {
        WorkerClient worker(options());
        const std::string path = file("streams.ts");
        const auto at = [&](std::int64_t rate) {
            return elementValues(*run(worker, path, inputs(rate)).output.tensor);
        };
        QVERIFY(at(16000) != at(8000));
    }

    /// Calls one after another tell files apart that keep different numbers and lists.
    void verify_comparesStateOfNumbersAndLists() {
        QVERIFY(verified(file("streams.ts"), file("streams.ts")).agrees());
        const VerifyReport report = verified(file("counts.ts"), file("counts_once.ts"));
        QVERIFY2(!report.agrees() && report.reason.text().find("call 2") != std::string::npos,
                 report.reason.text().c_str());
        QVERIFY(verified(file("counts.ts"), file("counts.ts")).agrees());
    }

    /// A file that is called as a whole keeps its other methods in a written one, with their defaults.
    void otherMethods_areWritten() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("again.ts").toStdString();
        const std::shared_ptr<GraphModule> module = renamed(file("streams.ts"));
        for (const Foreseen& point : foresee(*module, savedAs(path))) QVERIFY(!point.what.is("foresee.methods_lost"));
        WorkerClient worker(options());
        RunRequest request;
        request.random = inputs(16000);
        const SaveReport saved = saveScript(worker, module, path, request, true);
        QVERIFY(saved.verified);
        const auto again = openScript(path);
        const auto& names = again->modelNames;
        QVERIFY(std::find(names.begin(), names.end(), "reset") != names.end());
        const auto reset = openScript(path + "#reset");
        const Node& rate = reset->graph.node(reset->graph.find("rate"));
        QCOMPARE(rate.args().at(0), Argument(8000));
    }
};

QTEST_GUILESS_MAIN(TestScriptState)
#include "tst_script_state.moc"

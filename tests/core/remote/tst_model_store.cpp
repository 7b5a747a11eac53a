// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/written_check.h"
#include "core/edit/history.h"
#include "core/model_files/open.h"
#include "core/remote/model_sender.h"
#include "core/remote/model_store.h"
#include "core/tensor/elements.h"
#include "tests/json_steps.h"
#include "tests/sanitized.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace fx;
using namespace fx::remote;
using namespace std::chrono_literals;

namespace {

const std::string kResnet = LANCET_SOURCE_DIR "/resources/samples/resnet.pt";

/// A sender and a store, and between them a file in the place of the pipe.
struct Link {
    int file = ::memfd_create("frames", 0);
    off_t read = 0;
    std::array<int, 2> channel{-1, -1};
    int made = ::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel.data());
    ModelSender sender;
    ModelStore store;
    std::size_t storages = 0, framed = 0,
                byPlace = 0; ///< of the last `send`: how many, bytes in frames, how many by place

    explicit Link(bool local, std::size_t kept = 16)
        : sender(local, local ? channel[0] : -1),
          store([](const std::string& path) { return openModel(path); }, kept, channel[1]) {}
    ~Link() { ::close(file), ::close(channel[0]), ::close(channel[1]); }

    void send(const std::shared_ptr<const GraphModule>& model) {
        storages = framed = byPlace = 0;
        QVERIFY(sender.send(file, {model}, {}));
        ::lseek(file, read, SEEK_SET);
        FrameReader reader(file);
        while (reader.read(kPatience * 1s) == FrameReader::State::Frame) {
            const Frame frame = reader.take();
            if (frame.kind == FrameKind::Storages) count(frame);
            store.add(frame);
        }
        read = ::lseek(file, 0, SEEK_END);
    }

    void count(const Frame& frame) {
        const auto document = JsonDocument::parse(frame.json);
        for (const JsonValue row : document->root().at("storages").needArray())
            ++storages, byPlace += row.find("file").exists() || row.find("descriptor").exists();
        framed += frame.blob ? frame.blob->size() : 0;
    }

    /// As the client does it: what is missing is sent again.
    std::shared_ptr<const GraphModule> get(const std::shared_ptr<const GraphModule>& model) {
        ModelRef named;
        named.handle = ModelRef(model).handle;
        for (int attempt = 0; attempt < 3; ++attempt) {
            send(model);
            try {
                return store.get(named);
            } catch (const MissingModels& missing) { sender.forget(missing.toFrame(1)); }
        }
        return nullptr;
    }
};

std::shared_ptr<const GraphModule> withNewConvolution(const GraphModule& model, int seed) {
    return History::edited(
        model, StepList::parse(
                   R"([{"step": "replace_module", "path": "conv1", "module": {"type": "torch.nn.Conv2d", "seed": )" +
                   std::to_string(seed) +
                   R"(, "settings": {"in_channels": 3, "out_channels": 8, "kernel_size": 7, "stride": 2, )"
                   R"("padding": 3, "bias": false}}}])"));
}

/// One whose tensors are worth shared memory.
std::shared_ptr<const GraphModule> withLargeLinear(const GraphModule& model) {
    return History::edited(
        model, R"([{"step": "replace_module", "path": "fc", "module": {"type": "torch.nn.Linear", "settings": )"
               R"({"in_features": 32, "out_features": 8000}}}])"_steps);
}

bool same(const GraphModule& a, const GraphModule& b) { return sameInFiles(a, b); }

} // namespace

class TestModelStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void version_sentAndRead_isTheSame_data() {
        QTest::addColumn<bool>("local");
        QTest::newRow("one machine") << true;
        QTest::newRow("two machines") << false;
    }
    void version_sentAndRead_isTheSame() {
        QFETCH(bool, local);
        const auto model = withNewConvolution(*openModel(kResnet), 7);
        Link link(local);
        const auto got = link.get(model);
        QVERIFY(got);
        QVERIFY(same(*model, *got));
        QCOMPARE(link.byPlace > 0, local);
    }

    void nextVersion_sendsOnlyWhatIsNew() {
        const auto first = openModel(kResnet);
        const auto second = withNewConvolution(*first, 7);
        Link link(false);
        link.get(first);
        const std::size_t all = link.storages;
        QVERIFY(all > 20);
        QVERIFY(same(*second, *link.get(second)));
        QCOMPARE(link.storages, 1u);
        QCOMPARE(link.framed, (8u * 3 * 7 * 7 * 4 + 63) / 64 * 64);
        link.get(second);
        QCOMPARE(link.storages, 0u);
        const auto a = link.get(first), b = link.get(second);
        QCOMPARE(resolvePath(*a->root, "bn1.weight").tensor->storage.get(),
                 resolvePath(*b->root, "bn1.weight").tensor->storage.get());
    }

    void versionThatWasDropped_isSentAgain() {
        const auto first = openModel(kResnet);
        const auto second = withNewConvolution(*first, 7), third = withNewConvolution(*first, 8);
        Link link(false, 1);
        for (int round = 0; round < 2; ++round)
            for (const auto& model : {std::shared_ptr<const GraphModule>(first), second, third}) {
                const auto got = link.get(model);
                QVERIFY(got);
                QVERIFY(same(*model, *got));
            }
    }

    void largeNewTensor_isSharedMemory() {
        const auto model = withLargeLinear(*openModel(kResnet));
        Link link(true);
        const auto got = link.get(model);
        QVERIFY(same(*model, *got)); // the sender's descriptor is closed by now
        QVERIFY(link.framed < 32 * 8000 * 4);
    }

    void sharedMemoryThatIsFull_givesWayToFrames() {
        const auto model = withLargeLinear(*openModel(kResnet));
        Link link(true);
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit before{};
        ::getrlimit(RLIMIT_FSIZE, &before);
        const rlimit little{1 << 19, before.rlim_max}; // half of the tensor; holds for shared memory as for files
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &little), 0);
        int pipe[2];
        QCOMPARE(::pipe(pipe), 0);
        std::shared_ptr<const GraphModule> got;
        std::thread reader([&] {
            FrameReader frames(pipe[0]);
            while (frames.read(kPatience * 10s) == FrameReader::State::Frame) {
                const Frame frame = frames.take();
                if (frame.kind == FrameKind::Storages) link.count(frame);
                link.store.add(frame);
            }
        });
        const bool sent = link.sender.send(pipe[1], {model}, {});
        ::close(pipe[1]);
        reader.join();
        ::close(pipe[0]);
        ::setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY(sent);
        QVERIFY(link.framed >= 32 * 8000 * 4);
        ModelRef named;
        named.handle = ModelRef(model).handle;
        QVERIFY(same(*model, *link.store.get(named)));
    }

    void fileThatWasReplaced_isReadFromTheOneThatIsOpen() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("model.pt").toStdString();
        std::filesystem::copy_file(kResnet, path);
        const auto model = openModel(path);
        Link link(true);
        const auto before = link.get(model);
        QVERIFY(link.byPlace > 0);
        std::filesystem::copy_file(LANCET_SOURCE_DIR "/resources/samples/densenet.pt", path + ".new");
        std::filesystem::rename(path + ".new", path);
        QVERIFY(same(*model, *before)); // what the store had opened
        Link other(true);
        QVERIFY(same(*model, *other.get(model)));
    }

    void fileThatWasWrittenOver_comesFromTheClient() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("net.pt").toStdString();
        std::filesystem::copy_file(kResnet, path);
        OpenOptions options;
        options.keepsContent = true;
        const std::shared_ptr<const GraphModule> model = openModel(path, options), expected = openModel(kResnet);
        Link link(true);
        QVERIFY(same(*link.get(model), *expected));
        QVERIFY(link.byPlace > 0);
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.write(QByteArray(static_cast<int>(file.size()), 'x')) > 0);
        file.close();
        const auto again = link.get(model), edited = link.get(withNewConvolution(*model, 7));
        QVERIFY(again);
        QVERIFY(edited);
        QVERIFY(same(*again, *expected));
        QVERIFY(same(*edited, *withNewConvolution(*expected, 7)));
    }

    void placeThatCannotBeOpened_comesInFrames() {
        const auto model = openModel(kResnet);
        Link link(true);
        const auto handle = ModelRef(std::shared_ptr<const GraphModule>(model)).handle;
        link.send(model);
        QVERIFY(link.byPlace > 20);
        // As a worker in a container would answer that sees other files.
        JsonWriter json;
        json.beginObject()
            .key("models")
            .beginArray()
            .integer(static_cast<std::int64_t>(handle))
            .endArray()
            .key("storages")
            .beginArray()
            .endArray()
            .key("unreadable")
            .beginArray();
        forEachModule(*model->root, [&](const std::string&, const Module& module) {
            for (const auto& slot : module.parameters)
                if (slot.tensor) json.integer(static_cast<std::int64_t>(handleOf(slot.tensor->storage)));
        });
        json.endArray().endObject();
        link.sender.forget({FrameKind::Missing, 1, json.text(), {}, {}});
        link.send(model);
        QCOMPARE(link.byPlace, 0u);
        QVERIFY(link.framed > 0);
    }

    void expressions_travelAsTheyAre() {
        GraphModule model = *openModel(kResnet);
        TensorRef tensor;
        tensor.sizes = {2, 3};
        tensor.strides = {3, 1};
        tensor.storage = Storage::expression("torch.zeros(2, 3)", 24);
        model.root = std::make_shared<Module>(*model.root);
        model.root->buffers.push_back({"later", std::make_shared<const TensorRef>(tensor), true});
        Link link(false);
        const auto got = link.get(std::make_shared<const GraphModule>(model));
        QCOMPARE(got->root->buffer("later")->tensor->storage->expressionSource(), std::string("torch.zeros(2, 3)"));
    }

    void message_thatMakesNoSense_isAnError() {
        ModelStore store([](const std::string& path) { return openModel(path); });
        QVERIFY_THROWS_EXCEPTION(
            Error,
            store.add({FrameKind::Storages, 0, R"({"storages": [{"handle": 1, "at": 8, "bytes": 8}]})", {}, {}}));
        store.add({FrameKind::Model, 0, R"({"handle": 5, "path": "", "format": "ir", "weights": []})", {}, {}});
        ModelRef named;
        named.handle = 5;
        QVERIFY_THROWS_EXCEPTION(Error, store.get(named));
    }
};

QTEST_APPLESS_MAIN(TestModelStore)
#include "tst_model_store.moc"

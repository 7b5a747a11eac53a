// SPDX-License-Identifier: GPL-3.0-or-later
// What a file or folder names is read only below the folder that was opened.
#include "core/files/file_below.h"

#include "core/diag/error.h"
#include "core/files/file_identity.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fx;

class TestFileBelow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string at(const std::string& name) const { return m_folder.path().toStdString() + "/" + name; }
    void put(const std::string& name, const QByteArray& text) {
        std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
        QFile file(QString::fromStdString(at(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(text) == text.size());
    }
    static void link(const std::string& target, const std::string& path) {
        QCOMPARE(::symlink(target.c_str(), path.c_str()), 0);
    }
    static std::string codeOf(const std::string& folder, const std::string& name) {
        try {
            (void)openBelow(folder, name);
        } catch (const Error& error) { return error.message().code(); }
        return "opened";
    }

private Q_SLOTS:
    void initTestCase() {
        put("opened/net.pt", "inside");
        put("opened/sub/deep.pt", "deep");
        put("secret", "outside");
        put("opened2/near", "outside");
        link("net.pt", at("opened/link_inside"));
        link(at("opened/sub/deep.pt"), at("opened/absolute_inside"));
        link("sub/../../secret", at("opened/link_outside"));
        link("..", at("opened/folder_outside"));
        link("link_outside", at("opened/link_to_link"));
        link("missing", at("opened/dangling"));
        link("loop", at("opened/loop"));
        link("/proc/self/mem", at("opened/memory"));
        link("/dev/zero", at("opened/zeros"));
        link(at("opened"), at("users_link"));
        QCOMPARE(::mkfifo(at("opened/pipe").c_str(), 0600), 0);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{AF_UNIX, {}};
        std::snprintf(address.sun_path, sizeof address.sun_path, "%s", at("opened/socket").c_str());
        QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ::close(socket);
    }

    void name_isReadInsideOnly_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("expected");
        const auto row = [](const std::string& name, const char* expected) {
            QTest::newRow(name.c_str()) << name << std::string(expected);
        };
        for (const char* name : {"net.pt", "sub/deep.pt", "sub/../net.pt", "link_inside", "absolute_inside"})
            row(name, "opened");
        for (const char* name : {"../secret", "link_outside", "folder_outside/secret", "link_to_link",
                                 "../opened2/near", "memory", "zeros", "/etc/passwd", "/dev/zero", "/proc/self/mem"})
            row(name, "files.leads_outside");
        row(at("opened/net.pt"), "opened");
        row(at("secret"), "files.leads_outside");
        for (const char* name : {"pipe", "socket"}) row(name, "files.not_regular");
        for (const char* name : {"missing", "dangling", "loop", "missing/net.pt"}) row(name, "files.cannot_open");
        row("sub", "files.is_directory");
    }
    void name_isReadInsideOnly() {
        QFETCH(std::string, name);
        QFETCH(std::string, expected);
        for (const std::string& folder : {at("opened"), at("opened/"), at("users_link"), at("opened/sub/..")}) {
            QCOMPARE(codeOf(folder, name), expected);
            QCOMPARE(isFileBelow(folder, name), expected == "opened");
        }
    }

    void text_isReadAndBounded() {
        QCOMPARE(readTextBelow(at("opened"), "net.pt"), std::string("inside"));
        QCOMPARE(openBelow(at("opened"), "net.pt")->path(), at("opened/net.pt"));
        QVERIFY_THROWS_EXCEPTION(Error, readTextBelow(at("opened"), "net.pt", 3));
    }

    /// models--ORG--NAME/{blobs/HASH, snapshots/REVISION/…}: files of a snapshot are links to blobs beside it.
    void snapshot_reachesItsBlobs() {
        const std::string hash(64, 'a'), repo = "hub/models--a--b/", snapshot = repo + "snapshots/0123/";
        put(repo + "blobs/" + hash, "weights");
        put(repo + "blobs/other", "not a hash");
        put(repo + "refs/" + hash, "ref");
        put("hub/models--c--d/blobs/" + hash, "of another");
        put(snapshot + "sub/x", "x");
        link("../../blobs/" + hash, at(snapshot + "net.safetensors"));
        link("../../../blobs/" + hash, at(snapshot + "sub/net.safetensors"));
        link("../../blobs/other", at(snapshot + "other"));
        link("../../refs/" + hash, at(snapshot + "ref"));
        link("../../../models--c--d/blobs/" + hash, at(snapshot + "foreign"));
        QCOMPARE(readTextBelow(at(snapshot), "net.safetensors"), std::string("weights"));
        QCOMPARE(readTextBelow(at(snapshot + "sub"), "net.safetensors"), std::string("weights"));
        for (const char* name : {"other", "ref", "foreign"})
            QCOMPARE(codeOf(at(snapshot), name), "files.leads_outside");
        // Blobs that lead on are not those of the cache.
        const std::string next(40, 'b');
        link(at("secret"), at(repo + "blobs/" + next));
        link("../../blobs/" + next, at(snapshot + "leads_on"));
        QCOMPARE(codeOf(at(snapshot), "leads_on"), "files.leads_outside");
        QCOMPARE(codeOf(at(repo + "snapshots"), "../blobs/" + hash), "files.leads_outside");
    }
};

QTEST_APPLESS_MAIN(TestFileBelow)
#include "tst_file_below.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/hand_over.h"

#include "core/files/private_folder.h"
#include "ui/shell/settings.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalServer>
#include <QLocalSocket>
#include <QPointer>

#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ui {
namespace {

constexpr int kConnectMillis = 500, kAnswerMillis = 5000;
constexpr const char* kRequest = "request"; ///< a property of its socket until it is confirmed
constexpr qint64 kMaxRequest = 1 << 24;     // bytes

QByteArray line(const QJsonObject& object) { return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n'; }

/// Zero: nothing is there.
quint64 inodeAt(const QString& path) {
    struct stat status {};
    return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? status.st_ino : 0;
}

/// False when none has come within this time, or the connection has ended without one.
bool waitForLine(QLocalSocket& socket, int millis) {
    while (!socket.canReadLine())
        if (!socket.waitForReadyRead(millis) && !socket.canReadLine()) return false;
    return true;
}

/// Tells who waits that the documents are closed.
void endWait(QLocalSocket& socket) {
    socket.write(line({{QStringLiteral("closed"), true}}));
    socket.flush();
    socket.disconnectFromServer();
}

} // namespace

HandOver::HandOver(Open open, QObject* parent)
    : QObject(parent), m_open(std::move(open)), m_server(new QLocalServer(this)) {
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    connect(m_server, &QLocalServer::newConnection, this, [this] {
        while (QLocalSocket* socket = m_server->nextPendingConnection()) {
            if (!isOfThisUser(socket->socketDescriptor())) {
                socket->abort();
                socket->deleteLater();
                continue;
            }
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
            if (socket->canReadLine()) read(socket);
        }
    });
    connect(&m_place, &QFileSystemWatcher::fileChanged, this, &HandOver::follow);
}

HandOver::~HandOver() {
    for (QLocalSocket* socket : m_server->findChildren<QLocalSocket*>())
        if (socket->state() == QLocalSocket::ConnectedState) endWait(*socket);
}

bool HandOver::listen(const QString& name) {
    if (name.isEmpty()) return false;
    m_name = name;
    try { // its folder may have been removed since
        const QString folder = QFileInfo(name).absolutePath();
        if (!QFileInfo::exists(folder)) fx::makePrivateFolder(QFile::encodeName(folder).toStdString());
    } catch (const fx::Error&) { return false; }
    QLocalServer::removeServer(name);
    const bool listens = m_server->listen(name);
    m_place.removePath(name); // of the file before
    m_place.addPath(name);
    m_socket = inodeAt(name);
    return listens;
}

/// The socket was removed or replaced: waits for the end of the process that has the place now, if there is one.
void HandOver::follow() {
    if (inodeAt(m_name) == m_socket && m_socket != 0) return;
    auto* other = new QLocalSocket(this);
    connect(other, &QLocalSocket::disconnected, this, &HandOver::follow);
    connect(other, &QLocalSocket::disconnected, other, &QObject::deleteLater);
    other->connectToServer(m_name);
    if (other->waitForConnected(kConnectMillis)) return;
    delete other;
    m_server->close();
    listen(m_name);
}

void HandOver::read(QLocalSocket* socket) {
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kMaxRequest) socket->abort();
        return;
    }
    const QJsonObject line = QJsonDocument::fromJson(socket->readLine()).object();
    const QVariant waiting = socket->property(kRequest);
    if (waiting.isValid()) {
        socket->setProperty(kRequest, {});
        return line[QLatin1String("go")].toBool() ? take(socket, waiting.toJsonObject()) : socket->abort();
    }
    if (!line[QLatin1String("open")].isArray()) return socket->abort();
    if (!line[QLatin1String("confirms")].toBool()) return take(socket, line);
    socket->setProperty(kRequest, line);
    socket->write(ui::line({{QStringLiteral("ready"), true}}));
    socket->flush();
}

void HandOver::take(QLocalSocket* socket, const QJsonObject& request) {
    const QJsonArray files = request[QLatin1String("open")].toArray();
    const QJsonObject inputs = request[QLatin1String("inputs")].toObject();
    const bool isAwaited = request[QLatin1String("awaited")].toBool();
    // The connection lives as long as one of the documents: each holds a share of it.
    const std::shared_ptr<void> ends(nullptr, [socket = QPointer(socket)](void*) {
        if (socket) endWait(*socket);
    });
    int opened = 0;
    for (const QJsonValue& file : files) {
        QObject* document = m_open({file.toString(), inputs, isAwaited});
        if (!document) continue;
        ++opened;
        connect(document, &QObject::destroyed, socket, [ends] {});
    }
    if (files.isEmpty()) m_open({});
    socket->write(line({{QStringLiteral("opened"), opened}}));
    socket->flush();
}

QString handOverName(const Settings& settings) {
    QByteArray display = qgetenv("WAYLAND_DISPLAY");
    if (display.isEmpty()) display = qgetenv("DISPLAY");
    const QByteArray place = settings.fileName().toUtf8() + '\n' + display + '\n' + qgetenv("QT_QPA_PLATFORM");
    const QString name =
        QStringLiteral("lancet-") +
        QString::fromLatin1(QCryptographicHash::hash(place, QCryptographicHash::Sha256).toHex().left(16));
    // Not that of QStandardPaths: without XDG_RUNTIME_DIR it makes a folder in /tmp whose name everybody knows.
    const QString folder = qEnvironmentVariable("XDG_RUNTIME_DIR");
    const bool isSafe = folder.startsWith(u'/') && fx::isPrivateFolder(QFile::encodeName(folder).toStdString());
    return isSafe ? folder + u'/' + name : QString();
}

bool isOfThisUser(qintptr socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(static_cast<int>(socket), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == ::geteuid();
}

Offer offerFiles(const QString& name, const QStringList& files, const QJsonObject& inputs, bool wait) {
    QLocalSocket socket;
    if (name.isEmpty()) return Offer::NoWindow;
    socket.connectToServer(name);
    if (!socket.waitForConnected(kConnectMillis) || !isOfThisUser(socket.socketDescriptor())) return Offer::NoWindow;
    QJsonArray paths;
    for (const QString& file : files) paths.append(QFileInfo(file).absoluteFilePath());
    socket.write(line({{QStringLiteral("open"), paths},
                       {QStringLiteral("inputs"), inputs},
                       {QStringLiteral("awaited"), wait},
                       {QStringLiteral("confirms"), true}}));
    // After this it has given up, and the window opens nothing when it reads the request.
    if (!waitForLine(socket, kAnswerMillis)) return Offer::NoWindow;
    if (QJsonDocument::fromJson(socket.readLine()).object()[QLatin1String("ready")].toBool()) {
        socket.write(line({{QStringLiteral("go"), true}}));
        if (!waitForLine(socket, -1)) return Offer::NoWindow; // the window has died
        socket.readLine();
    }
    if (wait && !waitForLine(socket, -1)) return Offer::Lost;
    return Offer::Taken;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/hand_over.h"

#include "ui/shell/settings.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalServer>
#include <QLocalSocket>
#include <QPointer>
#include <QStandardPaths>

#include <memory>

namespace ui {
namespace {

constexpr int kConnectMillis = 500, kAnswerMillis = 2000;
constexpr qint64 kMaxRequest = 1 << 24; // bytes

QByteArray line(const QJsonObject& object) { return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n'; }

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
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            connect(socket, &QLocalSocket::readyRead, this, [this, socket] { take(socket); });
            if (socket->canReadLine()) take(socket);
        }
    });
}

HandOver::~HandOver() {
    for (QLocalSocket* socket : m_server->findChildren<QLocalSocket*>())
        if (socket->state() == QLocalSocket::ConnectedState) endWait(*socket);
}

bool HandOver::listen(const QString& name) {
    QLocalServer::removeServer(name);
    return m_server->listen(name);
}

void HandOver::take(QLocalSocket* socket) {
    if (!socket->canReadLine()) {
        if (socket->bytesAvailable() > kMaxRequest) socket->abort();
        return;
    }
    const QJsonObject request = QJsonDocument::fromJson(socket->readLine()).object();
    if (!request[QLatin1String("open")].isArray()) return socket->abort();
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
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation); // the user's alone
    return folder.isEmpty() ? name : folder + u'/' + name;
}

Offer offerFiles(const QString& name, const QStringList& files, const QJsonObject& inputs, bool wait) {
    QLocalSocket socket;
    socket.connectToServer(name);
    if (!socket.waitForConnected(kConnectMillis)) return Offer::NoWindow;
    QJsonArray paths;
    for (const QString& file : files) paths.append(QFileInfo(file).absoluteFilePath());
    socket.write(
        line({{QStringLiteral("open"), paths}, {QStringLiteral("inputs"), inputs}, {QStringLiteral("awaited"), wait}}));
    while (!socket.canReadLine())
        if (!socket.waitForReadyRead(kAnswerMillis)) return Offer::NoWindow;
    socket.readLine();
    while (wait && !socket.canReadLine())
        if (!socket.waitForReadyRead(-1) && !socket.canReadLine()) return Offer::Lost;
    return Offer::Taken;
}

} // namespace ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFileSystemWatcher>
#include <QJsonObject>
#include <QObject>
#include <QStringList>

#include <functional>

class QLocalServer;
class QLocalSocket;

namespace ui {

class Settings;

/// Takes over files from later `lancet-gui` processes of the same user, settings and display, so that they open here.
///
/// The protocol is lines of JSON. The request `{"open": ["/a.pt"], "inputs": {...}, "awaited": true, "confirms": true}`
/// is answered by `{"ready": true}`. The other process confirms with `{"go": true}` unless it has given up, so that one
/// of the two opens the files. Then this process answers `{"opened": 1}`. As soon as none of these documents is open,
/// the line `{"closed": true}` follows and the connection ends; it ends without that line if this process dies. Only
/// "open" is required; without "confirms" the files are opened at once.
class HandOver final : public QObject {
    Q_OBJECT
public:
    /// A file to open.
    struct File {
        QString path;       ///< absolute; empty: only raise the window
        QJsonObject inputs; ///< inputs to run the model with, in the format of fx::inputsJson; may be empty
        bool isAwaited;     ///< another process waits for what will be saved to this file
    };
    /// Opens a file, raises the window, and returns the document, or null if none exists.
    using Open = std::function<QObject*(const File&)>;

    /// `open` is called on the thread of this object.
    explicit HandOver(Open open, QObject* parent = nullptr);
    ~HandOver() override; ///< with the window all documents are closed
    /// Listens at the socket `name`. Replaces a socket that is there; if another process replaces this one, it is put
    /// back when that process ends. Returns false on failure.
    bool listen(const QString& name);

private:
    void read(QLocalSocket* socket);
    void take(QLocalSocket* socket, const QJsonObject& request);
    void follow();

    Open m_open;
    QLocalServer* m_server;
    QFileSystemWatcher m_place; ///< where the socket is
    QString m_name;
    quint64 m_socket = 0; ///< the inode of the own socket
};

/// Returns the socket of processes with these settings and this display, in the user's runtime folder. Empty if that
/// folder is a link, belongs to another user, or is writable by others; then nothing is handed over.
QString handOverName(const Settings& settings);

/// True if the other end of a connected local socket is a process of this user. Both ends check this: a foreign socket
/// learns nothing about the files, and foreign processes cannot open any.
bool isOfThisUser(qintptr socket);

/// The result of offering files to an open window.
enum class Offer {
    NoWindow, ///< no process listens, or it does not answer within five seconds
    Taken,    ///< the files are open there; with `wait`: they were, and are closed
    Lost,     ///< with `wait`: the window died while they were open
};
/// Offers files, and the inputs to run them with, to the window that listens at `name`. With `wait`, returns after they
/// are closed there.
Offer offerFiles(const QString& name, const QStringList& files, const QJsonObject& inputs, bool wait);

} // namespace ui

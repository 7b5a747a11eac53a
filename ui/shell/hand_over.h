// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QJsonObject>
#include <QObject>
#include <QStringList>

#include <functional>

class QLocalServer;
class QLocalSocket;

namespace ui {

class Settings;

/// Takes files from later `lancet-gui` processes of the same user, settings and display, so that they open here.
/// The protocol is lines of JSON: `{"open": ["/a.pt"], "inputs": {...}, "awaited": true}` is answered by `{"opened":
/// 1}` and, as soon as none of these documents is open any more, by `{"closed": true}` and the end of the connection,
/// which ends without that line if this process dies. Only "open" is required.
class HandOver final : public QObject {
    Q_OBJECT
public:
    struct File {
        QString path;       ///< absolute; empty: only the window is wanted
        QJsonObject inputs; ///< to run the model with, as fx::inputsJson writes them; may be empty
        bool isAwaited;     ///< somebody waits for what will be saved to this file
    };
    /// Opens a file, raises the window, and returns the document; null if there is none.
    using Open = std::function<QObject*(const File&)>;

    explicit HandOver(Open open, QObject* parent = nullptr);
    ~HandOver() override; ///< with the window all documents are closed
    /// Takes what arrives at `name`; replaces a socket that a process that died left there.
    bool listen(const QString& name);

private:
    void take(QLocalSocket* socket);

    Open m_open;
    QLocalServer* m_server;
};

/// Where processes with these settings and this display meet.
QString handOverName(const Settings& settings);

/// What became of files that were offered to an open window.
enum class Offer {
    NoWindow, ///< nobody listens, or does not answer within two seconds
    Taken,    ///< they are open there; with `wait`: they were, and are closed
    Lost,     ///< with `wait`: the window died while they were open
};
/// Offers files, and the inputs to run them with, to the window that listens at `name`. With `wait`, returns after they
/// are closed there.
Offer offerFiles(const QString& name, const QStringList& files, const QJsonObject& inputs, bool wait);

} // namespace ui

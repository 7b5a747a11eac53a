// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_center.h"
#include "ui/run/run_session.h"

#include <QMap>
#include <QTest>

namespace ui {

/// A document with runs by a real worker, and their panel.
class RunFixture : public QObject {
protected:
    using State = RunSession::State;

    QMap<QString, QByteArray> m_remembered;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    static constexpr int kPatience = 90000;

    RunMemory memory() {
        return {[this](const QString& path) { return m_remembered.value(path); },
                [this](const QString& path, const QByteArray& json) { m_remembered[path] = json; }};
    }
    RunSession& session() const { return *m_center->session(); }
    void open(const char* sample) {
        m_document =
            std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(sample));
        m_document->load();
        m_center->setDocument(m_document.get());
    }
    /// The net of nine nodes, with an input that its linear layer fits.
    void openNet() {
        open("simple_net.pt");
        QTRY_VERIFY(!session().guesses().empty());
        fx::InputDescription inputs = session().inputs();
        inputs.inputs[0].sizes = {1, 3, 16, 16};
        session().setInputs(inputs);
    }

    void startUp() {
        m_remembered.clear();
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, memory(), m_window.get());
    }

    void shutDown() {
        m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
    }
};

} // namespace ui

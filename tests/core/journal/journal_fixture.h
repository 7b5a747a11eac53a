// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/kept_base.h"
#include "core/model_files/open.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

namespace fx {

/// A model and the folder of its journals.
class JournalFixture : public QObject {
protected:
    QTemporaryDir m_dir;
    std::string m_model, m_folder;

    static StepList rename(const std::string& from, const std::string& to) { return StepList().rename(from, to); }
    static StepList insertAfter(const std::string& node) {
        return StepList::parse("[{\"step\": \"insert_after\", \"node\": \"" + node +
                               "\", \"op\": \"call_function\", \"target\": \"torch.relu\", \"args\": [{\"node\": \"" +
                               node + "\"}], \"rewire_users\": true}]");
    }
    static std::string text(const History& history) { return graphText(history.model()->graph); }
    History opened() const { return History(openModel(m_model)); }
    std::string onlyJournal() const {
        const QStringList names = QDir(QString::fromStdString(m_folder)).entryList({"*.journal"}, QDir::Files);
        return names.size() == 1 ? m_folder + "/" + names[0].toStdString() : std::string();
    }
    QStringList everything() const {
        return QDir(QString::fromStdString(m_folder)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    }
    static QByteArray content(const std::string& path) {
        QFile file(QString::fromStdString(path));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static void setContent(const std::string& path, const QByteArray& bytes) {
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
    }
    /// Five changes, as a user makes them; the journal stays as after a crash before the base was copied.
    History edited() const {
        History history = opened();
        {
            Journal journal(m_folder, ModelIdentity::of(m_model));
            const auto edit = [&](const StepList& steps) {
                history.edit("an edit", steps);
                journal.edited(history);
            };
            edit(rename("mul", "scaled"));
            edit(insertAfter("scaled"));
            history.goTo(1);
            journal.wentTo(1);
            edit(insertAfter("linear")); // version 2 goes
            edit(insertAfter("relu"));
        }
        std::filesystem::remove_all(keptBaseFolder(onlyJournal()));
        return history;
    }

    void startUp() {
        static int number = 0;
        const QString folder = m_dir.filePath(QString::number(++number));
        QVERIFY(QDir().mkpath(folder));
        m_model = folder.toStdString() + "/simple_net.pt";
        m_folder = folder.toStdString() + "/state/journals";
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                            QString::fromStdString(m_model)));
    }
};

} // namespace fx

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"

#include <QFile>
#include <QStringList>
#include <QTemporaryDir>

namespace testing {

/// What `canned_worker` answers, and what it was asked.
class CannedAnswers {
public:
    /// The command that starts the worker.
    QString command() const;
    void verifyWith(const fx::VerifyReport& report) const;
    /// Until then a probe goes on.
    void probeWith(const std::vector<fx::Probe>& probes) const;
    /// Every request goes on until it is cancelled.
    void answerNothing() const { write("silence", {}); }
    QStringList log() const;
    qsizetype count(const char* line) const { return log().count(QLatin1String(line)); }

private:
    void write(const char* name, const std::string& json) const;
    QTemporaryDir m_folder;
};

/// One output of `count` elements that differ by `maxAbs`.
fx::VerifyReport report(fx::Verdict verdict, double maxAbs, const char* reason = "");
/// One that outputs cannot decide, with an error at a node.
fx::VerifyReport inconclusive(const char* node);
fx::NodeError nodeError(const char* node, double maxAbs, double error);

} // namespace testing

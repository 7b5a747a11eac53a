// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"

#include <QFile>
#include <QStringList>
#include <QTemporaryDir>

namespace testing {

/// The answers of `canned_worker`, and the log of its requests.
class CannedAnswers {
public:
    /// The command that starts the worker.
    QString command() const;
    void verifyWith(const fx::VerifyReport& report) const; ///< Sets the answer of verifications.
    /// Sets the answer of probes, which wait until then.
    void probeWith(const std::vector<fx::Probe>& probes) const;
    /// Makes every request run until it is cancelled.
    void answerNothing() const { write("silence", {}); }
    /// Makes every request fail with "out of memory".
    void refuse() const { write("refusal", {}); }
    QStringList log() const; ///< The requests so far.
    /// The number of requests in the log that equal `line`.
    qsizetype count(const char* line) const { return log().count(QLatin1String(line)); }

private:
    void write(const char* name, const std::string& json) const;
    QTemporaryDir m_folder;
};

/// A report with one output of `count` elements that differ by `maxAbs`.
fx::VerifyReport report(fx::Verdict verdict, double maxAbs, const char* reason = "");
/// A report that is inconclusive, with an error at a node.
fx::VerifyReport inconclusive(const char* node);
fx::NodeError nodeError(const char* node, double maxAbs, double error); ///< An error at a node.

} // namespace testing

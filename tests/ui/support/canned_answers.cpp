// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/canned_answers.h"

#include "core/remote/verify_message.h"

namespace testing {

QString CannedAnswers::command() const {
    return QStringLiteral("\"%1\" \"%2\"").arg(QStringLiteral(LANCET_CANNED_WORKER), m_folder.path());
}

/// Renamed at the end, so that the worker never sees a part.
void CannedAnswers::write(const char* name, const std::string& json) const {
    const QString path = m_folder.filePath(QLatin1String(name)), part = path + QStringLiteral(".part");
    QFile file(part);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(part));
    file.write(QByteArray::fromStdString(json));
    file.close();
    QFile::remove(path);
    if (!QFile::rename(part, path)) qFatal("cannot rename %s", qPrintable(part));
}

void CannedAnswers::verifyWith(const fx::VerifyReport& report) const {
    write("verify.json", fx::remote::toFrame(report, 0).json);
}

void CannedAnswers::probeWith(const std::vector<fx::Probe>& probes) const {
    write("probes.json", fx::remote::toFrame(probes, 0).json);
}

QStringList CannedAnswers::log() const {
    QFile file(m_folder.filePath(QStringLiteral("log")));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
}

fx::VerifyReport report(fx::Verdict verdict, double maxAbs, const char* reason) {
    fx::VerifyReport report;
    report.verdict = verdict;
    report.reason = fx::Message::received({}, {}, reason);
    fx::OutputDifference output;
    output.value.dtype = "torch.float32", output.value.sizes = {1, 10}, output.value.count = 10;
    output.value.scale = 1, output.value.maxAbs = maxAbs;
    output.value.equal = maxAbs == 0, output.value.close = report.agrees() || verdict == fx::Verdict::Inconclusive;
    output.value.beyond = output.value.close ? 0 : 10;
    report.outputs.push_back(output);
    report.nodesCompared = 9;
    return report;
}

fx::VerifyReport inconclusive(const char* node) {
    fx::VerifyReport out = report(fx::Verdict::Inconclusive, 1e-9, "outputs 1e-9 < atol 1e-05");
    out.code = fx::VerdictReason::SmallAgainstAtol;
    out.nodeErrors = {nodeError(node, 0.5, 0.25)};
    out.nodesDiffering = 1;
    return out;
}

fx::NodeError nodeError(const char* node, double maxAbs, double error) {
    fx::NodeError out;
    out.node = node, out.maxAbs = maxAbs, out.error = error, out.count = 64, out.beyond = error > 1e-5 ? 12 : 0;
    return out;
}

} // namespace testing

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_source.h"

#include "core/model_files/load_weights.h"
#include "core/own/allowed_pythons.h"
#include "core/passes/tensor_engine.h"
#include "core/textpasses/computing.h"
#include "core/textpasses/file_classes.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QThread>

namespace ui {

namespace {
constexpr int kDrawAfter = 400;                 ///< ms without typing
constexpr std::int64_t kQuickWeights = 400'000; ///< elements that are drawn in a few milliseconds

std::vector<std::string> words(const QStringList& list) {
    std::vector<std::string> out;
    for (const QString& each : list) out.push_back(each.toStdString());
    return out;
}
QStringList listFrom(const QJsonValue& json) {
    QStringList out;
    for (const QJsonValue each : json.toArray()) out << each.toString();
    return out;
}
/// Up to a limit.
std::int64_t elementsOf(const fx::GraphModule& model) {
    std::int64_t sum = 0;
    std::vector<const fx::Module*> open{model.root.get()};
    while (!open.empty() && sum <= kQuickWeights) {
        const fx::Module* module = open.back();
        open.pop_back();
        for (const auto& child : module->children)
            if (child.module) open.push_back(child.module.get());
        for (const auto* slots : {&module->parameters, &module->buffers})
            for (const auto& slot : *slots) {
                std::int64_t count = slot.tensor ? 1 : 0;
                if (slot.tensor)
                    for (const auto size : slot.tensor->sizes) count *= size;
                sum += count;
            }
    }
    return sum;
}
/// Whether Python may trace what Lancet cannot follow.
bool isForPython(const fx::SourceTrace& trace) {
    return !trace.isComplete && !trace.faults.empty() && fx::isOutsideScope(trace.faults.back().error);
}
} // namespace

fx::SourceOptions SourceChoices::options() const {
    fx::SourceOptions options;
    options.name = name.toStdString();
    if (!arguments.trimmed().isEmpty() && !name.contains(u'('))
        options.name += '(' + arguments.trimmed().toStdString() + ')';
    options.concreteText = fixed.trimmed().toStdString();
    options.seed = seed;
    options.leafs = words(kept);
    options.followed = words(followed);
    options.paths = words(folders);
    options.proxyBuffers = proxyBuffers;
    options.weightsFiles = words(weights.split(u';', Qt::SkipEmptyParts));
    options.strictWeights = strictWeights;
    return options;
}

QJsonObject SourceChoices::toJson() const {
    return {{QStringLiteral("name"), name},
            {QStringLiteral("arguments"), arguments},
            {QStringLiteral("fixed"), fixed},
            {QStringLiteral("seed"), QString::number(seed)},
            {QStringLiteral("weights"), weights},
            {QStringLiteral("strict_weights"), strictWeights},
            {QStringLiteral("kept"), QJsonArray::fromStringList(kept)},
            {QStringLiteral("followed"), QJsonArray::fromStringList(followed)},
            {QStringLiteral("folders"), QJsonArray::fromStringList(folders)},
            {QStringLiteral("proxy_buffers"), proxyBuffers}};
}

SourceChoices SourceChoices::fromJson(const QJsonObject& json) {
    SourceChoices choices;
    choices.name = json[QStringLiteral("name")].toString();
    choices.arguments = json[QStringLiteral("arguments")].toString();
    choices.fixed = json[QStringLiteral("fixed")].toString();
    choices.seed = json[QStringLiteral("seed")].toString().toULongLong();
    choices.weights = json[QStringLiteral("weights")].toString();
    choices.strictWeights = json[QStringLiteral("strict_weights")].toBool(true);
    choices.kept = listFrom(json[QStringLiteral("kept")]);
    choices.followed = listFrom(json[QStringLiteral("followed")]);
    choices.folders = listFrom(json[QStringLiteral("folders")]);
    choices.proxyBuffers = json[QStringLiteral("proxy_buffers")].toBool();
    return choices;
}

DocumentSource::Start DocumentSource::traceText(const QString& path, const QByteArray& text,
                                                const SourceChoices& choices, bool drawAll, const fx::Readers& readers,
                                                const fx::Progress& progress) {
    fx::SourceOptions options = choices.options();
    options.reader = readers.python.get();
    options.fx = fx::fxClasses(options.notes);
    std::unique_ptr<fx::TensorEngine> engine; // not on the GUI thread, which must not wait for the worker
    if (readers.engine && QThread::currentThread() != qApp->thread()) engine = readers.engine(progress);
    if (engine) options.machine = fx::computing(*engine), options.engine = engine.get();
    const std::string file = path.toStdString(), source = text.toStdString();
    if (options.name.starts_with('(')) { // arguments for the class that is found
        SourceChoices plain = choices;
        plain.arguments.clear();
        fx::SourceOptions first = plain.options();
        first.machine = options.machine, first.engine = options.engine, first.reader = options.reader;
        first.weights = fx::NewWeights::ShapesOnly;
        options.name.insert(0, fx::traceSource(file, source, first, progress).name);
    }
    options.keepsUnloaded = true; // then the graph is that of the new weights
    if (!options.weightsFiles.empty())
        options.load = [&](fx::GraphModule& constructed) {
            fx::loadConstructed(constructed, {options.weightsFiles, options.strictWeights}, progress, readers);
        };
    options.weights = drawAll ? fx::NewWeights::Drawn : fx::NewWeights::ShapesOnly;
    auto made = std::make_shared<fx::SourceTrace>(fx::traceSource(file, source, options, progress));
    bool drawn = drawAll || !made->module;
    if (!drawn && elementsOf(*made->module) <= kQuickWeights) {
        options.weights = fx::NewWeights::Drawn;
        *made = fx::traceSource(file, source, options, progress);
        drawn = true;
    }
    return {text, std::move(made), drawn};
}

std::string DocumentSource::journalText(const QJsonObject& choices) {
    return QJsonDocument(choices).toJson(QJsonDocument::Compact).toStdString();
}

QJsonObject DocumentSource::fromJournal(const std::string& choices) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(choices)).object();
}

std::shared_ptr<fx::GraphModule> DocumentSource::traceAgain(const std::string& text, const std::string& path,
                                                            const std::string& choices, const fx::Readers& readers,
                                                            const fx::Progress& progress) {
    const QString file = QString::fromStdString(path);
    const QByteArray source = QByteArray::fromStdString(text);
    const SourceChoices chosen = SourceChoices::fromJson(fromJournal(choices));
    const Trace trace = traceText(file, source, chosen, true, readers, progress).trace;
    if (isForPython(*trace)) try { // as the graph may have been when it was edited
            if (auto made = traceAllowed(file, source, trace->name, chosen, progress)) return made->module;
        } catch (const fx::Error& error) {
            if (error.kind() == fx::ErrorKind::Cancelled) throw;
        }
    return trace->module;
}

DocumentSource::DocumentSource(QString path, Start start, SourceChoices choices, fx::Readers readers, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_text(start.text), m_savedText(start.text), m_tracedText(start.text),
      m_choices(std::move(choices)), m_tracedChoices(m_choices), m_readers(std::move(readers)),
      m_trace(std::move(start.trace)), m_isDrawn(start.drawn) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(kDrawAfter);
    connect(&m_pause, &QTimer::timeout, this, [this] { this->start(true); });
    if (!m_isDrawn) m_pause.start();
    callLater(this, [this] { considerPython(); }); // its listeners are connected by then
}

void DocumentSource::setText(const QByteArray& text) {
    if (text == m_text) return;
    m_text = text;
    start(false);
    Q_EMIT changed();
}

void DocumentSource::replaceText(const QByteArray& text) {
    if (text == m_text) return;
    m_text = text;
    start(false);
    Q_EMIT textReplaced();
    Q_EMIT changed();
}

void DocumentSource::setSaved(const QByteArray& text) {
    m_savedText = text;
    m_wasSaved = true;
    considerPython();
    Q_EMIT changed();
}

void DocumentSource::setChoices(const SourceChoices& choices) {
    if (choices == m_choices) return;
    m_choices = choices;
    start(false);
    Q_EMIT changed();
}

void DocumentSource::retrace() {
    start(false);
    Q_EMIT changed();
}

void DocumentSource::start(bool drawAll) {
    m_pause.stop();
    if (!drawAll) {
        m_isCurrent = false;
        m_asking.cancel();
        m_python = Python::None;
        m_pythonText.clear();
    }
    m_weightsProblem.clear();
    if (!drawAll) Q_EMIT aboutToTrace();
    m_tracing.start(
        [path = m_path, text = m_text, choices = m_choices, drawAll, readers = m_readers](
            const fx::Progress& progress) { return traceText(path, text, choices, drawAll, readers, progress); },
        this,
        [this, text = m_text, choices = m_choices, drawAll](Start made) {
            take(std::move(made), text, choices, drawAll);
        },
        [this](const fx::Error& error) {
            if (error.kind() == fx::ErrorKind::Cancelled) return;
            m_weightsProblem = linesFromCore(error.what());
            settle();
            Q_EMIT changed();
        });
}

void DocumentSource::take(Start made, const QByteArray& text, const SourceChoices& choices, bool drawAll) {
    if (text != m_text || choices != m_choices) return;
    const bool sameGraph = drawAll && m_isCurrent;
    // Weights that do not fit into memory are no reason to lose the graph.
    if (sameGraph && m_trace->isComplete && !made.trace->isComplete) {
        m_weightsProblem = linesFromCore(made.trace->faults.empty() ? "" : made.trace->faults.back().error.what());
    } else {
        disposeLater(std::exchange(m_trace, std::move(made.trace)));
        m_tracedText = text;
        m_tracedChoices = choices;
        m_isCurrent = true;
        m_isDrawn = made.drawn;
        Q_EMIT traced(sameGraph);
    }
    if (m_isDrawn || !m_weightsProblem.isEmpty()) settle();
    else if (m_waiting.empty()) m_pause.start();
    else start(true);
    if (!sameGraph) considerPython();
    Q_EMIT changed();
}

void DocumentSource::cancelPython() {
    if (m_python != Python::Tracing) return;
    m_asking.cancel();
    m_python = Python::Cancelled;
    Q_EMIT changed();
}

void DocumentSource::considerPython() {
    if (m_python != Python::None || m_asking.running() || !m_isCurrent || isModified()) return;
    if (!isForPython(*m_trace)) return;
    m_asking.start([path = m_path, text = m_text, name = m_trace->name, choices = m_choices](
                       const fx::Progress& progress) { return traceAllowed(path, text, name, choices, progress); },
                   this, [this](std::optional<PythonTrace> made) { takePython(std::move(made)); },
                   [this](const fx::Error& error) {
                       m_python = error.kind() == fx::ErrorKind::Cancelled ? Python::Cancelled : Python::Refused;
                       m_pythonText = linesFromCore(error.what());
                       Q_EMIT changed();
                   },
                   [this](const QString&, double) {
                       if (std::exchange(m_python, Python::Tracing) != Python::Tracing) Q_EMIT changed();
                   });
}

/// Lancet's trace still says what there is in the text: names of classes, and types of modules up to where it stopped.
void DocumentSource::takePython(std::optional<PythonTrace> made) {
    if (!made) {
        if (std::exchange(m_python, Python::None) != Python::None) Q_EMIT changed();
        return;
    }
    m_pause.stop();
    m_tracing.cancel(); // which would draw the weights of the part that Lancet traced
    auto trace = std::make_shared<fx::SourceTrace>(*m_trace);
    trace->module = std::move(made->module);
    trace->isComplete = true;
    trace->faults.clear();
    disposeLater(std::exchange(m_trace, std::move(trace)));
    m_weightsProblem.clear();
    m_isDrawn = true;
    m_python = Python::Traced;
    m_pythonText = made->versions;
    Q_EMIT traced(false);
    settle();
    Q_EMIT changed();
}

void DocumentSource::whenDrawn(QObject* listener, std::function<void(const QString&)> done) {
    m_waiting.emplace_back(listener, std::move(done));
    if (isDrawn()) settle();
    else if (m_isCurrent && !m_tracing.running()) start(true);
}

void DocumentSource::settle() {
    const auto waiting = std::exchange(m_waiting, {});
    for (const auto& [listener, done] : waiting)
        if (listener) done(m_weightsProblem);
}

} // namespace ui

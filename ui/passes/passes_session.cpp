// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/passes/passes_session.h"

#include "core/files/read_text.h"
#include "core/shapes/annotate.h"
#include "ui/document/kept_files.h"
#include "ui/document/node_facts.h"
#include "ui/passes/pass_engine.h"
#include "ui/run/run_center.h"
#include "ui/widgets/counted_text.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace ui {

namespace {

using Kind = DocumentOperations::Kind;
const QString kPanel = QStringLiteral("passes");
constexpr std::uint64_t kMaxPassFile = std::uint64_t{4} << 20;

/// The pipeline with the texts of its files, so that it needs none of them again. Off the GUI thread.
QByteArray withTexts(const QByteArray& pipeline) {
    QJsonObject object = QJsonDocument::fromJson(pipeline).object();
    QJsonArray passes;
    for (const QJsonValue& each : object[QLatin1String("passes")].toArray()) {
        QJsonObject pass = each.toObject();
        QString file = pass.value(QLatin1String("file")).toString();
        if (!file.isEmpty() && !pass.contains(QLatin1String("text"))) {
            if (const qsizetype colon = file.lastIndexOf(QLatin1String(".py:")); colon >= 0) file.truncate(colon + 3);
            pass[QStringLiteral("text")] = linesFromCore(fx::readTextFile(file.toStdString(), kMaxPassFile));
        }
        passes.append(pass);
    }
    object[QStringLiteral("passes")] = passes;
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

/// With the remedy, on a line of its own.
QString failureText(const fx::Error& error) {
    const QString what = elidedLines(error.what(), 600);
    return error.hint.empty() ? what : what + u'\n' + elidedLines(error.hint, 600);
}

} // namespace

PassesSession::PassesSession(Document& document, RunCenter& run)
    : QObject(&document), m_document(document), m_run(run), m_worker(&run.worker()),
      m_choices(PassChoices::fromJson(document.panelViews().of(kPanel))) {
    connect(&document.panelViews(), &PanelViews::restored, this, [this] {
        m_choices = PassChoices::fromJson(m_document.panelViews().of(kPanel));
        Q_EMIT choicesRestored();
    });
    connect(&document, &Document::versionChanged, this, [this] {
        if (!m_toldBad && m_toldOf != m_document.module()) m_told.clear(); // it speaks well of another version
        Q_EMIT changed();
    });
    connect(&document.selection(), &NodeSelection::changed, this, &PassesSession::changed);
    connect(m_worker, &WorkerService::allowed, this, &PassesSession::forgetRefusals);
    connect(&document.operations(), &DocumentOperations::cancelled, this, [this](Kind, DocumentOperations::Id id) {
        if (id != m_operation) return;
        end();
        tell(tr("Cancelled; nothing has changed."), false);
    });
    connect(&document.operations(), &DocumentOperations::changed, this, [this] {
        for (const auto& each : m_document.operations().running()) {
            if (each.id != m_operation || m_operation == 0) continue;
            m_doing = each.what.isEmpty() ? each.label : each.what;
            m_done = each.done;
            Q_EMIT progressed();
        }
    });
}

/// What was refused because nothing was allowed to run says nothing any more.
void PassesSession::forgetRefusals() {
    if (std::exchange(m_toldRefusal, false)) m_told.clear();
    if (m_record && m_record->problem && WorkerService::isRefusal(*m_record->problem)) {
        m_record.reset();
        m_place.reset();
    }
    m_checked.removeIf(
        [](const auto& each) { return each.value().error && WorkerService::isRefusal(*each.value().error); });
    checkSteps();
    Q_EMIT changed();
    Q_EMIT placeChanged();
}

PassesSession::~PassesSession() {
    if (!m_worker) return;
    for (const auto kind : {WorkerService::Kind::Verify, WorkerService::Kind::Timing}) m_worker->cancel({kind, this});
}

PassesSession* PassesSession::of(Document& document, RunCenter& run) {
    auto* known = document.findChild<PassesSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new PassesSession(document, run);
}

void PassesSession::setChoices(PassChoices choices) {
    if (choices == m_choices) return;
    m_choices = std::move(choices);
    m_document.panelViews().set(kPanel, m_choices.toJson());
}

QString PassesSession::whyNot() const {
    if (m_document.state() != Document::State::Ready) return tr("No model is open");
    if (m_operation != 0) return tr("Passes are running");
    if (m_choices.ticked().empty()) return tr("No pass is ticked");
    if (m_choices.onSelection && m_document.selection().nodes().empty()) return tr("No node is selected");
    return {};
}

PassJob PassesSession::jobOf(const PassChoices& choices) const {
    std::optional<QStringList> nodes;
    if (choices.onSelection) {
        nodes.emplace();
        for (const fx::NodeId node : m_document.selection().inGraphOrder())
            *nodes << fromCore(m_document.module()->graph.node(node).name());
    }
    return {QJsonDocument(choices.pipeline(nodes)).toJson(QJsonDocument::Compact), choices.ticked(), choices.verifies,
            m_document.readers()};
}

void PassesSession::run() {
    if (!whyNot().isEmpty()) return;
    const std::vector<std::size_t> rows = m_choices.ticked();
    QString name = rows.size() == 1 ? tr("Run %1").arg(m_choices.passes[rows.front()].label())
                                    : tr("Run %1 passes").arg(rows.size());
    if (m_choices.onSelection) name = tr("%1 on the selection").arg(name);
    start({name, jobOf(m_choices)});
}

/// Rows of the list that is shown; behind its end: the pass is not in it.
PassJob PassesSession::jobOf(const PassChoice& pass, bool onSelection) const {
    PassChoices alone;
    alone.passes = {pass};
    alone.passes.front().ticked = true;
    alone.onSelection = onSelection;
    alone.verifies = m_choices.verifies;
    PassJob job = jobOf(alone);
    const auto row = std::find_if(m_choices.passes.begin(), m_choices.passes.end(), [&](const PassChoice& each) {
        return each.file == pass.file && each.name == pass.name;
    });
    job.rows = {static_cast<std::size_t>(row - m_choices.passes.begin())};
    return job;
}

void PassesSession::runAlone(const PassChoice& pass, bool onSelection) {
    Asked asked{tr("Run %1").arg(pass.label()), jobOf(pass, onSelection)};
    if (onSelection) asked.name = tr("%1 on the selection").arg(asked.name);
    start(std::move(asked));
}

void PassesSession::optimise() {
    PassChoice pass;
    pass.name = QStringLiteral("onednn");
    start({tr("Optimise for this CPU"), jobOf(pass, false), true});
}

bool PassesSession::begins() {
    if (m_document.state() != Document::State::Ready || m_operation != 0) return false;
    if (!m_document.operations().isRunning(Kind::Edit)) return true;
    Q_EMIT m_document.versions().refused(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
    return false;
}

bool PassesSession::checksNumbers() const {
    const RunSession* session = m_run.sessionOf(m_document);
    return session && session->missing().isEmpty();
}

template<class Result> void PassesSession::operate(Kind kind, const QString& label,
                                                   std::function<Result(PassEngine&, const fx::Progress&)> work,
                                                   std::function<void(Result)> done) {
    const RunSession* session = m_run.sessionOf(m_document);
    const fx::InputDescription inputs = session ? session->inputs() : fx::InputDescription();
    const fx::Tolerances tolerances = session ? session->tolerances() : fx::Tolerances();
    m_told.clear();
    m_doing = label, m_done = 0;
    m_operation = m_document.operations().start<Result>(
        kind, {label, {}},
        [worker = m_worker, inputs, tolerances, work = std::move(work)](const fx::Progress& progress) {
            PassEngine engine(worker, inputs, tolerances, progress);
            return work(engine, progress);
        },
        [this, done = std::move(done)](Result result) {
            end();
            done(std::move(result));
        },
        [this](const fx::Error& error) { failed(error); });
    Q_EMIT changed();
}

void PassesSession::start(Asked asked) {
    if (!begins()) return;
    struct Made {
        PassRecord record;
        RecordedSteps steps;
    };
    operate<Made>(
        Kind::Edit, asked.name,
        [model = m_document.module(), job = asked.job, folder = keptFilesFolder()](PassEngine& engine,
                                                                                   const fx::Progress& progress) {
            PassJob whole = job;
            whole.pipeline = withTexts(job.pipeline);
            PassRecord record = recordPasses(model, whole, engine, progress);
            RecordedSteps steps = stepsOf(whole.pipeline, record, engine.hasComputed(), folder, progress);
            if (steps.problem) record.warnings.push_back({*steps.problem, {}, {}, {}});
            return Made{std::move(record), std::move(steps)};
        },
        [this, asked](Made made) { take(asked, std::move(made.record), made.steps); });
}

void PassesSession::take(const Asked& asked, PassRecord record, const RecordedSteps& steps) {
    m_checked.clear(), m_times.clear(), m_toCheck.clear();
    m_bisection.reset();
    m_record = std::make_shared<const PassRecord>(std::move(record));
    m_place.reset();
    if (!m_record->passes.empty()) m_place = Place{m_record->passes.size() - 1, 0};
    if (m_record->problem) {
        const fx::Error& problem = *m_record->problem;
        tell(tr("Nothing has changed: %1").arg(failureText(problem)), true);
        m_toldRefusal = WorkerService::isRefusal(problem);
        if (!problem.file.empty()) Q_EMIT textFailed(fromCore(problem.file), problem);
    } else if (!m_record->changed()) {
        tell(asked.optimises ? tr("Nothing in this model is shown to be faster on this CPU; it stays as it is.")
                             : tr("The passes found nothing to do."),
             false);
    } else {
        adopt(asked, steps);
    }
    Q_EMIT changed();
    Q_EMIT placeChanged();
    checkSteps();
    if (asked.optimises) Q_EMIT optimised();
}

void PassesSession::adopt(const Asked& asked, const RecordedSteps& steps) {
    if (m_document.module() != m_record->before) {
        Q_EMIT m_document.versions().refused(
            fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_stale", {{"name", asked.name.toStdString()}})));
        return;
    }
    if (steps.file) m_files.push_back(steps.file);
    m_document.versions().adoptEdit(asked.name, steps.steps, m_record->after);
}

bool PassesSession::isCurrent() const { return m_record && m_record->after && m_document.module() == m_record->after; }

void PassesSession::tell(const QString& what, bool isBad) {
    m_told = what, m_toldBad = isBad, m_toldRefusal = false;
    m_toldOf = m_document.module();
    Q_EMIT changed();
}

void PassesSession::end() {
    m_operation = 0;
    m_doing.clear();
}

void PassesSession::failed(const fx::Error& error) {
    end();
    tell(failureText(error), true);
    m_toldRefusal = WorkerService::isRefusal(error);
    if (!error.file.empty()) Q_EMIT textFailed(fromCore(error.file), error);
}

void PassesSession::cancel() { m_document.operations().cancel(m_operation); }

void PassesSession::bisect() {
    if (!begins() || !whyNot().isEmpty()) return;
    const bool numbers = checksNumbers();
    // The version before the last run, when that is what is shown: what broke is what it made.
    const auto model = isCurrent() ? m_record->before : m_document.module();
    operate<std::optional<fx::PassBisection>>(
        Kind::Search, tr("Looking for the first bad rewrite"),
        [model, numbers, job = jobOf(m_choices)](PassEngine& engine, const fx::Progress& progress) {
            return bisectJob(*model, job, engine, numbers, progress);
        },
        [this, numbers, model, rows = m_choices.ticked()](std::optional<fx::PassBisection> found) {
            m_bisection = std::move(found);
            if (!m_bisection)
                return tell(numbers ? tr("No pass breaks the model: lint passes and the outputs agree.")
                                    : tr("No pass fails lint. The numbers were not compared: inputs are missing."),
                            false);
            const QString pass = fromCore(m_bisection->pass), why = elidedLines(m_bisection->problem.what(), 400),
                          checked =
                              counted(qint64(m_bisection->checks), tr("1 model checked"), tr("%1 models checked"));
            tell(m_bisection->rewrite
                     ? tr("First bad rewrite: %1 of %2 in %3, at %4 (%5): %6")
                           .arg(QString::number(m_bisection->rewrite->number), QString::number(m_bisection->rewrites),
                                pass, fromCore(m_bisection->rewrite->node), checked, why)
                     : tr("First bad pass: %1 (%2): %3").arg(pass, checked, why),
                 true);
            if (m_record && m_bisection->index < m_record->passes.size())
                return goTo(Place{m_bisection->index, m_bisection->rewrite ? m_bisection->rewrite->number : 0});
            showBisection(model, rows);
        });
}

/// Nothing was run yet: the bad rewrite alone can be looked at.
void PassesSession::showBisection(const std::shared_ptr<const fx::GraphModule>& model,
                                  const std::vector<std::size_t>& rows) {
    RecordedPass pass;
    pass.row = rows[std::min(m_bisection->index, rows.size() - 1)];
    pass.name = m_bisection->pass;
    pass.whole = {std::make_shared<const fx::GraphModule>(m_bisection->before),
                  std::make_shared<const fx::GraphModule>(m_bisection->after),
                  {},
                  0};
    auto record = std::make_shared<PassRecord>();
    record->before = model;
    record->passes = {std::move(pass)};
    record->problem = m_bisection->problem;
    m_record = std::move(record);
    goTo(Place{0, 0});
    Q_EMIT changed();
}

void PassesSession::minimise() {
    if (!begins() || !whyNot().isEmpty()) return;
    // Parts need the shapes of values inside the model: those of the version that is shown.
    const bool known = !isCurrent();
    const auto model = known ? m_document.shapes().shown() : m_record->before;
    operate<fx::Minimised>(
        Kind::Search, tr("Looking for a smaller model that fails"),
        [model, known, numbers = checksNumbers(), job = jobOf(m_choices)](PassEngine& engine,
                                                                          const fx::Progress& progress) {
            fx::GraphModule noted = *model;
            if (!known && numbers) fx::noteShapes(noted.graph, engine.shapes(noted));
            return minimiseJob(noted, job, engine, numbers, progress);
        },
        [this](fx::Minimised found) {
            const QString told = QStringLiteral("%1 (%2): %3")
                                     .arg(counted(found.nodes, tr("1 node still fails"), tr("%1 nodes still fail")),
                                          counted(found.trials, tr("1 model tried"), tr("%1 models tried")),
                                          elidedLines(found.problem.what(), 400));
            tell(told, true);
            Q_EMIT minimised(std::make_shared<const fx::GraphModule>(std::move(found.part.model)),
                             tr("%1 › minimised").arg(m_document.file().title()), told);
        });
}

} // namespace ui

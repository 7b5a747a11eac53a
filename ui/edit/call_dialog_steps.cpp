// SPDX-License-Identifier: GPL-3.0-or-later
// What the form stands for: steps, tried while one types.
#include "ui/edit/call_dialog.h"

#include "core/base/memory.h"
#include "core/codegen/python_code.h"
#include "core/edit/steps/step.h"
#include "core/edit/steps/steps.h"
#include "core/module/call_semantics.h"
#include "core/ops/functional_forms.h"
#include "ui/document/node_facts.h"
#include "ui/edit/erasure.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/role.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QLoggingCategory>
#include <QPushButton>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

/// Off by default; QT_LOGGING_RULES="lancet.edit.debug=true" tells what the form stands for.
Q_LOGGING_CATEGORY(editLog, "lancet.edit", QtWarningMsg)

} // namespace

/// "layer1.0.relu_1" for a torch.nn.ReLU beside the module layer1.0.conv2, so that it stands in the same group.
std::string CallDialog::freeModulePath() const {
    const QString last = m_choice.target.mid(m_choice.target.lastIndexOf(u'.') + 1).toLower();
    std::string place = node().op() == fx::Op::CallModule ? node().target() : std::string();
    place.resize(place.rfind('.') == std::string::npos ? 0 : place.rfind('.') + 1);
    if (!place.empty() && fx::resolvePath(*m_document.module()->root, place.substr(0, place.size() - 1)).kind !=
                              fx::PathTarget::Kind::Module)
        place.clear();
    for (int i = 0;; ++i) {
        const std::string path = place + (i == 0 ? last.toStdString() : last.toStdString() + "_" + std::to_string(i));
        if (fx::resolvePath(*m_document.module()->root, path).kind == fx::PathTarget::Kind::Missing) return path;
    }
}

fx::StepList CallDialog::insertSteps(const CallForm::Call& call) const {
    fx::StepList steps;
    const std::string path = asksSettings() ? freeModulePath() : std::string();
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const fx::NodeId at = m_nodes[i];
        fx::StepList::Insertion what;
        what.op = m_choice.op;
        what.target = m_choice.target.toStdString();
        what.name = m_name->text().trimmed().toStdString();
        what.rewireUsers = m_task == Task::InsertAfter && m_rewire->isChecked() && m_onlyUser == fx::kNoNode;
        // At each of many nodes the first argument is that node.
        CallForm::Call own = call;
        if (asksSettings()) {
            what.made = chosenModule();
            what.target = i == 0 ? path : path + "_of_" + std::to_string(i);
            own = {{fx::Argument(at)}, {}};
        } else {
            for (fx::Argument& argument : own.args)
                argument = fx::mapNodes(
                    argument, [&](fx::NodeId each) { return fx::Argument(each == m_nodes.front() ? at : each); });
        }
        const fx::StepCall written{graph(), own.args, own.kwargs};
        m_task == Task::InsertAfter ? steps.insertAfter(graph().node(at).name(), what, written)
                                    : steps.insertBefore(graph().node(at).name(), what, written);
        // A new module is in training mode; a dropout among modules that are evaluated would make noise.
        if (what.made && !m_document.module()->root->training) steps.setTraining(what.target, false);
    }
    if (m_onlyUser != fx::kNoNode) addOnlyUser(steps);
    return steps;
}

fx::StepModule CallDialog::chosenModule() const {
    return {m_choice.target.toStdString(), m_form->settings(fx::Graph())};
}

/// The step that lets the one user take the new node, whose name is known from trying the insertion.
void CallDialog::addOnlyUser(fx::StepList& steps) const {
    const auto edited = fx::History::tried(*m_document.module(), steps).model;
    const fx::EditEffect effect = fx::compareVersions(graph(), edited->graph);
    if (!effect.created.empty()) steps.setInput(edited->graph, m_onlyUser, m_nodes.front(), effect.created.back());
}

void CallDialog::setOnlyUser(fx::NodeId user) {
    m_onlyUser = user;
    m_rewire->hide();
    setWindowTitle(tr("Insert between %1 and %2").arg(fromCore(node().name()), fromCore(graph().node(user).name())));
}

fx::StepList CallDialog::steps() const {
    if (m_choice.target.isEmpty()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.no_target"));
    if (inserts()) return insertSteps(asksSettings() ? CallForm::Call() : m_form->call(graph()));
    fx::StepList steps;
    if (m_task == Task::ReplaceModule) {
        steps.replaceModule(node().target(), chosenModule(), m_keep->isChecked());
    } else if (m_task == Task::ReplaceModuleClass) {
        steps.replaceModuleClass(m_from.toStdString(), chosenModule(), m_keep->isChecked());
    } else {
        if (m_choice.target != fromCore(node().target())) steps.setTarget(node().name(), m_choice.target.toStdString());
        const CallForm::Call call = m_form->call(graph());
        steps.setArgs(node().name(), {graph(), call.args, call.kwargs});
    }
    return steps;
}

QString CallDialog::name() const {
    const QString last = m_choice.target.mid(m_choice.target.lastIndexOf(u'.') + 1);
    switch (m_task) {
    case Task::InsertAfter:
    case Task::InsertBefore:
        return m_nodes.size() == 1 ? tr("Insert %1 at %2").arg(last, fromCore(node().name()))
                                   : tr("Insert %1 at %2 nodes").arg(last).arg(m_nodes.size());
    case Task::ChangeCall: return tr("Change call of %1").arg(fromCore(node().name()));
    case Task::ReplaceModule: return tr("Replace %1 with %2").arg(fromCore(node().target()), last);
    case Task::ReplaceModuleClass:
        return tr("Replace every %1 with %2").arg(m_from.mid(m_from.lastIndexOf(u'.') + 1), last);
    }
    return {};
}

/// What the steps would make of a version.
struct CallDialog::Tried {
    fx::History::Trial trial;
    fx::EditEffect effect;
    std::shared_ptr<const fx::GraphModule> before;
    QStringList python; ///< the statements of the first new or changed nodes
};

namespace {

/// The lines of generated code in which these nodes stand.
QStringList pythonOf(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes) {
    constexpr std::size_t kLines = 3;
    QStringList lines;
    fx::PythonCode code;
    try {
        code = fx::generatePython(graph);
    } catch (const fx::Error&) { return lines; } // of another node; saving says which
    std::vector<std::size_t> starts{0};
    for (std::size_t at = code.text.find('\n'); at != code.text.npos; at = code.text.find('\n', at + 1))
        starts.push_back(at + 1);
    for (std::size_t i = 0; i < std::min(nodes.size(), kLines); ++i) {
        const std::size_t id = fx::index(nodes[i]);
        const int line = id < code.nodeLines.size() ? code.nodeLines[id] : -1;
        if (line < 0 || static_cast<std::size_t>(line) >= starts.size()) continue;
        const std::size_t start = starts[static_cast<std::size_t>(line)];
        const QString text = fromCore(code.text.substr(start, code.text.find('\n', start) - start)).trimmed();
        lines << text.section(QStringLiteral(";  "), 0, 0); // without what frees values
    }
    return lines;
}

} // namespace

void CallDialog::checkLater() {
    m_isChecked = false;
    m_trying.cancel();
    m_checking.start();
}

/// Tries the steps on a copy, off the GUI thread; no weights are drawn, so the sizes that one types cost nothing.
void CallDialog::check() {
    m_checking.stop();
    m_isChecked = false;
    m_trying.cancel();
    const auto showError = [this](const fx::Error& error) {
        const fx::Message& what = error.message();
        const bool ofStep = what.is("steps.named_failed") || what.is("steps.failed");
        QString text = ofStep ? linesFromCore(what.argument("reason")) : linesFromCore(error.what());
        if (!error.hint.empty()) text += u'\n' + linesFromCore(error.hint);
        m_form->markInvalid(what.is("window.argument") ? fromCore(what.argument("name")) : QString());
        showResult(text, false);
    };
    try {
        m_trying.start(
            [before = m_document.module(), steps = steps(),
             tellsChanged = m_task == Task::ChangeCall](const fx::Progress& progress) {
                fx::History::Trial trial = fx::History::tried(*before, steps, progress);
                fx::EditEffect effect = fx::compareVersions(before->graph, trial.model->graph);
                QStringList python = pythonOf(trial.model->graph, tellsChanged ? effect.changed : effect.created);
                return std::make_shared<const Tried>(
                    Tried{std::move(trial), std::move(effect), before, std::move(python)});
            },
            this, [this](const std::shared_ptr<const Tried>& tried) { showTried(*tried); }, showError);
    } catch (const fx::Error& error) { showError(error); }
}

/// A class that is replaced by itself, without other settings, is what it was.
bool CallDialog::changesNothing(const Tried& tried) const {
    if (m_task == Task::ReplaceModule) return false; // its weights are new
    if (m_task == Task::ReplaceModuleClass)
        return m_choice.target == m_from && m_keep->isChecked() && m_form->settings(fx::Graph()).empty();
    return tried.effect.created.empty() && tried.effect.changed.empty();
}

/// Shows what would stand in the graph.
void CallDialog::showTried(const Tried& tried) {
    if (changesNothing(tried)) {
        const bool isClass = m_task == Task::ReplaceModuleClass;
        showResult(isClass ? tr("Nothing changes. Choose another class or other settings.") : tr("Nothing changes."),
                   false);
        return setRole(*m_result, "muted"); // nothing is wrong
    }
    QString text = m_task == Task::ReplaceModule        ? tr("A new module will be created.")
                   : m_task == Task::ReplaceModuleClass ? replacedText(*tried.before)
                                                        : tried.python.join(u'\n');
    constexpr std::uint64_t kWorthTelling = 100 << 20;
    if (tried.trial.weightBytes >= kWorthTelling)
        text +=
            u'\n' + tr("The new weights need %1 of memory.").arg(fromCore(fx::bytesInWords(tried.trial.weightBytes)));
    constexpr std::size_t kTold = 2;
    const fx::Warnings& warnings = tried.trial.warnings;
    for (std::size_t i = 0; i < std::min(warnings.size(), kTold); ++i)
        text += u'\n' + linesFromCore(warnings[i].what.text());
    showResult(text, true);
    if (!warnings.empty()) setRole(*m_result, "warning");
}

namespace {

/// Functions and methods that compute what the class does: torch.relu, F.relu_ or x.relu() for ReLU.
std::vector<fx::NodeId> functionCallsOf(const std::string& moduleClass, const fx::Graph& graph) {
    if (!moduleClass.starts_with("torch.nn.")) return {};
    const auto forms = fx::ops::functionalForms(std::string_view(moduleClass).substr(moduleClass.rfind('.') + 1));
    std::unordered_map<std::string_view, bool> functions, methods; // by target: models call few of them many times
    std::vector<fx::NodeId> calls;
    for (const fx::Node& node : graph.nodes()) {
        if (forms.empty() || (node.op() != fx::Op::CallFunction && node.op() != fx::Op::CallMethod)) continue;
        auto& known = node.op() == fx::Op::CallMethod ? methods : functions;
        const auto [target, isNew] = known.try_emplace(node.target());
        if (isNew) target->second = std::find(forms.begin(), forms.end(), fx::canonicalName(node)) != forms.end();
        if (target->second) calls.push_back(node.id());
    }
    return calls;
}

} // namespace

/// "12 modules will be replaced: features.0.2, features.1.conv.0.2, …"
QString CallDialog::replacedText(const fx::GraphModule& before) const {
    constexpr std::size_t kNamed = 8;
    const auto places = fx::modulesOfClass(*before.root, m_from.toStdString());
    QStringList names;
    for (const fx::ModulePlaces& place : places)
        if (names.size() < static_cast<qsizetype>(kNamed)) names << fromCore(place.paths.front());
    if (places.size() > kNamed) names << QStringLiteral("…");
    const QString count = places.size() == 1 ? tr("1 module will be replaced: %1")
                                             : tr("%1 modules will be replaced: %2").arg(places.size());
    const QString text = count.arg(names.join(QStringLiteral(", ")));
    const auto calls = functionCallsOf(m_from.toStdString(), before.graph);
    if (calls.empty()) return text;
    return text + u'\n' +
           counted(calls.size(), tr("1 call of a function is not replaced: %1"),
                   tr("%1 calls of functions are not replaced: %2"))
               .arg(namesInWords(before.graph, calls, kNamed));
}

void CallDialog::showResult(const QString& text, bool valid) {
    m_result->setText(text);
    setRole(*m_result, m_choice.target.isEmpty() ? "muted" : valid ? "ok" : "warning");
    qCDebug(editLog).noquote() << "call:" << (valid ? "valid" : "not yet") << text.section(u'\n', 0, 0);
    m_isChecked = true;
    m_isValid = valid;
    if (valid) m_form->markInvalid({});
    for (QPushButton* button : {m_accept, m_preview}) button->setEnabled(valid);
    m_accept->setToolTip(valid ? QString() : plainToolTip(text));
    if (std::exchange(m_acceptsNext, false) && valid) QDialog::accept();
}

} // namespace ui

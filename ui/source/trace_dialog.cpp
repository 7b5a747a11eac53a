// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/trace_dialog.h"

#include "core/own/allowed_pythons.h"
#include "core/sandbox/sandbox.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include <mutex>
#include <utility>

namespace ui {

namespace {
constexpr qsizetype kRemembered = 6; ///< interpreters
constexpr int kMostBlocks = 10'000;  ///< lines of output that stay
constexpr int kMostCharacters = 2'000'000;

/// Interpreters that are probably meant: in environments beside the source, active, and on PATH. None is started to
/// find out.
QStringList likelyInterpreters(const QString& folder) {
    QStringList found;
    for (const std::string& program : fx::pythonCandidates(folder.toStdString())) found << fromCore(program);
    return found;
}

/// Output of the child that the window has not shown yet: only its end, because a program can print without limit.
class LatestOutput {
public:
    /// Returns true if the caller must request a `take`.
    bool add(std::string_view text) {
        const std::lock_guard lock(m_mutex);
        m_text += text;
        if (m_text.size() > kMost) m_text.erase(0, m_text.find('\n', m_text.size() - kMost / 2));
        return !std::exchange(m_isAwaited, true);
    }
    std::string take() {
        const std::lock_guard lock(m_mutex);
        m_isAwaited = false;
        return std::exchange(m_text, {});
    }

private:
    static constexpr std::size_t kMost = 1 << 16;
    std::mutex m_mutex;
    std::string m_text;
    bool m_isAwaited = false;
};

/// Describes the rights of the child.
QString rightsText() {
    if (fx::sandboxSupport().holds())
        return TraceDialog::tr("in a sandbox, where it reads only its environment and the folders of the model, writes "
                               "nothing and has no network.");
    return TraceDialog::tr("with your rights, since this kernel has no sandbox.");
}
} // namespace

std::optional<std::vector<fx::OwnInput>> ownInputs(const QString& text) {
    static const QRegularExpression one(QStringLiteral("^(\\w+)=((?:\\d+(?:x\\d+)*)?)(?::(\\w+))?$"));
    std::vector<fx::OwnInput> inputs;
    for (const QString& each : text.split(QRegularExpression(QStringLiteral("[,;\\s]+")), Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = one.match(each);
        if (!match.hasMatch()) return std::nullopt;
        fx::OwnInput input{match.captured(1).toStdString(), {}, "float32"};
        for (const QString& size : match.captured(2).split(u'x', Qt::SkipEmptyParts))
            input.sizes.push_back(size.toLongLong());
        if (!match.captured(3).isEmpty()) input.dtype = match.captured(3).toStdString();
        inputs.push_back(std::move(input));
    }
    return inputs;
}

TraceDialog::TraceDialog(const QJsonObject& remembered, QWidget* parent)
    : QDialog(parent), m_python(new QComboBox(this)), m_target(new QLineEdit(this)), m_inputs(new QLineEdit(this)),
      m_folders(new QLineEdit(this)), m_command(new WrappedLabel(this)), m_output(new QPlainTextEdit(this)),
      m_always(new QCheckBox(tr("Use this environment by itself for sources that Lancet cannot trace"), this)),
      m_message(new WrappedLabel(this)), m_trace(new QPushButton(tr("Trace"), this)),
      m_cancel(new QPushButton(tr("Close"), this)) {
    setWindowTitle(tr("Trace with Python"));
    resize(680, 520);
    auto* about = new WrappedLabel(this, tr("Runs torch.fx.symbolic_trace in your own Python, or torch.export if that "
                                            "refuses. This imports the module, so its code runs: ") +
                                             rightsText());
    about->setProperty("role", "muted");
    m_python->setEditable(true);
    m_python->setInsertPolicy(QComboBox::NoInsert);
    for (const QJsonValue each : remembered[QStringLiteral("interpreters")].toArray())
        m_python->addItem(each.toString());
    for (const QString& each : likelyInterpreters(QDir::currentPath()))
        if (m_python->findText(each) < 0) m_python->addItem(each);
    m_python->setAccessibleName(tr("Python interpreter"));
    m_python->setToolTip(tr("A Python with PyTorch installed; it is started only by the Trace button"));
    m_target->setPlaceholderText(tr("package.module:Net, net.py:Net or net.py:make_net(18)"));
    m_target->setAccessibleName(tr("Model"));
    m_target->setText(remembered[QStringLiteral("target")].toString());
    m_inputs->setPlaceholderText(tr("x=1x3x224x224, ids=1x16:int64"));
    m_inputs->setAccessibleName(tr("Inputs for torch.export"));
    m_inputs->setToolTip(tr("Example inputs, needed only if symbolic_trace refuses and torch.export is tried"));
    m_inputs->setText(remembered[QStringLiteral("inputs")].toString());
    m_folders->setPlaceholderText(tr("the current folder"));
    m_folders->setAccessibleName(tr("Import folders"));
    m_folders->setToolTip(tr("Folders in which modules are looked up, with semicolons between"));
    m_folders->setText(remembered[QStringLiteral("folders")].toString());
    auto* choose = new QPushButton(tr("Browse…"), this);
    choose->setAutoDefault(false);
    auto* python = new QHBoxLayout;
    python->addWidget(m_python, 1);
    python->addWidget(choose);
    auto* form = new QFormLayout;
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setSpacing(8);
    form->addRow(tr("Interpreter"), python);
    form->addRow(tr("Model"), m_target);
    form->addRow(tr("Inputs"), m_inputs);
    form->addRow(tr("Import folders"), m_folders);
    form->addRow(QString(), m_always);
    const bool isSandboxed = fx::sandboxSupport().holds();
    m_always->setEnabled(isSandboxed);
    m_always->setToolTip(isSandboxed
                             ? tr("Later files that Lancet cannot trace are traced by this Python without asking, "
                                  "in the sandbox; Preferences lists the environments")
                             : tr("This kernel has no sandbox, so Python runs only when you press Trace"));
    m_output->setReadOnly(true);
    m_output->setFont(monoFont());
    m_output->setMaximumBlockCount(kMostBlocks);
    m_output->setPlaceholderText(tr("What Python prints appears here."));
    m_output->setAccessibleName(tr("Output of Python"));
    m_command->setTextFormat(Qt::PlainText);
    m_command->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_command->setAccessibleName(tr("What will run"));
    m_message->setTextFormat(Qt::PlainText);
    m_message->hide();
    m_trace->setProperty("primary", true);
    m_trace->setAutoDefault(false); // Enter runs nothing: only a click, or the space bar on the button
    m_cancel->setAutoDefault(false);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_trace);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 14);
    column->setSpacing(10);
    column->addWidget(about);
    column->addLayout(form);
    column->addWidget(m_command);
    column->addWidget(m_output, 1);
    column->addWidget(m_message);
    column->addLayout(buttons);
    m_target->setFocus();
    connect(choose, &QPushButton::clicked, this, &TraceDialog::browse);
    connect(m_trace, &QPushButton::clicked, this, &TraceDialog::start);
    connect(m_cancel, &QPushButton::clicked, this, [this] { isRunning() ? cancel() : reject(); });
    connect(this, &QDialog::finished, this, &TraceDialog::cancel);
    connect(m_target, &QLineEdit::textChanged, this, &TraceDialog::showState);
    connect(m_python, &QComboBox::editTextChanged, this, &TraceDialog::showState);
    connect(m_python, &QComboBox::editTextChanged, this, &TraceDialog::showAllowed);
    showAllowed();
    showState();
}

TraceDialog::~TraceDialog() = default;

void TraceDialog::setTarget(const QString& target) {
    m_target->setText(target);
    const QString folder = QFileInfo(target).absolutePath();
    for (const QString& each : likelyInterpreters(folder))
        if (each.startsWith(folder + u'/')) return m_python->setEditText(each); // made for these sources
}

QJsonObject TraceDialog::memory() const {
    QStringList interpreters{m_python->currentText().trimmed()};
    for (int i = 0; i < m_python->count(); ++i)
        if (!interpreters.contains(m_python->itemText(i))) interpreters << m_python->itemText(i);
    interpreters.removeAll(QString());
    return {{QStringLiteral("interpreters"), QJsonArray::fromStringList(interpreters.mid(0, kRemembered))},
            {QStringLiteral("target"), m_target->text().trimmed()},
            {QStringLiteral("inputs"), m_inputs->text().trimmed()},
            {QStringLiteral("folders"), m_folders->text().trimmed()}};
}

QString TraceDialog::message() const { return m_message->isHidden() ? QString() : m_message->text(); }

void TraceDialog::browse() {
    const QString path = FileDialog::openFile(this, tr("Choose Python Interpreter"), m_python->currentText());
    if (!path.isEmpty()) m_python->setEditText(path);
}

std::optional<fx::OwnPython> TraceDialog::request() {
    fx::OwnPython request;
    request.target = m_target->text().trimmed().toStdString();
    for (const QString& folder : m_folders->text().split(u';', Qt::SkipEmptyParts))
        request.paths.push_back(folder.trimmed().toStdString());
    const auto inputs = ownInputs(m_inputs->text());
    if (!inputs) return std::nullopt;
    request.inputs = *inputs;
    return request;
}

void TraceDialog::start() {
    if (isRunning() || !m_trace->isEnabled()) return;
    const auto asked = request();
    if (!asked) {
        m_inputs->setFocus();
        return tell(tr("Expected inputs such as x=1x3x224x224 or ids=1x16:int64."), "error");
    }
    Q_EMIT remember();
    m_output->clear();
    m_message->hide();
    try {
        m_folder = std::make_shared<fx::TemporaryFolder>();
    } catch (const fx::Error& error) {
        return tell(linesFromCore(error.what()) + u'\n' + linesFromCore(error.hint), "error");
    }
    const QPointer<TraceDialog> self = this;
    m_running.start(
        [asked = *asked, program = m_python->currentText().trimmed().toStdString(), folder = m_folder,
         self](const fx::Progress& progress) {
            return fx::traceWithPython(
                asked, fx::describePython(program, fx::ownFolder(asked.target), progress), folder->path(),
                [self, output = std::make_shared<LatestOutput>()](std::string_view text) {
                    if (!output->add(text)) return;
                    callLater(qApp, [self, output] {
                        const QString words = linesFromCore(output->take());
                        if (self) self->append(words);
                    });
                },
                progress);
        },
        this, [this](const fx::OwnTrace& result) { take(result); },
        [this](const fx::Error& error) {
            showState();
            if (error.kind() == fx::ErrorKind::Cancelled) return;
            QString text = linesFromCore(error.what());
            if (!error.where.empty()) text += tr(" (%1)").arg(fromCore(error.where));
            if (!error.hint.empty()) text += u'\n' + linesFromCore(error.hint);
            tell(text, "error");
        });
    showState();
}

void TraceDialog::cancel() {
    if (!isRunning()) return;
    m_running.cancel();
    tell(tr("Cancelled; Python was ended."), "warning");
    showState();
}

/// The box shows what was decided about the interpreter before.
void TraceDialog::showAllowed() {
    bool isAllowed = false;
    try {
        isAllowed = fx::AllowedPythons().allows(fx::locatePython(m_python->currentText().trimmed().toStdString()));
    } catch (const fx::Error&) {} // NOLINT(bugprone-empty-catch): Trace says why
    m_always->setChecked(m_always->isEnabled() && isAllowed);
}

/// Allows or forgets the interpreter that has traced. Returns the reason if that cannot be written.
std::optional<fx::Error> TraceDialog::storeAllowed(const fx::OwnTrace& result) const {
    const fx::AllowedPythons allowed;
    try {
        if (m_always->isChecked() && result.sandboxed) allowed.allow(result.program);
        else if (m_always->isEnabled() && allowed.allows(result.program)) allowed.forget(result.program);
    } catch (const fx::Error& error) { return error; }
    return std::nullopt;
}

void TraceDialog::take(const fx::OwnTrace& result) {
    showState();
    if (const auto problem = storeAllowed(result))
        showFailure(parentWidget(), tr("Could not store which environment is allowed"), *problem);
    const QString name = m_target->text().trimmed().section(u':', -1).section(u'(', 0, 0);
    Q_EMIT traced(result.module, name, std::exchange(m_folder, {}));
    accept();
}

/// Before it runs: the program, the file or module that is imported, and what is made of it.
QString TraceDialog::whatWillRun() const {
    const QString python = m_python->currentText().trimmed(), target = m_target->text().trimmed();
    const fx::SourcePath parts = fx::ownTarget(target.toStdString());
    const QString module = fromCore(parts.file), name = fromCore(parts.name);
    if (python.isEmpty() || module.isEmpty() || name.isEmpty()) return tr("Nothing runs until Trace is pressed.");
    QString program = python, first;
    try {
        const std::string located = fx::locatePython(python.toStdString());
        program = fromCore(located);
        if (fx::isLauncher(located)) first = tr(" The script runs first, with your rights, to find the interpreter.");
    } catch (const fx::Error&) {} // NOLINT(bugprone-empty-catch): Trace says why
    const QString what = module.endsWith(QLatin1String(".py"))
                             ? tr("the file %1").arg(QFileInfo(module).absoluteFilePath())
                             : tr("the module %1").arg(module);
    const QString made = name.contains(u'(') ? name : name + QStringLiteral("()");
    return tr("Trace runs %1 -u -c <tracing program>, which imports %2 and calls %3.").arg(program, what, made) + first;
}

void TraceDialog::showState() {
    m_command->setText(whatWillRun());
    const bool running = isRunning();
    const bool ready = !m_python->currentText().trimmed().isEmpty() && m_target->text().contains(u':');
    m_trace->setEnabled(!running && ready);
    m_trace->setText(running ? tr("Tracing…") : tr("Trace"));
    m_trace->setToolTip(ready ? QString() : tr("Name an interpreter, and the model as MODULE:NAME"));
    m_cancel->setText(running ? tr("Cancel") : tr("Close"));
    for (QWidget* field : {static_cast<QWidget*>(m_python), static_cast<QWidget*>(m_target),
                           static_cast<QWidget*>(m_inputs), static_cast<QWidget*>(m_folders)})
        field->setEnabled(!running);
    m_always->setEnabled(!running && fx::sandboxSupport().holds());
}

void TraceDialog::tell(const QString& text, const char* role) {
    m_message->setProperty("role", role);
    m_message->setStyle(style()); // takes up the changed property
    m_message->setText(text);
    m_message->show();
}

/// Output that is at its end stays there.
void TraceDialog::append(const QString& text) {
    if (m_output->document()->characterCount() > kMostCharacters) m_output->clear(); // lines without an end
    m_output->moveCursor(QTextCursor::End);
    m_output->insertPlainText(text);
    m_output->moveCursor(QTextCursor::End);
}

} // namespace ui

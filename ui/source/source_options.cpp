// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_options.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/text_button.h"

#include <QCheckBox>
#include <QDir>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>

#include <limits>

namespace ui {

namespace {
QWidget* withButton(QLineEdit* edit, QToolButton* button, QWidget* parent) {
    auto* both = new QWidget(parent);
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(edit, 1);
    row->addWidget(button);
    return both;
}
} // namespace

SourceOptions::SourceOptions(QWidget* parent)
    : QWidget(parent),
      m_fixed(field(tr("Fixed inputs"), tr("Values that inputs of forward are fixed to, as Python (concrete_args)"))),
      m_weights(field(tr("Weights"),
                      tr("Files whose weights replace the initial ones, as load_state_dict does; FILE#KEY selects a "
                         "state dict in a checkpoint"))),
      m_folders(field(tr("Import folders"), tr("Folders in which imports are looked up, beside that of the file"))),
      m_seed(new QSpinBox(this)), m_strict(new QCheckBox(tr("All weights must fit"), this)),
      m_buffers(new QCheckBox(tr("Record buffers as nodes"), this)) {
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setToolTip(tr("Initial weights are those of torch.manual_seed with this number"));
    m_seed->setAccessibleName(tr("Seed"));
    m_strict->setToolTip(tr("Otherwise, the weights that fit are loaded, and Problems lists the others (strict)"));
    m_buffers->setToolTip(tr("Buffers become get_attr nodes, as parameters do (proxy_buffer_attributes)"));
    m_weights->setPlaceholderText(tr("initial weights"));
    m_folders->setPlaceholderText(tr("folder of the file"));
    auto* browse = textButton(tr("Add…"), tr("Add a file of weights"), this);
    auto* add = textButton(tr("Add…"), tr("Add a folder for imports"), this);
    auto* form = new QFormLayout(this);
    form->setContentsMargins(12, 2, 8, 8);
    form->setSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Fixed inputs"), m_fixed);
    form->addRow(tr("Seed"), m_seed);
    form->addRow(tr("Weights"), withButton(m_weights, browse, this));
    form->addRow(QString(), m_strict);
    form->addRow(tr("Import folders"), withButton(m_folders, add, this));
    form->addRow(QString(), m_buffers);
    connect(browse, &QToolButton::clicked, this, &SourceOptions::browseWeights);
    connect(add, &QToolButton::clicked, this, &SourceOptions::addFolder);
    connect(m_fixed, &QLineEdit::textEdited, this, &SourceOptions::changed);
    for (QLineEdit* edit : {m_weights, m_folders})
        connect(edit, &QLineEdit::editingFinished, this, &SourceOptions::changed);
    connect(m_seed, &QSpinBox::valueChanged, this, &SourceOptions::changed);
    for (QCheckBox* box : {m_strict, m_buffers}) connect(box, &QCheckBox::toggled, this, &SourceOptions::changed);
}

QLineEdit* SourceOptions::field(const QString& name, const QString& tip) {
    auto* edit = new QLineEdit(this);
    edit->setAccessibleName(name);
    edit->setToolTip(tip);
    edit->setClearButtonEnabled(true);
    return edit;
}

void SourceOptions::show(const fx::SourceTrace& trace, const SourceChoices& choices) {
    m_choices = choices;
    m_showing = true;
    const auto set = [](QLineEdit* edit, const QString& text) {
        if (edit->text() != text && !edit->hasFocus()) edit->setText(text);
    };
    set(m_fixed, choices.fixed);
    set(m_weights, choices.weights);
    set(m_folders, choices.folders.join(u';'));
    QStringList inputs;
    for (const std::string& input : trace.inputs)
        if (const QString text = QString::fromStdString(input); text.contains(u'=')) inputs << text;
    m_fixed->setPlaceholderText(inputs.isEmpty() ? tr("none") : inputs.join(QStringLiteral(", ")));
    if (!m_seed->hasFocus())
        m_seed->setValue(static_cast<int>(std::min<quint64>(choices.seed, std::numeric_limits<int>::max())));
    m_strict->setChecked(choices.strictWeights);
    m_buffers->setChecked(choices.proxyBuffers);
    m_showing = false;
}

void SourceOptions::changed() {
    if (m_showing) return;
    m_choices.fixed = m_fixed->text().trimmed();
    m_choices.weights = m_weights->text().trimmed();
    m_choices.strictWeights = m_strict->isChecked();
    m_choices.folders = m_folders->text().split(u';', Qt::SkipEmptyParts);
    for (QString& folder : m_choices.folders) folder = folder.trimmed();
    m_choices.seed = static_cast<quint64>(m_seed->value());
    m_choices.proxyBuffers = m_buffers->isChecked();
    Q_EMIT chosen(m_choices);
}

void SourceOptions::browseWeights() {
    const QString path = FileDialog::openFile(this, tr("Add Weights"), m_weights->text().section(u';', -1),
                                              tr("Weights (*.pt *.pth *.bin *.ckpt *.safetensors);;All files (*)"));
    if (path.isEmpty()) return;
    m_weights->setText(m_weights->text().isEmpty() ? path : m_weights->text() + u';' + path);
    changed();
}

void SourceOptions::addFolder() {
    const QString path = FileDialog::openFolder(this, tr("Add Import Folder"));
    if (path.isEmpty()) return;
    m_folders->setText(m_folders->text().isEmpty() ? path : m_folders->text() + u';' + path);
    changed();
}

} // namespace ui

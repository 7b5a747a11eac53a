// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/inputs_dialog.h"

#include "ui/run/input_text.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
enum Column { Name, Shape, Type, Made, Values, Why };
constexpr int kDefault = -1; ///< in the place of a generator: the default value of the input
constexpr const char* kTypes[] = {"float32", "float64", "float16", "bfloat16",  "int64", "int32", "int16",
                                  "int8",    "uint8",   "bool",    "complex64", "int",   "float"};

std::string torchType(const QString& text) {
    const bool number = text == QLatin1String("int") || text == QLatin1String("float"); // of Python
    return number ? text.toStdString() : "torch." + text.toStdString();
}

/// Why an input is what it is. Other reasons than those of assumptions speak for themselves.
QString basisOf(const fx::InputGuess& guess) {
    const QString reason = linesFromCore(guess.reason());
    return guess.sureness == fx::InputGuess::Sureness::Assumed ? InputsDialog::tr("assumed: %1").arg(reason) : reason;
}
} // namespace

InputsDialog::InputsDialog(const fx::InputDescription& description, std::vector<fx::InputGuess> guesses,
                           QWidget* parent)
    : QDialog(parent), m_guesses(std::move(guesses)), m_table(new QTableWidget(0, 6, this)),
      m_batch(new QSpinBox(this)), m_seed(new QSpinBox(this)), m_mode(new QComboBox(this)),
      m_message(new QLabel(this)) {
    setWindowTitle(tr("Inputs"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_table->setHorizontalHeaderLabels(
        {tr("Input"), tr("Shape"), tr("Type"), tr("Generator"), tr("Values"), tr("Reason")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(40);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setShowGrid(false);
    m_table->setAccessibleName(tr("Inputs of the model"));
    for (const fx::InputGuess& guess : m_guesses) addRow(guess);
    const int widths[] = {110, 170, 110, 110, 200, 260};
    for (int i = 0; i < 6; ++i) m_table->setColumnWidth(i, widths[i]);
    m_table->horizontalHeader()->setStretchLastSection(true);
    for (QSpinBox* field : {m_batch, m_seed})
        field->setButtonSymbols(QAbstractSpinBox::NoButtons); // turned with the wheel and the arrow keys
    m_batch->setRange(1, 1'000'000);
    m_batch->setToolTip(tr("Set the batch dimension of every input that has one"));
    m_seed->setRange(0, 2'000'000'000);
    m_seed->setToolTip(tr("The same seed gives the same bits as torch.manual_seed and torch.randn, torch.randint, "
                          "torch.rand in the order of the inputs"));
    for (const auto& [text, mode] : {std::pair{tr("As in the model"), fx::RunMode::AsSaved},
                                     {tr("Evaluation"), fx::RunMode::Eval},
                                     {tr("Training"), fx::RunMode::Train}})
        m_mode->addItem(text, static_cast<int>(mode));
    m_mode->setToolTip(tr("The mode in which the original and the current version run, as after eval() or train()"));
    m_message->setWordWrap(true);
    auto* top = new QHBoxLayout;
    for (const auto& [text, field] : std::initializer_list<std::pair<QString, QWidget*>>{
             {tr("Batch size"), m_batch}, {tr("Seed"), m_seed}, {tr("Mode"), m_mode}}) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        top->addWidget(label);
        top->addWidget(field);
        top->addSpacing(12);
    }
    top->addStretch(1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    m_accepts = buttons->button(QDialogButtonBox::Ok);
    QPushButton* guessed = buttons->addButton(tr("Reset to Guesses"), QDialogButtonBox::ResetRole);
    auto* column = new QVBoxLayout(this);
    column->addLayout(top);
    column->addWidget(m_table, 1);
    column->addWidget(m_message);
    column->addWidget(buttons);
    resize(1000, std::clamp(190 + 40 * static_cast<int>(m_rows.size()), 260, 640));
    connect(m_batch, &QSpinBox::valueChanged, this, &InputsDialog::turnBatch);
    connect(m_seed, &QSpinBox::valueChanged, this, &InputsDialog::check);
    connect(guessed, &QPushButton::clicked, this, &InputsDialog::reset);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    show(description);
}

void InputsDialog::addRow(const fx::InputGuess& guess) {
    const int place = m_table->rowCount();
    m_table->insertRow(place);
    auto* name = new QTableWidgetItem(fromCore(guess.input.name));
    name->setFont(monoFont());
    m_table->setItem(place, Name, name);
    auto* why = new QTableWidgetItem(basisOf(guess));
    why->setToolTip(why->text());
    m_table->setItem(place, Why, why);
    Row row{guess.input, new QLineEdit(m_table), new QComboBox(m_table), new QComboBox(m_table), nullptr, nullptr};
    for (const char* type : kTypes) row.type->addItem(QLatin1String(type));
    for (const auto& [text, generator] : {std::pair{tr("normal"), fx::Generator::Normal},
                                          {tr("uniform"), fx::Generator::Uniform},
                                          {tr("integers"), fx::Generator::Integers},
                                          {tr("constant"), fx::Generator::Constant},
                                          {tr("file"), fx::Generator::File}})
        row.generator->addItem(text, static_cast<int>(generator));
    if (guess.sureness == fx::InputGuess::Sureness::Default) row.generator->addItem(tr("default"), kDefault);
    row.shape->setFont(monoFont());
    row.shape->setPlaceholderText(QStringLiteral("1×3×224×224"));
    const QString of = fromCore(guess.input.name);
    row.shape->setAccessibleName(tr("Shape of %1").arg(of));
    row.type->setAccessibleName(tr("Type of %1").arg(of));
    row.generator->setAccessibleName(tr("Generator of %1").arg(of));
    auto* cell = new QWidget(m_table);
    row.values = new QLineEdit(cell);
    row.values->setAccessibleName(tr("Values of %1").arg(of));
    row.browse = new QPushButton(QStringLiteral("…"), cell);
    row.browse->setFixedWidth(28);
    row.browse->setStyleSheet(QStringLiteral("padding: 4px 0")); // the margins of a word leave no room for three dots
    row.browse->setAccessibleName(tr("Choose a file for %1").arg(of));
    auto* line = new QHBoxLayout(cell);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(2);
    line->addWidget(row.values, 1);
    line->addWidget(row.browse);
    m_table->setCellWidget(place, Shape, row.shape);
    m_table->setCellWidget(place, Type, row.type);
    m_table->setCellWidget(place, Made, row.generator);
    m_table->setCellWidget(place, Values, cell);
    connect(row.shape, &QLineEdit::textChanged, this, &InputsDialog::check);
    connect(row.type, &QComboBox::currentIndexChanged, this, &InputsDialog::check);
    connect(row.generator, &QComboBox::currentIndexChanged, this, &InputsDialog::check);
    connect(row.values, &QLineEdit::textChanged, this, &InputsDialog::check);
    connect(row.browse, &QPushButton::clicked, this, [this, values = row.values] { browse(values); });
    m_rows.push_back(row);
}

void InputsDialog::fill(Row& row, const fx::InputSpec& input) {
    row.spec = input;
    const bool unknown = input.sizes.empty() && input.batchDim >= 0;
    row.shape->setText(unknown ? QString() : shapeToText(input.sizes));
    const QString type = plainType(input.dtype);
    if (row.type->findText(type) < 0) row.type->addItem(type);
    row.type->setCurrentText(type);
    const bool ranged = input.isInteger() && input.generator == fx::Generator::Normal; // which integers take it for
    row.generator->setCurrentIndex(
        row.generator->findData(static_cast<int>(ranged ? fx::Generator::Integers : input.generator)));
    fx::InputSpec shown = input;
    if (ranged) shown.generator = fx::Generator::Integers;
    row.values->setText(valuesToText(shown));
}

void InputsDialog::show(const fx::InputDescription& description) {
    {
        const QScopedValueRollback filling(m_filling, true);
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const auto& name = m_guesses[i].input.name;
            const auto given = std::find_if(description.inputs.begin(), description.inputs.end(),
                                            [&](const fx::InputSpec& input) { return input.name == name; });
            fill(m_rows[i], given != description.inputs.end() ? *given : m_guesses[i].input);
            // A shape that nothing tells is left to be entered.
            if (given == description.inputs.end() && m_guesses[i].sureness == fx::InputGuess::Sureness::Unknown)
                m_rows[i].shape->clear();
            if (const int byDefault = m_rows[i].generator->findData(kDefault);
                given == description.inputs.end() && byDefault >= 0)
                m_rows[i].generator->setCurrentIndex(byDefault);
        }
        m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(description.seed, 2'000'000'000)));
        m_mode->setCurrentIndex(m_mode->findData(static_cast<int>(description.mode)));
    }
    check();
}

void InputsDialog::reset() {
    fx::InputDescription none;
    none.seed = static_cast<std::uint64_t>(m_seed->value());
    none.mode = static_cast<fx::RunMode>(m_mode->currentData().toInt());
    show(none);
}

bool InputsDialog::isDefault(const Row& row) { return row.generator->currentData().toInt() == kDefault; }

QString InputsDialog::read(const Row& row, fx::InputSpec& input) const {
    input = row.spec;
    if (isDefault(row)) return {};
    const auto sizes = shapeFromText(row.shape->text());
    input.dtype = torchType(row.type->currentText());
    input.generator = static_cast<fx::Generator>(row.generator->currentData().toInt());
    if (!sizes && input.generator != fx::Generator::File)
        return tr("%1: expected a shape such as 1×3×224×224, or scalar").arg(fromCore(input.name));
    if (sizes) input.sizes = *sizes;
    if (input.batchDim >= static_cast<int>(input.sizes.size())) input.batchDim = -1;
    QString wrong = setValues(input, row.values->text());
    if (wrong.isEmpty()) wrong = complaintAbout(input);
    return wrong.isEmpty() ? QString() : QStringLiteral("%1: %2").arg(fromCore(input.name), wrong);
}

fx::InputDescription InputsDialog::description() const {
    fx::InputDescription out;
    out.seed = static_cast<std::uint64_t>(m_seed->value());
    out.mode = static_cast<fx::RunMode>(m_mode->currentData().toInt());
    for (const Row& row : m_rows) {
        if (isDefault(row)) continue;
        fx::InputSpec input;
        read(row, input);
        out.inputs.push_back(std::move(input));
    }
    return out;
}

void InputsDialog::turnBatch(int size) {
    if (m_filling) return;
    fx::InputDescription all = description();
    fx::setBatchSize(all, size);
    auto input = all.inputs.begin();
    for (const Row& row : m_rows) {
        if (isDefault(row)) continue;
        const auto& sizes = (input++)->sizes;
        if (!sizes.empty() && shapeFromText(row.shape->text())) row.shape->setText(shapeToText(sizes));
    }
}

void InputsDialog::check() {
    if (m_filling) return;
    m_complaint.clear();
    for (const Row& row : m_rows) {
        fx::InputSpec input;
        const QString wrong = read(row, input);
        if (m_complaint.isEmpty()) m_complaint = wrong;
        const auto generator = static_cast<fx::Generator>(row.generator->currentData().toInt());
        const bool byDefault = isDefault(row), fromFile = !byDefault && generator == fx::Generator::File;
        row.values->setEnabled(!byDefault && generator != fx::Generator::Normal);
        row.values->setPlaceholderText(byDefault ? QString() : valuesHint(generator));
        row.browse->setVisible(fromFile);
        for (QWidget* field : {static_cast<QWidget*>(row.shape), static_cast<QWidget*>(row.type)}) {
            field->setEnabled(!fromFile && !byDefault);
            field->setToolTip(fromFile    ? tr("as in the file")
                              : byDefault ? tr("as the model's default value")
                                          : QString());
        }
    }
    const QScopedValueRollback filling(m_filling, true);
    const auto batch = fx::batchSize(description());
    m_batch->setEnabled(batch.has_value());
    if (batch) m_batch->setValue(static_cast<int>(std::clamp<std::int64_t>(*batch, 1, 1'000'000)));
    m_batch->setToolTip(batch ? tr("Set the batch dimension of every input that has one")
                              : tr("The inputs share no batch dimension"));
    m_message->setText(!m_complaint.isEmpty() ? m_complaint
                       : m_rows.empty()       ? tr("This model takes no inputs.")
                                              : QString());
    QPalette colors = m_message->palette();
    colors.setColor(QPalette::WindowText, m_complaint.isEmpty() ? theme().muted : theme().error.line);
    m_message->setPalette(colors);
    m_accepts->setEnabled(m_complaint.isEmpty());
    m_accepts->setToolTip(m_complaint);
}

void InputsDialog::browse(QLineEdit* values) {
    const QString file = FileDialog::openFile(this, tr("Tensors that torch.save wrote"), values->text(),
                                              tr("Tensors (*.pt *.pth);;All files (*)"));
    if (!file.isEmpty()) values->setText(file);
}

} // namespace ui

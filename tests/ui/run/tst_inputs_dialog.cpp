// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/inputs_dialog.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>

using namespace ui;
using Sureness = fx::InputGuess::Sureness;

namespace {
fx::InputGuess guess(const char* name, std::vector<std::int64_t> sizes, const char* dtype, Sureness sureness,
                     std::int64_t high = 0) {
    fx::InputGuess out;
    out.input.name = name;
    out.input.sizes = std::move(sizes);
    out.input.dtype = dtype;
    out.input.high = high;
    if (high > 0) out.input.generator = fx::Generator::Integers;
    out.input.batchDim = 0;
    out.sureness = sureness;
    out.reasons = {fx::Message("inputs.of_file")};
    return out;
}
std::vector<fx::InputGuess> twoInputs() {
    return {guess("image", {1, 3, 8, 8}, "torch.float32", Sureness::Assumed),
            guess("ids", {1, 16}, "torch.int64", Sureness::Assumed, 100)};
}
} // namespace

class TestInputsDialog : public QObject {
    Q_OBJECT

    static std::unique_ptr<InputsDialog> dialogOf(const fx::InputDescription& description,
                                                  std::vector<fx::InputGuess> guesses) {
        auto dialog = std::make_unique<InputsDialog>(description, std::move(guesses));
        dialog->setAttribute(Qt::WA_DeleteOnClose, false);
        return dialog;
    }

private Q_SLOTS:
    void opened_guesses_arePrefilledWithTheReason() {
        const auto dialog = dialogOf({}, twoInputs());
        QCOMPARE(dialog->shape(0)->text(), QStringLiteral("1×3×8×8"));
        QCOMPARE(dialog->type(1)->currentText(), QStringLiteral("int64"));
        QCOMPARE(dialog->values(1)->text(), QStringLiteral("0 to 99"));
        QVERIFY(dialog->table()->item(0, 5)->text().contains(QStringLiteral("the file gives shape and dtype")));
        QVERIFY(dialog->accepts()->isEnabled());
        QCOMPARE(dialog->batch()->value(), 1);
    }

    void mode_isPartOfTheDescription() {
        const auto dialog = dialogOf({}, twoInputs());
        QVERIFY(dialog->description().mode == fx::RunMode::AsSaved);
        dialog->mode()->setCurrentIndex(dialog->mode()->findData(static_cast<int>(fx::RunMode::Eval)));
        const fx::InputDescription kept = fx::inputsFromJson(fx::inputsJson(dialog->description()));
        QVERIFY(kept.mode == fx::RunMode::Eval);
        const auto again = dialogOf(kept, twoInputs());
        QCOMPARE(again->mode()->currentText(), QStringLiteral("Evaluation"));
        again->reset();
        QVERIFY(again->description().mode == fx::RunMode::Eval); // guesses are of inputs
    }

    void inputWithADefault_isLeftToIt_untilAGeneratorIsChosen() {
        const auto dialog = dialogOf({}, {guess("image", {1, 3, 8, 8}, "torch.float32", Sureness::Assumed),
                                          guess("scale", {4, 4}, "torch.float32", Sureness::Default),
                                          guess("ids", {1, 16}, "torch.int64", Sureness::Assumed, 100)});
        QVERIFY(!dialog->shape(1)->isEnabled());
        QVERIFY(!dialog->values(1)->isEnabled());
        dialog->batch()->setValue(5);
        QCOMPARE(dialog->shape(1)->text(), QStringLiteral("4×4"));
        QCOMPARE(dialog->shape(2)->text(), QStringLiteral("5×16"));
        fx::InputDescription made = dialog->description();
        QCOMPARE(made.inputs.size(), 2u);
        QCOMPARE(made.inputs[1].name, std::string("ids"));
        dialog->generator(1)->setCurrentIndex(dialog->generator(1)->findData(static_cast<int>(fx::Generator::Normal)));
        QVERIFY(dialog->shape(1)->isEnabled());
        made = dialog->description();
        QCOMPARE(made.inputs.size(), 3u);
        QCOMPARE(made.inputs[1].name, std::string("scale"));
        dialog->reset();
        QCOMPARE(dialog->description().inputs.size(), 2u);
        const auto again = dialogOf(made, {guess("image", {1, 3, 8, 8}, "torch.float32", Sureness::Assumed),
                                           guess("scale", {2, 2}, "torch.float32", Sureness::Default),
                                           guess("ids", {1, 16}, "torch.int64", Sureness::Assumed, 100)});
        QCOMPARE(again->description().inputs.size(), 3u);
        QCOMPARE(again->shape(1)->text(), QStringLiteral("4×4"));
    }

    void batch_turned_setsTheFirstDimensionOfAll() {
        const auto dialog = dialogOf({}, twoInputs());
        dialog->batch()->setValue(32);
        QCOMPARE(dialog->shape(0)->text(), QStringLiteral("32×3×8×8"));
        QCOMPARE(dialog->shape(1)->text(), QStringLiteral("32×16"));
        const fx::InputDescription made = dialog->description();
        QCOMPARE(made.inputs[1].sizes, (std::vector<std::int64_t>{32, 16}));
        QCOMPARE(made.inputs[1].high, 100);
    }

    void shape_thatIsNone_isSaidAndCannotBeAccepted() {
        const auto dialog = dialogOf({}, twoInputs());
        dialog->shape(0)->setText(QStringLiteral("1×many"));
        QVERIFY(!dialog->accepts()->isEnabled());
        QVERIFY2(dialog->complaint().contains(QStringLiteral("image")), qPrintable(dialog->complaint()));
        dialog->shape(0)->setText(QStringLiteral("2×3"));
        QVERIFY(dialog->accepts()->isEnabled());
        dialog->generator(1)->setCurrentIndex(dialog->generator(1)->findData(static_cast<int>(fx::Generator::File)));
        QVERIFY(!dialog->accepts()->isEnabled());
    }

    void file_saysShapeAndType() {
        const auto dialog = dialogOf({}, twoInputs());
        dialog->generator(0)->setCurrentIndex(dialog->generator(0)->findData(static_cast<int>(fx::Generator::File)));
        QVERIFY(!dialog->shape(0)->isEnabled());
        QVERIFY(!dialog->type(0)->isEnabled());
        QVERIFY(!dialog->shape(0)->toolTip().isEmpty());
        QVERIFY(dialog->shape(1)->isEnabled());
        dialog->generator(0)->setCurrentIndex(0);
        QVERIFY(dialog->shape(0)->isEnabled());
        QVERIFY(dialog->type(0)->isEnabled());
    }

    void unknownInput_isLeftToBeEntered() {
        const auto dialog = dialogOf({}, {guess("x", {}, "torch.float32", Sureness::Unknown)});
        QVERIFY(dialog->shape(0)->text().isEmpty());
        QVERIFY(!dialog->accepts()->isEnabled());
    }

    void described_inputsAndSeed_areShownAndReset() {
        fx::InputDescription description;
        description.seed = 7;
        description.inputs.push_back(twoInputs()[0].input);
        description.inputs[0].sizes = {5, 3, 4, 4};
        const auto dialog = dialogOf(description, twoInputs());
        QCOMPARE(dialog->shape(0)->text(), QStringLiteral("5×3×4×4"));
        QCOMPARE(dialog->description().seed, 7u);
        dialog->reset();
        QCOMPARE(dialog->shape(0)->text(), QStringLiteral("1×3×8×8"));
    }
};

QTEST_MAIN(TestInputsDialog)
#include "tst_inputs_dialog.moc"

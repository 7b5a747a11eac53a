// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/make/initial_weights.h"

#include <QtTest>

using namespace fx;

/// Weights are compared with torch.fx in tests/oracle/new_modules.py.
class TestInitialWeights : public QObject {
    Q_OBJECT

    static std::vector<std::uint32_t> bitsOf(const TensorPtr& tensor) {
        std::vector<std::uint32_t> bits(static_cast<std::size_t>(tensor->elementCount()));
        tensor->storage->read(0, std::as_writable_bytes(std::span(bits)));
        return bits;
    }

private Q_SLOTS:
    /// `torch.manual_seed(0); torch.randn(5)`, and of `torch.randn(37)` the first, with PyTorch 2.13.0.
    void normalNumbers_arePyTorchs() {
        TorchGenerator few(0), many(0);
        QCOMPARE(bitsOf(few.normal({5}, 0, 1)),
                 (std::vector<std::uint32_t>{0x3fc53f5c, 0xbe963c50, 0xc00b7149, 0x3f1184b6, 0xbf8ad1a1}));
        const auto bits = bitsOf(many.normal({37}, 0, 1));
        QCOMPARE(bits[0], 0xbf901b85u);
    }
};

QTEST_APPLESS_MAIN(TestInitialWeights)
#include "tst_initial_weights.moc"

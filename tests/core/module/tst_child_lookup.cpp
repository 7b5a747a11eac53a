// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/child_lookup.h"

#include "core/module/module.h"

#include <QTest>

using namespace fx;

class TestChildLookup : public QObject {
    Q_OBJECT

    static std::string name(std::size_t i) { return "layer" + std::to_string(i); }
    static Module wide(std::size_t children) {
        Module module;
        for (std::size_t i = 0; i < children; ++i) module.children.push_back({name(i), std::make_shared<Module>()});
        return module;
    }

private Q_SLOTS:
    /// Whatever happens to the module in between, the answers are those of a search.
    void find_inChangingModule_equalsSearch() {
        for (const std::size_t width : {3u, 40u}) {
            Module module = wide(width);
            ChildLookup lookup;
            const auto check = [&] {
                for (const std::size_t step : {1u, 2u, 7u}) // along the children, back again, and in leaps
                    for (std::size_t n = 0; n < 2 * (width + 2); ++n) {
                        const std::size_t at = n * step % (width + 2), i = n < width + 2 ? at : width + 1 - at;
                        QCOMPARE(lookup.find(module, name(i)), module.childIndex(name(i)));
                    }
            };
            check();
            module.children.erase(module.children.begin() + 1);
            check();
            module.children.push_back({name(width), std::make_shared<Module>()});
            check();
            std::swap(module.children[0], module.children[1]);
            module.children[0].name = name(width + 1);
            check();
            module.children.clear();
            check();
        }
    }
};

QTEST_APPLESS_MAIN(TestChildLookup)
#include "tst_child_lookup.moc"

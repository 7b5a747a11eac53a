// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace ui {

namespace {

class Samples {
    Q_DECLARE_TR_FUNCTIONS(ui::Samples)
};

/// Upwards from the program: build/dev/bin in a source tree, bin beside share when installed.
QString sampleFolder() {
    QDir folder(QCoreApplication::applicationDirPath());
    for (int level = 0; level < 5; ++level) {
        for (const QString& place : {QStringLiteral("resources/samples"), QStringLiteral("share/lancet/samples")})
            if (folder.exists(place)) return folder.absoluteFilePath(place);
        if (!folder.cdUp()) break;
    }
    return {};
}

} // namespace

std::vector<Sample> samples() {
    const QString folder = sampleFolder();
    const std::pair<const char*, QString> known[] = {
        {"simple_net.pt", Samples::tr("convolution, pooling and linear layers; uses all six kinds of nodes")},
        {"my_module.pt", Samples::tr("the first example in the torch.fx documentation")},
        {"resnet.pt", Samples::tr("a small ResNet: three stages of two blocks")},
        {"densenet.pt", Samples::tr("a small DenseNet: every layer feeds all later layers")},
        {"transformer.pt", Samples::tr("an encoder of four blocks that share one mask")},
        {"transformer.pt2", Samples::tr("the same encoder, exported with dynamic shapes")},
    };
    std::vector<Sample> found;
    if (folder.isEmpty()) return found;
    for (const auto& [name, about] : known) {
        const QString path = QDir(folder).filePath(QLatin1String(name));
        if (QFileInfo::exists(path)) found.push_back({path, about});
    }
    return found;
}

} // namespace ui

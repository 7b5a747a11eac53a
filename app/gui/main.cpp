// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/script_message.h"
#include "ui/shell/launch.h"

int main(int argc, char** argv) {
    fx::remote::readScriptsByWorker();
    return ui::launch(argc, argv);
}

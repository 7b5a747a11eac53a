# SPDX-License-Identifier: GPL-3.0-or-later
load_url = __opaque__('torch.utils.model_zoo.load_url')

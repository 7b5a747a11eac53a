# SPDX-License-Identifier: GPL-3.0-or-later
# Marks what stays as it is in later versions; torch.fx only adds that to documents.
def compatibility(is_backward_compatible): return lambda fn: fn

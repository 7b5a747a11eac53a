# SPDX-License-Identifier: GPL-3.0-or-later
from torch.fx import Proxy, Attribute, GraphAppendingTracer, TracerBase, TraceError, Scope

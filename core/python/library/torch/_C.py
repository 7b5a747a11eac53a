# SPDX-License-Identifier: GPL-3.0-or-later
def _log_api_usage_once(*args): return None
def _get_tracing_state(): return None
def _set_grad_enabled(mode): __grad_mode__(__grad_mode__() & 2 | (1 if mode else 0))

# SPDX-License-Identifier: GPL-3.0-or-later
perf_counter = monotonic = process_time = time = thread_time = __seconds__
def perf_counter_ns(): return int(__seconds__() * 1e9)
time_ns = monotonic_ns = perf_counter_ns
def sleep(seconds): return None

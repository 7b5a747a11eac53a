# SPDX-License-Identifier: GPL-3.0-or-later
class PassResult:
    def __init__(self, graph_module, modified):
        self.graph_module, self.modified = graph_module, modified
class PassBase:
    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result
    def call(self, graph_module): pass
    def requires(self, graph_module): pass
    def ensures(self, graph_module): pass

"""The product as a ranker, for harnesses that score and time rankers of tools.

`product(catalogs, workdir)` is given catalogs as `{"server_id", "tools"}`, and answers `(server, tool)` pairs, best first.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mcpexpose.search import postings as P
from mcpexpose.search import ranking


class Mem:
    def __init__(self, tools):
        self.size = len(tools)
        self.terms = P.invert([d for _, _, d in tools], {})
        self.names = P.Names([(s, n, f"{s}__{n}") for s, n, _ in tools])
        self.get = self.terms.get
        self.tools = tools
    def __contains__(self, t): return t in self.terms
    def named(self, k): return self.names.rows(k)
    def verbs(self, row): return ranking.name_verbs(self.tools[row][1])


def product(catalogs, workdir):
    tools = {}
    for c in catalogs:
        for t in c["tools"]:
            tools.setdefault((c["server_id"], t["name"]), t)
    rows = [(s, n, {**tools[s, n], "server": s}) for s, n in sorted(tools)]
    mem = Mem(rows)
    def rank(query, k):
        r = ranking.rank(query[:1000], k, mem)
        return [rows[h.row][:2] for h in r.hits]
    return rank

"""A scriptable MCP server over stdio. Standard library only, so that it starts at once.

    python fake_server.py SCRIPTS ID

It is driven by `SCRIPTS/ID.json`, which is read again before each message, so that a test may change it while the
server runs. What it received is appended to `SCRIPTS/ID.log.jsonl`, one object a line, in order:
`{"start": pid}`, then `{"method", "id"?, "params"?, "raw"}` for each message; `raw` is the line itself, for digits.
`tests/fakes/control.py` writes scripts, reads logs, and puts a command `fake-server` on a PATH.

SCRIPTS/ID.json, every key optional:

    catalog           path of a catalog file; its `tools` are what it lists, its `protocol` what it speaks
    tools             the tools themselves, raw (before `catalog`)
    protocol          "2025-11-25" (a handshake revision) or "2026-07-28" (server/discover); default 2025-11-25
    server_info       {"name", "version"}; default {"name": ID, "version": "1"}
    instructions      text
    capabilities      instead of {"tools": {"listChanged": true}}
    error             a text: no connection. It is written to stderr and the process ends at once with 1
    pages             a list of pages for tools/list: {"tools", "nextCursor"?, "cursor"?, "error"?, "fields"?, "raw"?}
                      A request is answered by the page of its `cursor`; a page without one answers, where it is the
                      first, a request without cursor, else the `nextCursor` of the page before it. `error` is a
                      JSON-RPC error {"code", "message"}; `fields` are put into the result (ttlMs …); `raw` is the whole
                      line to send, in which ID stands for the request's id. An unknown cursor is -32602
    same_page_for     a cursor that gets the first page again
    pages_generated   {"tools_per_page": n, "cursor": "counter"}: endless, each page with a new cursor
    cursor_cycle      ["a", "b", "c"]: a page without tools for each, the last leads to the first
    list_delay        seconds before a tools/list is answered
    tools_after       {"n": [names]}: from the n-th list request on (counted from 1 in this process, or over all
                      processes of this script, see `list_count`) these tools, known ones as in the catalog
    list_count        "script" (default): counted in the log since the script was last written; "process"
    notify_on_list    a method: sent as a notification after each answer to tools/list; or {"method", "times"}
    hang_on           a list of methods that are never answered
    exit_on           a list of methods upon which the process ends without an answer
    second_handshake  what a server that hears `initialize` too late does: "error" (duplicate "initialize" received),
                      "result" (it turns into one of a handshake revision), "exit"; default: method not found
    exit_on_page      n: the process ends upon the n-th list request of this process
    stdout_first      text written to stdout before anything else (a log line, garbage)
    stdout_noise      {"text", "times"}: written to stdout before each answer, `times` lines
    stderr_noise      {"text", "times"}: written to stderr at the start
    stdout_endless    true: upon the first message, bytes without a line end, for ever
    ignore_eof        true: it does not end when its stdin closes
    environment       true: `{"environment": {…}, "cwd": …, "argv": […]}` is put into the log at the start
    calls             {"TOOL": [answer, …], "*": […]}: the n-th tools/call of a tool gets the n-th answer, the last one
                      stays; without any: {"content": []}. An answer:
                        result          a value: the result
                        result_raw      JSON text: the result, sent to the letter
                        error           {"code", "message", "data"?}
                        delay           seconds before the answer
                        drop            true: the work is done, then the process ends without an answer
                        hang            true: never answered
                        notify          a method, sent as a notification before the answer
                        progress        n: so many reports of progress, one each `delay` seconds, before the answer
    control           path of a file of lines {"method", "params"?, "times"?, "after"?}: each line that appears is
                      sent as notifications, after `after` seconds; default SCRIPTS/ID.control.jsonl. The method
                      "end-subscription" ends the one that is open

On the 2026-07-28 revision a notification is sent to the subscription that is open, where there is one, tagged with its
id; on a handshake revision to whoever is connected.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

MODERN = "2026-07-28"
POLL_S = 0.01


class FakeServer:
    """One process of one script."""

    def __init__(self, scripts: Path, server: str) -> None:
        self.server = server
        self.script_file = scripts / f"{server}.json"
        self.log_file = scripts / f"{server}.log.jsonl"
        self.control_file = scripts / f"{server}.control.jsonl"
        self.lock = threading.Lock()
        self.out = threading.Lock()
        self.lists_here = 0
        self.calls: dict[str, int] = {}
        self.subscription: Any = None
        self.turned = False  # into a server of the old era, by an `initialize`
        self.connected = threading.Event()
        self.listening = threading.Event()  # a subscription of the new era was acknowledged
        self.script = self.read_script()

    def read_script(self) -> dict[str, Any]:
        if not self.script_file.exists():
            return {}
        for _ in range(50):
            try:
                script = json.loads(self.script_file.read_bytes())
                return script if isinstance(script, dict) else {}
            except ValueError:  # the test is writing it just now
                time.sleep(POLL_S)
        return {}

    def log(self, entry: dict[str, Any]) -> None:
        with self.lock, self.log_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def send_line(self, line: str) -> None:
        with self.out:
            try:
                sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass") + b"\n")
                sys.stdout.buffer.flush()
            except (BrokenPipeError, ValueError):
                os._exit(0)

    def send(self, message: dict[str, Any]) -> None:
        noise = self.script.get("stdout_noise")
        if noise:
            for _ in range(noise.get("times", 1)):
                self.send_line(noise["text"])
        self.send_line(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False))

    # what it lists

    def catalog_tools(self) -> list[Any]:
        if "tools" in self.script:
            return list(self.script["tools"])
        if "catalog" in self.script:
            return list(json.loads(Path(self.script["catalog"]).read_text(encoding="utf-8-sig"))["tools"])
        return []

    def protocol(self) -> str:
        return str(self.script.get("protocol", "2025-11-25"))

    def tools_now(self, count: int) -> list[Any]:
        tools = self.catalog_tools()
        steps = {int(n): names for n, names in self.script.get("tools_after", {}).items() if int(n) <= count}
        if not steps:
            return tools
        known = {tool.get("name"): tool for tool in tools if isinstance(tool, dict)}
        plain = {"description": "", "inputSchema": {"type": "object", "properties": {}}}
        return [known.get(name, {"name": name, **plain}) for name in steps[max(steps)]]

    def list_number(self) -> int:
        if self.script.get("list_count") == "process":
            return self.lists_here
        since = self.script_file.stat().st_mtime_ns if self.script_file.exists() else 0
        with self.lock:
            lines = self.log_file.read_text(encoding="utf-8").split("\n")
        entries = [json.loads(line) for line in lines if line]
        return sum(entry.get("method") == "tools/list" and entry["at"] >= since for entry in entries)

    def page(self, cursor: str | None, count: int) -> dict[str, Any]:
        """A page as in `pages`."""
        script = self.script
        if "pages_generated" in script:
            size = script["pages_generated"].get("tools_per_page", 1)
            number = int(cursor) if cursor else 0
            tools = [
                {"name": f"tool_{number}_{n}", "description": "T", "inputSchema": {"type": "object", "properties": {}}}
                for n in range(size)
            ]
            return {"tools": tools, "nextCursor": str(number + 1)}
        if "cursor_cycle" in script:
            cycle = script["cursor_cycle"]
            if cursor is None:
                return {"tools": [], "nextCursor": cycle[0]}
            return {"tools": [], "nextCursor": cycle[(cycle.index(cursor) + 1) % len(cycle)]}
        if "pages" not in script:
            return {"tools": self.tools_now(count)}
        pages = script["pages"]
        if cursor is not None and cursor == script.get("same_page_for"):
            return dict(pages[0])
        for number, page in enumerate(pages):
            wanted = page["cursor"] if "cursor" in page else (pages[number - 1].get("nextCursor") if number else None)
            if wanted == cursor:
                return dict(page)
        return {"error": {"code": -32602, "message": "unknown cursor"}}

    # answers

    def complete(self, result: dict[str, Any]) -> dict[str, Any]:
        if self.protocol() == MODERN and not self.turned:
            return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **result}
        return result

    def on_list(self, message: dict[str, Any], count: int) -> None:
        cursor = (message.get("params") or {}).get("cursor")
        time.sleep(self.script.get("list_delay", 0))
        page = self.page(cursor, count)
        if "raw" in page:
            self.send_line(page["raw"].replace("ID", json.dumps(message["id"])))
        elif "error" in page:
            self.send({"id": message["id"], "error": page["error"]})
        else:
            result = {"tools": page.get("tools", []), **page.get("fields", {})}
            if page.get("nextCursor") is not None:
                result["nextCursor"] = page["nextCursor"]
            self.send({"id": message["id"], "result": self.complete(result)})
        notify = self.script.get("notify_on_list")
        if notify:
            notify = {"method": notify} if isinstance(notify, str) else notify
            self.notify(notify["method"], notify.get("times", 1))

    def on_call(self, message: dict[str, Any], nth: int) -> None:
        name = (message.get("params") or {}).get("name", "")
        calls = self.script.get("calls", {})
        answers = calls.get(name, calls.get("*", [])) or [{"result": {"content": []}}]
        answer = answers[min(nth, len(answers)) - 1]
        if "notify" in answer:
            self.notify(answer["notify"], 1)
        token = ((message.get("params") or {}).get("_meta") or {}).get("progressToken")
        for done in range(answer.get("progress", 0)):
            time.sleep(answer.get("delay", 0))
            params = {"progressToken": token, "progress": done + 1}
            self.send({"method": "notifications/progress", "params": params})
        time.sleep(answer.get("delay", 0))
        if answer.get("drop"):
            os._exit(1)
        if answer.get("hang"):
            return
        if "error" in answer:
            self.send({"id": message["id"], "error": answer["error"]})
        elif "result_raw" in answer:
            number = json.dumps(message["id"])
            self.send_line(f'{{"jsonrpc":"2.0","id":{number},"result":{answer["result_raw"]}}}')
        else:
            result = answer.get("result", {"content": []})
            self.send({"id": message["id"], "result": self.complete(result) if isinstance(result, dict) else result})

    def notify(self, method: str, times: int, params: dict[str, Any] | None = None) -> None:
        params = dict(params or {})
        if self.protocol() == MODERN:
            if self.subscription is None:
                return
            params["_meta"] = {"io.modelcontextprotocol/subscriptionId": self.subscription}
        for _ in range(times):
            self.send({"method": method, **({"params": params} if params else {})})

    def answer(self, message: dict[str, Any]) -> None:
        """Answer one request. Runs on its own thread, so that a delay holds up nothing else."""
        method, number = message.get("method"), message.get("id")
        info = self.script.get("server_info", {"name": self.server, "version": "1"})
        head: dict[str, Any] = {"capabilities": self.script.get("capabilities", {"tools": {"listChanged": True}})}
        if "instructions" in self.script:
            head["instructions"] = self.script["instructions"]
        modern = self.protocol() == MODERN
        if method == "initialize" and "second_handshake" in self.script:
            self.on_second_handshake(number, info, head)
        elif method == "initialize" and not modern:
            self.send({"id": number, "result": {"protocolVersion": self.protocol(), "serverInfo": info, **head}})
            self.connected.set()
        elif method == "server/discover" and modern:
            meta = {"io.modelcontextprotocol/serverInfo": info}
            self.send({"id": number, "result": self.complete({"supportedVersions": [MODERN], "_meta": meta, **head})})
            self.connected.set()
        elif method == "subscriptions/listen" and modern:
            self.subscription = number
            meta = {"io.modelcontextprotocol/subscriptionId": number}
            params = {"notifications": {"toolsListChanged": True}, "_meta": meta}
            self.send({"method": "notifications/subscriptions/acknowledged", "params": params})
            self.listening.set()
        elif method == "ping":
            self.send({"id": number, "result": {}})
        else:
            self.send({"id": number, "error": {"code": -32601, "message": "Method not found"}})

    def on_second_handshake(self, number: Any, info: Any, head: dict[str, Any]) -> None:
        what = self.script["second_handshake"]
        if what == "exit":
            os._exit(1)
        if what == "result":
            self.turned = True
            self.send({"id": number, "result": {"protocolVersion": "2025-11-25", "serverInfo": info, **head}})
        else:
            self.send({"id": number, "error": {"code": -32600, "message": 'duplicate "initialize" received'}})

    # the process

    def watch_control(self) -> None:
        self.connected.wait()
        path = Path(self.script.get("control", self.control_file))
        seen = 0
        while True:
            lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
            for line in lines[seen:]:
                order = json.loads(line)
                if self.protocol() == MODERN:
                    self.listening.wait()  # what is sent before it reaches nobody
                time.sleep(order.get("after", 0))
                if order["method"] == "end-subscription":
                    number, self.subscription = self.subscription, None
                    self.send({"id": number, "result": self.complete({})})
                    continue
                self.notify(order["method"], order.get("times", 1), order.get("params"))
            seen = max(seen, len(lines))
            time.sleep(POLL_S)

    def receive(self, line: str) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return
        self.log({**message, "raw": line.rstrip("\n"), "at": time.time_ns()})
        self.script = self.read_script()
        method = message.get("method")
        if self.script.get("stdout_endless"):
            self.flood()
        if method in self.script.get("exit_on", ()):
            os._exit(1)
        if "id" not in message or method is None or method in self.script.get("hang_on", ()):
            return
        if method == "tools/list":
            self.lists_here += 1
            if self.script.get("exit_on_page") == self.lists_here:
                os._exit(1)
            self.start(self.on_list, message, self.list_number() if "tools_after" in self.script else 0)
        elif method == "tools/call":
            name = str((message.get("params") or {}).get("name", ""))
            self.calls[name] = self.calls.get(name, 0) + 1
            self.start(self.on_call, message, self.calls[name])
        elif method in ("server/discover", "initialize"):
            self.answer(message)  # in the order in which they came
        else:
            self.start(self.answer, message)

    def start(self, target: Any, *args: Any) -> None:
        threading.Thread(target=target, args=args, daemon=True).start()

    def flood(self) -> None:
        block = b"x" * 65_536
        while True:
            try:
                sys.stdout.buffer.write(block)
                sys.stdout.buffer.flush()
            except (BrokenPipeError, ValueError):
                os._exit(0)

    def run(self) -> int:
        entry: dict[str, Any] = {"start": os.getpid(), "at": time.time_ns()}
        if self.script.get("environment"):
            entry |= {"environment": dict(os.environ), "cwd": str(Path.cwd()), "argv": sys.argv}
        self.log(entry)
        if "error" in self.script:
            sys.stderr.write(f"{self.script['error']}\n")
            return 1
        noise = self.script.get("stderr_noise")
        if noise:
            for _ in range(noise.get("times", 1)):
                sys.stderr.write(noise["text"] + "\n")
            sys.stderr.flush()
        if "stdout_first" in self.script:
            self.send_line(self.script["stdout_first"])
        self.start(self.watch_control)
        for line in sys.stdin:
            self.receive(line)
        while self.script.get("ignore_eof"):
            time.sleep(1)
        return 0


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    code = FakeServer(Path(sys.argv[1]), sys.argv[2]).run()
    sys.stdout.flush()
    os._exit(code)

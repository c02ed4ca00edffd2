#!/usr/bin/env python3
"""Made-up requests to `bondgraph serve` for some seconds: models with mutated texts, JSON of other forms, paths that
lead out of the folder, broken HTTP, clients that stall. The inputs follow from a number.

usage: serve.py PROGRAM [SECONDS [SEED]]

Fails if the server ends or stops answering, a process of a model ends (unless it was told to), a sanitizer speaks, an
answer is no JSON, or anything beside the folder is read or written. Findings are printed as the request that made them.
"""

import collections
import hashlib
import http.client
import json
import pathlib
import queue
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECRET = "model: a_secret_that_nobody_may_see"
CLIENTS = 6
LARGEST = 20_000  # characters of a model that requests start from
NAMES = ["../beside/secret.yaml", "/etc/passwd", "link/secret.yaml", "..%2fbeside%2fsecret.yaml", ".hidden.yaml", "",
         "a/../../beside/secret.yaml", "\0.yaml", "x" * 5000 + ".yaml", "new.yaml", "sub/new.yaml", "CON.yaml", "é.yaml"]
PIECES = ["when: [{if: time > 0.1, reinit: {c.q: 0}}]\n", "experiment: {stop: 1e9 s}\n", "parameters: {k: {value: 1e308}}\n",
          "import: [../beside/secret]\n", "import: [link/secret]\n", "*a", "&a [*a]", "!!binary x", "? [", "- - - -\n",
          "{{{{{{{{", "\t", "\0", "\ufeff", "1e999", "-1", "0", "nan", "inf", "table: ../beside/secret.yaml",
          "law: e = f/0", "R: 0", "stop: -1", "modulated", "initial: {q: 1}", "outputs: [c.q, nothing]"]
ODD = [None, True, -1, 1e308, "", [], {}, [[[[]]]], {"a": {"b": None}}, "x" * 3000, [1, "2", None], 2**63]


def models():
    found = [p for p in ROOT.glob("models/**/*.yaml")] + [p for p in ROOT.glob("docs/exercises/**/*.yaml")]
    found += list(ROOT.glob("tests/diagnostics/**/*.yaml"))
    return [t for t in (p.read_text(errors="replace") for p in sorted(found)) if len(t) < LARGEST]


class Maker:
    """Requests, from random numbers alone."""

    def __init__(self, seed, texts, names, ask):
        self.r = random.Random(seed)
        self.texts = texts
        self.names = names
        self.ask = ask

    def text(self):
        r = self.r
        text = r.choice(self.texts)
        for _ in range(r.choice([0, 0, 1, 1, 2, 5])):
            lines = text.split("\n")
            k = r.randrange(len(lines))
            what = r.randrange(7)
            if what == 0:
                del lines[k]
            elif what == 1:
                lines.insert(k, lines[r.randrange(len(lines))])
            elif what == 2:
                lines.insert(k, r.choice(r.choice(self.texts).split("\n")))
            elif what == 3:
                numbers = list(re.finditer(r"\d+(\.\d+)?", lines[k]))
                if numbers:
                    m = r.choice(numbers)
                    lines[k] = lines[k][:m.start()] + r.choice(["0", "-1", "1e-300", "1e300", "nan", "7"]) + lines[k][m.end():]
            elif what == 4:
                at = r.randrange(len(lines[k]) + 1)
                lines[k] = lines[k][:at] + r.choice(PIECES) + lines[k][at:]
            elif what == 5:
                at = r.randrange(len(lines[k]) + 1)
                lines[k] = lines[k][:at] + lines[k][at + r.randrange(1, 6):]
            else:
                words = list(re.finditer(r"[A-Za-z_]+", text))
                if words:
                    a, b = r.choice(words).group(), r.choice(words).group()
                    lines = text.replace(a, b, r.choice([1, -1])).split("\n")
            text = "\n".join(lines)
        return text

    def version(self, name):
        """That of a file as the server has told it, which others may have changed since."""
        answer = self.ask("GET", f"/api/file?name={urllib.parse.quote(name)}&if_there=1")[2]
        try:
            return json.loads(answer).get("version", "")
        except ValueError:
            return ""

    def name(self):
        return self.r.choice(self.names) if self.r.random() < 0.8 else self.r.choice(NAMES)

    def words(self, text):
        found = re.findall(r"[A-Za-z_][\w.]*", text)
        return [self.r.choice(found) for _ in range(self.r.randrange(1, 4))] if found else ["x"]

    def body(self, route):
        r = self.r
        text = self.text()
        body = {"name": self.name(), "text": text, "tab": r.choice("abcdefgh")}
        if route in ("model", "run"):
            body["values"] = {w: r.choice([0, 1, -1, 1e-9, 1e12, 3.5]) for w in self.words(text)}
            if r.random() < 0.5:
                body["seen"] = {"results": self.words(text), "frames": self.words(text)}
                for what in ("energy", "space"):
                    if r.random() < 0.5:
                        body["seen"][what] = r.choice([False, False, True] + ODD)
            if r.random() < 0.5:
                body["bytes"] = r.choice([True, True, False] + ODD)
            if r.random() < 0.3:
                body["solved"] = r.random() < 0.5
        elif route == "strokes":
            body["placed"] = [[w, r.choice(self.words(text))] for w in self.words(text)]
            body["reveal"] = r.random() < 0.5
        elif route == "derive":
            body["equations"] = [f"der({w}) = {'+'.join(self.words(text))}/{r.choice(self.words(text))}" for w in self.words(text)]
            body["placed"] = []
        elif route in ("rename", "save", "delete"):
            if route == "rename":
                body["to"] = r.choice([self.name(), f"new{r.randrange(20)}.yaml"])
            body["version"] = r.choice(["", "0", self.version(body["name"]), self.version(body["name"])])
        if r.random() < 0.15:
            key = r.choice(list(body))
            if r.random() < 0.3:
                del body[key]
            else:
                body[key] = r.choice(ODD)
        data = json.dumps(body).encode()
        if r.random() < 0.05:
            at = r.randrange(len(data))
            data = data[:at] + bytes(r.randrange(256) for _ in range(r.randrange(1, 9))) + data[at + r.randrange(3):]
        return data


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "serve", str(folder), "--limit", "5", "--workers", "2"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        self.said = []
        address = None
        while address is None:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server has not begun: " + self.process.stderr.read())
            address = re.search(r"127\.0\.0\.1:(\d+)/#token=(\w+)", line)
        self.port, self.token = int(address[1]), address[2]
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self.listen, args=(stream,), daemon=True).start()

    def listen(self, stream):
        for line in stream:
            self.said.append(line)

    def ask(self, method, path, body=None, headers=None, wait=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wait)
        try:
            connection.request(method, path, body, {"X-Token": self.token, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type") or "", answer.read()
        finally:
            connection.close()


def routes(server):
    """Those that the bench asks: its own script names them."""
    _, _, script = server.ask("GET", "/bench.js")
    found = sorted(set(re.findall(r"/api/([a-z_]+)", script.decode())))
    assert {"model", "run", "save", "file"} <= set(found), found
    return found


def broken(server, r):
    """Bytes that are no request, or one that never ends. What is answered does not matter."""
    head = f"POST /api/model HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nX-Token: {server.token}\r\n"
    data = r.choice([
        bytes(r.randrange(256) for _ in range(r.randrange(1, 2000))), b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        (head + "Content-Length: 99999999999999\r\n\r\nx").encode(), (head + "Content-Length: -5\r\n\r\n").encode(),
        (head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\nx").encode(), (head + "X: y\r\n" * 5000 + "\r\n").encode(),
        (head + "Content-Length: 100\r\n\r\n{").encode(), (head + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n").encode(),
        (head * 3).encode(), b"\r\n\r\n\r\n", b"\0" * 1000])
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as s:
        try:
            s.sendall(data)
            s.settimeout(r.choice([0.01, 0.2, 1.0]))
            s.recv(1000)
        except OSError:
            pass


def client(server, paths, maker, until, counts, findings):
    r = maker.r
    while time.time() < until:
        try:
            if r.random() < 0.05:
                broken(server, r)
                counts["broken"] += 1
                continue
            route = r.choice(paths)
            data, path, headers, method = maker.body(route), f"/api/{route}", {}, "POST"
            if route in ("file", "files", "types"):
                method, data = "GET", None
                path += "?name=" + urllib.parse.quote(maker.name()) + r.choice(["", "&if_there=1"])
            foreign = r.random() < 0.03
            if foreign:
                headers = r.choice([{"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"X-Token": "0" * 32},
                                    {"Sec-Fetch-Site": "cross-site"}])
            status, kind, answer = server.ask(method, path, data, headers)
        except (OSError, http.client.HTTPException) as e:
            findings.put((f"no answer: {e!r}", path, data))
            continue
        counts[f"{route} {status}"] += 1
        why = ""
        if foreign and status != 403:
            why = f"a foreign request was answered with {status}"
        elif SECRET.encode() in answer and (data is None or SECRET.encode() not in data):
            why = "a file beside the folder was read"
        elif status == 500 or status not in (200, 400, 403, 404, 405, 409, 413, 503, 504):
            why = f"status {status}"
        elif "octet-stream" in kind:
            head, _, rest = answer.partition(b"\n")
            try:
                json.loads(rest[:int(head)])
            except ValueError as e:
                why = f"no run: {e}"
        elif "json" in kind:
            try:
                json.loads(answer)
            except ValueError as e:
                why = f"no JSON: {e}"
        if why:
            findings.put((why, path, data))


def state_of(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()}


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    place = pathlib.Path(tempfile.mkdtemp(prefix="serve-fuzz-"))
    folder, beside = place / "folder", place / "beside"
    shutil.copytree(ROOT / "docs/exercises", folder)
    beside.mkdir()
    (beside / "secret.yaml").write_text(SECRET + "\n")
    (folder / ".hidden.yaml").write_text(SECRET + "\n")
    (folder / "link").symlink_to(beside)
    before = state_of(beside)
    names = [p.relative_to(folder).as_posix() for p in sorted(folder.rglob("*.yaml")) if "link" not in p.parts and p.name[0] != "."]
    texts = models()
    server = Server(program, folder)
    paths = routes(server)
    counts, findings = collections.Counter(), queue.Queue()
    until = time.time() + seconds
    clients = [threading.Thread(target=client, args=(server, paths, Maker(seed * 1000 + k, texts, names, server.ask), until, counts, findings))
               for k in range(CLIENTS)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    failed = []
    while not findings.empty():
        failed.append(findings.get())
    for why, path, data in failed[:20]:
        print(f"{why}\n  {path}\n  {data!r}")
    time.sleep(1.0)
    said = "".join(server.said)
    if server.process.poll() is not None:
        failed.append(("the server has ended", "", None))
    elif server.ask("GET", "/api/files")[0] != 200:
        failed.append(("the server answers no more", "", None))
    if re.search(r"Sanitizer|runtime error", said):
        failed.append(("a sanitizer has spoken", "", None))
    if state_of(beside) != before or sorted(p.name for p in place.iterdir()) != ["beside", "folder"]:
        failed.append(("something beside the folder was written", "", None))
    server.process.terminate()
    server.process.wait(20)
    shutil.rmtree(place)
    if failed:
        print(said[-6000:])
    print(", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))
    print(f"{sum(counts.values())} requests, {len(failed)} findings" + "".join(f"\n  {why}" for why in {f[0] for f in failed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

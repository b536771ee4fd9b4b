"""A live crawl against Scrapy: pages a second, processor time a page, memory.

    python -m benchmarks.live [--pages 5000] [--rounds 3] [--only ours|scrapy|stripped]
    python -m benchmarks.live --frontier     memory of a waiting link instead

nginx serves 5,000 generated pages of 40 KB, packed beforehand, on eight ports of loopback; each
port is a host. The crawlers take turns, each in a process of its own, from the same start page
to the same number of pages, and both obey robots.txt. Everything is measured from outside: wall
seconds from start to exit, processor time and resident memory of the process and all its
children (pages that two of them share count twice). nginx is counted apart. Linux only.

Scrapy runs twice: tuned by its settings, and stripped of all that can be taken away. It is no
dependency of ours: `scrapy_peer` installs it into .cache/ when it is first needed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.measure import report
from benchmarks.scrapy_peer import installed, stripped_command, tuned_command
from wolfspider.webs.synthetic.wordlists import RUNNING, TOPICS
from wolfspider.webs.synthetic.words import coin, reserved

ADDRESS = "127.0.0.1"
HOSTS = 8
PAGES = 5000
LINKS = 60
AWAY = 0.4  # share of links that lead to another port
PARAGRAPHS, PARAGRAPH = 42, 133  # how many, and words in each: pages of 40 KB
TOPIC = "telescope planet"
LEAVES = 600  # links of a page of the wide web; nobody ever follows them
BUDGETS = (200, 1200)  # pages of the wide web that are fetched
AIMS = {"speed": 2.0, "cpu": 0.5, "peak_mb": 250, "bytes_per_link": 200}
TICK = 0.05  # seconds between two looks at the memory
PATIENCE = 600.0  # seconds that a crawl may take

Command = Callable[[Path, str, int], list[str]]


class Language:
    """Words by the law of Zipf and Mandelbrot: running words, then topics, then 40,000 coined."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        topical = [word for words in TOPICS.values() for word in words]
        words = dict.fromkeys([*RUNNING, *topical, *coin(rng, 40_000, reserved())])
        self._words = np.array(list(words), object)
        share = np.cumsum((np.arange(len(words)) + 3.7) ** -1.1)  # 2,000 different words a page
        self._share = share / share[-1]

    def draw(self, rng: np.random.Generator, count: int) -> list[str]:
        words: list[str] = self._words[np.searchsorted(self._share, rng.random(count))].tolist()
        return words


class Site:
    """Pages of 40 KB that link to each other; page n is on host n % 8.

    The same seed and ports make the same bytes. Every page can be reached from page 0: page n
    links to pages 8n + 1 … 8n + 8, and all its other links lead anywhere.
    """

    def __init__(self, ports: list[int], pages: int = PAGES, seed: int = 1) -> None:
        self.ports, self.pages, self._seed = ports, pages, seed
        self._language = Language(seed)
        words = self._language.draw(np.random.default_rng([seed, pages]), 2 * pages)
        self._names = [f"{a} {b}" for a, b in zip(words[::2], words[1::2], strict=True)]

    def path(self, number: int) -> str:
        name = self._names[number].replace(" ", "-")
        return f"/{number % 25}/{name}-{number}.html" if number >= HOSTS else "/"

    def anchor(self, number: int, base: int) -> str:
        away = number % HOSTS != base % HOSTS
        root = f"http://{ADDRESS}:{self.ports[number % HOSTS]}" if away else ""
        return f'<a href="{root}{self.path(number)}">{self._names[number]}</a>'

    def page(self, number: int) -> str:
        """A menu, paragraphs with a link in each, and a footer."""
        rng = np.random.default_rng([self._seed, number])
        words = self._language.draw(rng, PARAGRAPHS * PARAGRAPH)
        links = [self.anchor(to, number) for to in self._targets(rng, number)]
        title = self._names[number].title()
        menu = "".join(f"<li>{link}</li>\n" for link in links[PARAGRAPHS:])
        parts = [HEAD.format(title=title, about=" ".join(words[:20])), f"<ul>\n{menu}</ul>\n"]
        for at, link in enumerate(links[:PARAGRAPHS]):
            if at % 6 == 0:
                parts.append(f"<h2>{' '.join(words[at : at + 4])}</h2>\n")
            said = words[at * PARAGRAPH : (at + 1) * PARAGRAPH]
            parts.append(f"<p>{' '.join(said[:50])} {link} {' '.join(said[50:])}.</p>\n")
        return "".join([*parts, "</main></body></html>\n"])

    def _targets(self, rng: np.random.Generator, number: int) -> list[int]:
        tree = range(HOSTS * number + 1, HOSTS * number + HOSTS + 1)
        anywhere = rng.integers(self.pages // HOSTS, size=LINKS) * HOSTS
        away = np.where(rng.random(LINKS) < AWAY, rng.integers(1, HOSTS, size=LINKS), 0)
        targets = (anywhere + (number + away) % HOSTS).tolist()
        known = [page for page in tree if page < self.pages]
        return [*known, *targets[len(known) :]]

    def write(self, root: Path) -> None:
        for number in range(self.pages):
            write_page(root, number % HOSTS, self.path(number), self.page(number))


HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="description" content="{about}"></head>
<body><main><h1>{title}</h1>
"""


def write_page(root: Path, host: int, path: str, html: str) -> None:
    """Plain and packed, so that nginx has only to send it."""
    file = root / str(host) / (path[1:] or "index.html")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(html)
    file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(html.encode(), 4, mtime=0))


def write_wide(root: Path, ports: list[int], pages: int, seed: int = 1) -> None:
    """A web of few pages and very many links, for a crawl that goes breadth first.

    The start page leads to the first page of each host, that one to all `pages` / 8 hubs of its
    host, and every hub to 600 leaves of its own. All hubs stand before any leaf in the queue.
    """
    language, rng = Language(seed), np.random.default_rng(seed)
    for host, port in enumerate(ports):
        hubs = [f"/hub/{number}.html" for number in range(host, pages, HOSTS)]
        first = [f"http://{ADDRESS}:{other}/" for other in ports]
        index = "\n".join(f'<a href="{to}">hub</a>' for to in [*first, *hubs])
        write_page(root, host, "/", HEAD.format(title="Index", about="") + index)
        for hub in hubs:
            words = language.draw(rng, 4 * LEAVES)
            rows = [leaf(port, hub, at, words[4 * at : 4 * at + 4]) for at in range(LEAVES)]
            write_page(root, host, hub, HEAD.format(title=hub, about="") + "\n".join(rows))


def leaf(port: int, hub: str, number: int, words: list[str]) -> str:
    path = f"/leaf{hub[4:-5]}/{'-'.join(words[:2])}-{number}.html"
    return f'<p>{words[3]} <a href="http://{ADDRESS}:{port}{path}">{" ".join(words[:3])}</a></p>'


SETTINGS = """
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    gzip_static on;
    keepalive_requests 10000000;
    keepalive_timeout 600s;
    default_type text/html;
    charset utf-8;
    types {{ text/html html; text/plain txt; }}
    client_body_temp_path unused; proxy_temp_path unused; fastcgi_temp_path unused;
    uwsgi_temp_path unused; scgi_temp_path unused;
{servers}
}}
"""
SERVER = "    server {{ listen {address}:{port} backlog=1024; root pages/{host}; }}"


def nginx() -> str:
    """The nginx program; on Debian root gets it installed."""
    if not (found := shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")):
        if os.geteuid() or not shutil.which("apt-get"):
            sys.exit("nginx is missing; install it first, on Debian: apt-get install nginx-light")
        quiet = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", "nginx-light"]
        if subprocess.run(quiet, stdout=subprocess.DEVNULL).returncode:
            subprocess.run(["apt-get", "update", "-qq"], check=True)
            subprocess.run(quiet, stdout=subprocess.DEVNULL, check=True)
        found = shutil.which("nginx", path="/usr/sbin")
    assert found
    abilities = subprocess.run([found, "-V"], capture_output=True, text=True, check=True).stderr
    if "http_gzip_static_module" not in abilities:
        sys.exit(f"{found} was built without gzip_static; on Debian nginx-light has it")
    return found


def free_ports() -> list[int]:
    sockets = [socket.create_server((ADDRESS, 0)) for _ in range(HOSTS)]
    ports = sorted(each.getsockname()[1] for each in sockets)
    for each in sockets:
        each.close()
    return ports


@contextmanager
def served(folder: Path, ports: list[int]) -> Iterator[int]:
    """nginx over folder/pages/0 … 7; gives its process id, and ends it."""
    folder.chmod(0o755)  # started by root, the process that serves is somebody else's
    for host in range(HOSTS):
        Path(folder, "pages", str(host), "robots.txt").write_text("User-agent: *\nDisallow:\n")
    servers = [SERVER.format(address=ADDRESS, port=port, host=i) for i, port in enumerate(ports)]
    Path(folder, "nginx.conf").write_text(SETTINGS.format(servers="\n".join(servers)))
    command = [nginx(), "-p", f"{folder}/", "-e", "stderr", "-c", "nginx.conf"]
    server = subprocess.Popen(command)
    try:
        for port in ports:
            await_answer(f"http://{ADDRESS}:{port}/")
        yield server.pid
    finally:
        server.terminate()
        server.wait()


def await_answer(url: str, seconds: float = 5.0) -> None:
    """Return when the page is there; after so many seconds the error is the caller's."""
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(TICK)


def family(root: int) -> dict[int, tuple[float, int]]:
    """A process and all that descend from it: seconds of processor time and bytes held."""
    tick, size = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    parents, facts = {}, {}
    for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
        with suppress(OSError):  # it has ended
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            parents[pid] = int(fields[1])
            facts[pid] = (int(fields[11]) + int(fields[12])) / tick, int(fields[21]) * size
    members = [root]
    for member in members:  # grows while it is walked
        members += [pid for pid, parent in parents.items() if parent == member]
    return {pid: facts[pid] for pid in members if pid in facts}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one crawl took, and what it printed last."""

    wall: float  # seconds
    cpu: float
    peak: int  # bytes
    server_cpu: float
    result: dict[str, Any]


def crawl(command: list[str], server: int, scratch: Path) -> Cost:
    """Run a crawler to its end; its last line on standard output is JSON."""
    before, spent, peak = used(server), dict[int, float](), 0
    with Path(scratch, "stdout").open("w+") as printed:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed)
        try:
            ended = os.pidfd_open(process.pid)
            while not select.select([ended], [], [], TICK)[0]:
                now = family(process.pid)
                spent.update((pid, cpu) for pid, (cpu, _) in now.items())
                peak = max(peak, sum(held for _, held in now.values()))
                if time.perf_counter() - start > PATIENCE:
                    sys.exit(f"{command[0]} was still running after {PATIENCE:g} s")
            wall = time.perf_counter() - start
            os.close(ended)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            end(process)
        if process.returncode:
            sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
        printed.seek(0)
        result = json.loads(printed.read().splitlines()[-1])
    # Children that nobody waits for are missing in the first, the last moments in the second.
    cpu = max(usage.ru_utime + usage.ru_stime, sum(spent.values()))
    return Cost(wall, cpu, peak, used(server) - before, result)


def used(pid: int) -> float:
    return sum(cpu for cpu, _ in family(pid).values())


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that still runs, and its children."""
    if process.returncode is None:
        for pid in family(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        process.wait()


def ours_command(folder: Path, start: str, pages: int) -> list[str]:
    hunt = [str(Path(sys.executable).with_name("wolfspider")), "hunt", "--topic", TOPIC]
    hunt += ["--seed", start, "--pages", str(pages), "--allow-host", ADDRESS]
    hunt += ["--delay", "0", "--address-delay", "0"]
    hunt += ["--connections-per-host", "8", "--at-once", "64"]
    return [*hunt, "-o", str(folder), "--json", "--quiet"]


def breadth_first_command(folder: Path, start: str, pages: int) -> list[str]:
    return [*ours_command(folder, start, pages), "--policy", "breadth-first"]


COMMANDS: dict[str, Command] = {
    "ours": ours_command,
    "scrapy": tuned_command,
    "stripped": stripped_command,
}


def run(command: Command, port: int, pages: int, server: int) -> Cost:
    """One crawl into a folder that is thrown away; it must have fetched all its pages."""
    with tempfile.TemporaryDirectory() as scratch:
        words = command(Path(scratch, "crawl"), f"http://{ADDRESS}:{port}/", pages)
        cost = crawl(words, server, Path(scratch))
    fetched = cost.result["pages"] - cost.result.get("errors", 0)
    if fetched != pages:
        sys.exit(f"{words[0]} fetched {fetched} pages, not {pages}: {cost.result}")
    return cost


def summary(costs: list[Cost], pages: int) -> dict[str, Any]:
    """Medians, and every round."""
    rounds = [
        {
            "pages_per_second": round(pages / cost.wall, 1),
            "wall": round(cost.wall, 2),
            "cpu": round(cost.cpu, 2),
            "cpu_per_1000_pages": round(1000 * cost.cpu / pages, 3),
            "peak_mb": round(cost.peak / 1e6, 1),
            "nginx_cpu": round(cost.server_cpu, 2),
        }
        for cost in costs
    ]
    middle = {name: round(median(each[name] for each in rounds), 3) for name in rounds[0]}
    return {**middle, "rounds": rounds, "result": costs[-1].result}


def compare(names: list[str], pages: int, rounds: int) -> None:
    if names != ["ours"]:
        installed()
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as scratch:
        ports = free_ports()
        Site(ports, max(pages, HOSTS)).write(Path(scratch, "pages"))
        with served(Path(scratch), ports) as server:
            for _ in range(rounds):
                for name in names:
                    costs[name].append(run(COMMANDS[name], ports[0], pages, server))
    found = {name: summary(each, pages) for name, each in costs.items()}
    report("live", "pages/s", pages=pages, **found, **verdict(found))


def verdict(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Ours against Scrapy, beside what we aim at; nothing when one of them did not run."""
    if len(found) < 2:
        return {}
    ours, ratios = found["ours"], {}
    for name in ("scrapy", "stripped"):
        ratios[name] = {
            "speed": round(ours["pages_per_second"] / found[name]["pages_per_second"], 2),
            "cpu": round(ours["cpu_per_1000_pages"] / found[name]["cpu_per_1000_pages"], 3),
        }
    return {"ratios": ratios, "peak_mb": ours["peak_mb"], "aims": AIMS}


def frontier() -> None:
    """What a waiting link costs: the growth of our memory between two budgets."""
    with tempfile.TemporaryDirectory() as scratch:
        ports = free_ports()
        write_wide(Path(scratch, "pages"), ports, 2 * max(BUDGETS))  # no host runs out of hubs
        with served(Path(scratch), ports) as server:
            few, many = (run(breadth_first_command, ports[0], n, server) for n in BUDGETS)
    links = many.result["waiting"] - few.result["waiting"]
    report(
        "live frontier",
        "bytes per waiting link",
        value=round((many.peak - few.peak) / links, 1),
        aim=AIMS["bytes_per_link"],
        peak_mb=[round(cost.peak / 1e6, 1) for cost in (few, many)],
        waiting=[cost.result["waiting"] for cost in (few, many)],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=COMMANDS)
    parser.add_argument("--frontier", action="store_true", help="memory of a waiting link")
    options = parser.parse_args()
    if options.frontier:
        frontier()
    else:
        compare([options.only] if options.only else list(COMMANDS), options.pages, options.rounds)


if __name__ == "__main__":
    main()

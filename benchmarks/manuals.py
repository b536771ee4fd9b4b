"""Three webs of manuals to try policies on: real pages on ten to fifteen hosts each.

python -m benchmarks.manuals -o webs [--shelf 1] [--shelf 2] [--shelf 3]

Each manual of a shelf comes as a package of Debian 12, which `apt-get download` fetches and
`dpkg-deb` unpacks; nothing is installed. It stands on a host of its own, a portal links to them
all, and a task is to find one part of one manual, or one subject in several: `webs/manuals-1` with
`webs/manuals-1.toml`. The wolf's settings were chosen with the first shelf in view, not the second;
on some hunts of the third it was seen that who has found nothing must go on looking around.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

from benchmarks.debian import build_all, import_folders, parser, unpacked, write_topics

PORTAL = "http://portal.example/"
PAGES = {".html", ".htm"}
BUDGET = 4000


@dataclass(frozen=True)
class Manual:
    """A package, where in it the pages are, and how the portal calls it."""

    host: str
    title: str
    package: str
    folder: str  # below usr/share
    start: str = ""  # "": its index, or those of its folders

    @property
    def url(self) -> str:
        return f"http://{self.host}.example/"

    def starts(self, folder: Path) -> list[str]:
        if self.start or (folder / "index.html").exists():
            return [self.start]
        return sorted(f"{each.parent.name}/" for each in folder.glob("*/index.html"))


@dataclass(frozen=True)
class Hunt:
    """What to find: pages whose address has the pattern in it."""

    name: str
    keywords: tuple[str, ...]
    pattern: str


@dataclass(frozen=True)
class Shelf:
    manuals: tuple[Manual, ...]
    hunts: tuple[Hunt, ...]


SHELVES = {
    1: Shelf(
        (
            Manual("python", "Python language", "python3.11-doc", "doc/python3.11/html"),
            Manual(
                "postgres", "PostgreSQL database", "postgresql-doc-15", "doc/postgresql-doc-15/html"
            ),
            Manual("kernel", "Linux kernel", "linux-doc-6.1", "doc/linux-doc-6.1/html"),
            Manual("gimp", "GIMP image editor", "gimp-help-en", "gimp/2.0/help/en"),
            Manual("apache", "Apache web server", "apache2-doc", "doc/apache2-doc/manual/en"),
            Manual("qt", "Qt toolkit", "qtbase5-doc-html", "qt5/doc", "qtcore/io.html"),
            Manual(
                "django", "Django web framework", "python-django-doc", "doc/python-django-doc/html"
            ),
            Manual(
                "sklearn",
                "scikit-learn machine learning",
                "python-sklearn-doc",
                "doc/python-sklearn-doc/html",
            ),
            Manual(
                "boost",
                "Boost C++ libraries",
                "libboost1.81-doc",
                "doc/libboost1.81-doc",
                "doc/html/",
            ),
            Manual("sqlite", "SQLite database", "sqlite3-doc", "doc/sqlite3"),
            Manual("erlang", "Erlang OTP", "erlang-doc", "doc/erlang-doc", "doc/"),
            Manual(
                "octave", "Octave numerical computing", "octave-doc", "doc/octave", "octave.html/"
            ),
            Manual("java", "Java platform", "openjdk-17-doc", "doc/openjdk-17-jre-headless/api"),
            Manual(
                "maxima",
                "Maxima computer algebra",
                "maxima-doc",
                "doc/maxima-doc/html",
                "maxima_toc.html",
            ),
            Manual(
                "handbook",
                "Debian administrator handbook",
                "debian-handbook",
                "doc/debian-handbook/html/en-US",
            ),
        ),
        (
            Hunt("network", ("network", "ethernet"), r"kernel\.example/networking/"),
            Hunt("sensors", ("hardware", "monitoring", "sensors"), r"kernel\.example/hwmon/"),
            Hunt("swing", ("swing", "gui"), r"java\.example/.*javax/swing/"),
            Hunt("java-net", ("java", "network", "http"), r"java\.example/java\.base/java/net/"),
            Hunt("filters", ("image", "filters", "blur"), r"gimp\.example/(plug-in|filters)"),
            Hunt("sql", ("sql", "command", "table"), r"postgres\.example/sql-"),
            Hunt("widgets", ("widget", "window"), r"qt\.example/qtwidgets/"),
            Hunt(
                "learning", ("machine", "learning", "examples"), r"sklearn\.example/auto_examples/"
            ),
            Hunt("apache-modules", ("apache", "module"), r"apache\.example/mod/"),
            Hunt(
                "models",
                ("django", "model", "query"),
                r"django\.example/(ref|topics)/(models|db|forms)",
            ),
            Hunt("extending", ("python", "extension", "api"), r"python\.example/c-api/"),
            Hunt(
                "security",
                ("security", "crypto"),
                r"java\.example/.*(security|crypto)/|kernel\.example/(security|crypto)/"
                r"|python\.example/library/(crypt|hash|secrets|hmac|ssl)"
                r"|erlang\.example/.*/(crypto|ssl|public_key)-|postgres\.example/(pgcrypto|.*ssl)"
                r"|django\.example/.*security",
            ),
            Hunt(
                "releases",
                ("release", "notes", "changes"),
                r"django\.example/releases/|postgres\.example/release|python\.example/whatsnew"
                r"|sqlite\.example/(releaselog|changes)|sklearn\.example/whats_new"
                r"|apache\.example/(new_features|upgrading)",
            ),
        ),
    ),
    2: Shelf(
        (
            Manual("haskell", "Haskell compiler", "ghc-doc", "doc/ghc-doc"),
            Manual("gnucash", "GnuCash accounting", "gnucash-docs", "doc/gnucash-docs"),
            Manual("harden", "Securing Debian", "harden-doc", "doc/harden-doc/html"),
            Manual(
                "install",
                "Installation guide",
                "installation-guide-amd64",
                "doc/installation-guide-amd64",
            ),
            Manual("eigen", "Eigen linear algebra", "libeigen3-doc", "doc/libeigen3-dev/html"),
            Manual("opencv", "OpenCV computer vision", "opencv-doc", "doc/opencv-doc/opencv4/html"),
            Manual(
                "pandas", "pandas data analysis", "python-pandas-doc", "doc/python-pandas-doc/html"
            ),
            Manual(
                "scipy",
                "SciPy scientific computing",
                "python-scipy-doc",
                "doc/python-scipy-doc/html",
            ),
            Manual(
                "sympy",
                "SymPy symbolic mathematics",
                "python-sympy-doc",
                "doc/python-sympy-doc/html",
            ),
            Manual("gtk", "GTK widgets", "libgtk-3-doc", "gtk-doc/html"),
            Manual("glib", "GLib", "libglib2.0-doc", "gtk-doc/html"),
            Manual("exim", "Exim mail server", "exim4-doc-html", "doc/exim4-doc-html/spec_html"),
            Manual("gnuplot", "gnuplot", "gnuplot-doc", "doc/gnuplot/htmldocs"),
            Manual("policy", "Debian policy", "debian-policy", "doc/debian-policy/policy.html"),
        ),
        (
            Hunt("image-filtering", ("image", "filtering"), r"opencv\.example/.*(imgproc|filter)"),
            Hunt("statistics", ("statistics", "distribution"), r"scipy\.example/.*stats"),
            Hunt(
                "linear-algebra",
                ("linear", "algebra", "matrix"),
                r"eigen\.example/|scipy\.example/.*linalg|sympy\.example/.*matri",
            ),
            Hunt(
                "time-series",
                ("time", "series", "dates"),
                r"pandas\.example/.*([Tt]ime|Period|Date|offset)",
            ),
            Hunt("install-russian", ("install", "russian"), r"install\.example/ru/"),
            Hunt("accounts-german", ("konten", "buchhaltung"), r"gnucash\.example/.*-de/"),
            Hunt("mail-routing", ("mail", "routers", "transport"), r"exim\.example/"),
            Hunt("monads", ("monad", "functor"), r"haskell\.example/.*(Monad|Functor|Applicative)"),
            Hunt("plot-styles", ("plot", "style"), r"gnuplot\.example/"),
            Hunt("gtk-widgets", ("widget", "button"), r"gtk\.example/gtk3/"),
            Hunt("firewall", ("firewall", "security"), r"harden\.example/en-US/"),
            Hunt("signal", ("signal", "processing"), r"scipy\.example/.*signal"),
            Hunt("calibration", ("camera", "calibration"), r"opencv\.example/.*calib"),
        ),
    ),
    3: Shelf(
        (
            Manual(
                "aptitude", "aptitude package manager", "aptitude-doc-en", "doc/aptitude/html/en"
            ),
            Manual("cmake", "CMake", "cmake-doc", "doc/cmake-data/html"),
            Manual("stdcpp", "C++ library", "libstdc++-12-doc", "doc/gcc-12-base/libstdc++"),
            Manual("llvm", "LLVM", "llvm-14-doc", "doc/llvm-14-doc/html"),
            Manual("node", "Node", "nodejs-doc", "doc/nodejs/api"),
            Manual("ns3", "ns-3", "ns3-doc", "doc/ns3"),
            Manual("astropy", "Astropy", "python-astropy-doc", "doc/python-astropy-doc/html"),
            Manual("racket", "Racket", "racket-doc", "doc/racket"),
            Manual("scala", "Scala", "scala-doc", "doc/scala-2.11/api"),
            Manual("wx", "wxWidgets", "wx3.2-doc", "doc/wx3.2-doc/html"),
        ),
        (
            Hunt("coordinates", ("celestial", "coordinates", "sky"), r"astropy\.example/.*coordi"),
            Hunt("cosmology", ("cosmology",), r"astropy\.example/.*cosmology"),
            Hunt("units", ("units", "quantity"), r"astropy\.example/.*units"),
            Hunt("amdgpu", ("amdgpu", "gpu", "assembler"), r"llvm\.example/AMDGPU"),
            Hunt("policy", ("compatibility", "policy", "version"), r"cmake\.example/policy/"),
            Hunt(
                "typechecker",
                ("compiler", "type", "checker"),
                r"scala\.example/.*compiler/.*typechecker",
            ),
            Hunt("immutable", ("immutable", "collection"), r"scala\.example/.*immutable"),
            Hunt(
                "teaching",
                ("teaching", "programming", "beginners"),
                r"racket\.example/(htdp|quick|guide|more|style|deinprogramm)",
            ),
            Hunt("plots", ("plot", "graph"), r"racket\.example/plot/"),
            Hunt("drawing", ("drawing", "bitmap"), r"wx\.example/.*(_dc|bitmap|graphics)"),
        ),
    ),
}


def addresses(manual: Manual, folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.suffix in PAGES:
            name = path.relative_to(folder).as_posix()
            yield manual.url + (name[: -len(path.name)] if path.name == "index.html" else name)


def labels(hunts: tuple[Hunt, ...], urls: list[str]) -> Iterator[tuple[str, str]]:
    for hunt in hunts:
        wanted = re.compile(hunt.pattern)
        yield from ((url, hunt.name) for url in urls if wanted.search(url))


def portal(titles: dict[str, str]) -> str:
    items = (f'<li><a href="{url}">{escape(title)}</a></li>' for url, title in titles.items())
    return f"<title>Manuals</title><h1>All manuals</h1><ul>{''.join(items)}</ul>"


def build(shelf: Shelf, web: Path, scratch: Path) -> None:
    """Write the web folder, and its tasks beside it."""
    folders = {
        manual: unpacked(manual.package, scratch) / manual.folder for manual in shelf.manuals
    }
    titles = {
        manual.url + start: f"{manual.title} {start.strip('/')}"
        if len(starts) > 1
        else manual.title
        for manual, folder in folders.items()
        for starts in [manual.starts(folder)]
        for start in starts
    }
    home = scratch / "portal"
    home.mkdir()
    (home / "index.html").write_text(portal(titles))
    urls = [url for manual, folder in folders.items() for url in sorted(addresses(manual, folder))]
    at = {PORTAL: home} | {manual.url: folder for manual, folder in folders.items()}
    import_folders(at, labels(shelf.hunts, urls), web)
    write_topics(web, {hunt.name: hunt.keywords for hunt in shelf.hunts}, PORTAL, BUDGET)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--shelf", type=int, choices=SHELVES, action="append")
    asked = options.parse_args()
    numbers = asked.shelf or SHELVES
    webs = {asked.out / f"manuals-{each}": partial(build, SHELVES[each]) for each in numbers}
    build_all(webs, options)


if __name__ == "__main__":
    main()

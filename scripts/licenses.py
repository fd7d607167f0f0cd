#!/usr/bin/env python3
"""Writes LICENSE-THIRD-PARTY: what is linked into farcall, under which licenses.

    scripts/licenses.py            writes it
    scripts/licenses.py --check    fails if it is not what would be written

Crates that may be had under the Apache License are, since its text is there already. Of the others
the file has the texts, but for those of LINKED.
"""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "LICENSE-THIRD-PARTY"
PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
# Licenses that ask for no copy: at most for word of where text and source are.
LINKED = {"MPL-2.0": "https://mozilla.org/MPL/2.0/", "0BSD": "https://opensource.org/license/0bsd"}
# C libraries inside of crates, with their licenses' files.
INSIDE = {"libffi-sys": ("libffi", "libffi/LICENSE")}
HEAD = """\
farcall is under MIT or Apache-2.0: see LICENSE-MIT and LICENSE-APACHE. Linked into it are the works below.
The sources of the crates are at https://crates.io/crates/NAME. This file is made by `make licenses`.

Under the Apache License 2.0 (LICENSE-APACHE): Rust's standard library, and
{apache}
"""


def linked_crates():
    crates = {}
    for platform in PLATFORMS:
        command = ["cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={platform}"]
        metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        waiting = [metadata["resolve"]["root"]]
        while waiting:
            package = packages[waiting.pop()]
            is_macro = any("proc-macro" in target["kind"] for target in package["targets"])
            if package["name"] in crates or is_macro:
                continue
            crates[package["name"]] = package
            for dependency in nodes[package["id"]]["deps"]:
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    waiting.append(dependency["pkg"])
    del crates["farcall"]
    return [crates[name] for name in sorted(crates)]


def choices(package):
    return re.split(r" OR |/", re.sub(r" ?/ ?", "/", package["license"]))


def text_of(package, file=None):
    folder = Path(package["manifest_path"]).parent
    if file is None:
        files = sorted(folder.glob("LICENSE*")) + sorted(folder.glob("COPYING*"))
        file = next((f for f in files if "MIT" in f.name), files[0] if files else None)
        if file is None:
            return from_source(package, folder)
    lines = (folder / file).read_text().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def from_source(package, folder):
    """For a crate under MIT whose sources name the owner and bring no text: MIT's is the same for all."""
    copyright = re.search(r"Copyright.*", (folder / "src/lib.rs").read_text())
    if choices(package) != ["MIT"] or not copyright:
        sys.exit(f"licenses: {package['name']} has no license file")
    terms = (ROOT / "LICENSE-MIT").read_text()
    return copyright[0] + "\n\n" + terms[terms.index("Permission is hereby granted"):].strip("\n")


def third_party():
    apache, rest = [], []
    for package in linked_crates():
        name = package["name"]
        if "Apache-2.0" in choices(package):
            apache.append(name)
        elif package["license"] in LINKED:
            rest.append((f"{name}, under {package['license']}", LINKED[package["license"]]))
        else:
            rest.append((f"{name}, under {choices(package)[-1]}", text_of(package)))
        if name in INSIDE:
            inner, file = INSIDE[name]
            rest.append((f"{inner}, under MIT", text_of(package, file)))
    sections = [f"{title}\n{'-' * len(title)}\n\n{text}\n" for title, text in rest]
    head = HEAD.format(apache=textwrap.fill(", ".join(apache), 105))
    return "\n\n".join([head, *sections])


def main():
    text = third_party()
    if sys.argv[1:] == []:
        FILE.write_text(text)
    elif sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    elif not FILE.exists() or FILE.read_text() != text:
        sys.exit("licenses: other crates are linked than LICENSE-THIRD-PARTY says: make licenses")


if __name__ == "__main__":
    main()

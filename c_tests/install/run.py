"""Installs farcall, and builds and runs programs with what is installed, in every way there is.

    run.py --lib-dir DIR --header FILE --build-dir DIR

DIR of --lib-dir is where cargo has built. Compilers are cc and c++.
"""

import argparse
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from commands import Failure, Report, fails, run  # noqa: E402

ROOT = HERE.parent.parent
CONSUMER = HERE / "consumer"
VERSION = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
SONAME = "libfarcall.so.0"
EXPECTED = "1024 stub\n1024 libffi\nFC_ERR_ARGUMENT\n"
LANGUAGES = {"C": (["cc", "-std=c11"], "consumer.c"), "C++": (["c++", "-std=c++11"], "consumer.cpp")}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


class Prefix:
    """Where farcall is installed, and what a user there does."""

    def __init__(self, prefix, libdir="lib"):
        self.path, self.lib = prefix, prefix / libdir

    def pkg_config(self, *arguments):
        environment = {"PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        return shlex.split(run(["pkg-config", *arguments, "farcall"], environment))

    def by_hand(self):
        return [f"-I{self.path}/include", f"-L{self.lib}", "-lfarcall"]

    def pkg_config_shared(self):
        return self.pkg_config("--cflags", "--libs")

    def pkg_config_static(self):
        """As README says it: -l:libfarcall.a takes the static library where both are."""
        flags = self.pkg_config("--static", "--cflags", "--libs")
        return ["-l:libfarcall.a" if flag == "-lfarcall" else flag for flag in flags]


class Install:
    def __init__(self, options):
        self.lib_dir = options.lib_dir.resolve()
        self.header = options.header.resolve()
        self.build = options.build_dir.resolve()
        shutil.rmtree(self.build, ignore_errors=True)
        self.build.mkdir(parents=True)

    def script(self, *arguments, **settings):
        settings = {"PREFIX": "", "LIBDIR": "", "DESTDIR": ""} | {k: str(v) for k, v in settings.items()}
        return run([ROOT / "scripts/install.sh", *arguments], settings)

    def install(self, prefix, **settings):
        self.script("install", self.lib_dir, PREFIX=prefix, **settings)

    def has_exactly_these_files(self, prefix):
        lib = prefix.lib.relative_to(prefix.path)
        expected = {
            "bin/farcall", "include/farcall.h",
            *(f"share/doc/farcall/LICENSE-{name}" for name in ("APACHE", "MIT", "THIRD-PARTY")),
            f"{lib}/libfarcall.a", f"{lib}/libfarcall.so", f"{lib}/{SONAME}", f"{lib}/libfarcall.so.{VERSION}",
            f"{lib}/pkgconfig/farcall.pc",
            f"{lib}/cmake/farcall/farcall-config.cmake", f"{lib}/cmake/farcall/farcall-config-version.cmake",
        }  # fmt: skip
        equal(files(prefix.path), expected)
        equal(os.readlink(prefix.lib / SONAME), f"libfarcall.so.{VERSION}")
        equal(os.readlink(prefix.lib / "libfarcall.so"), SONAME)
        for file in expected:
            mode = (prefix.path / file).stat().st_mode & 0o777
            equal((file, mode), (file, 0o755 if "/farcall" == file[3:] or ".so" in file else 0o644))

    def library_is_marked(self, prefix):
        dynamic = run(["readelf", "--dynamic", "--wide", prefix.lib / SONAME])
        if f"[{SONAME}]" not in dynamic or "NODELETE" not in dynamic:
            raise Failure(f"no SONAME or no nodelete:\n{dynamic}")
        if "RUNPATH" in dynamic or "RPATH" in dynamic:
            raise Failure(f"folders of this machine are searched:\n{dynamic}")

    def nothing_for_debuggers(self, prefix):
        for file in (prefix.lib / SONAME, prefix.lib / "libfarcall.a", prefix.path / "bin/farcall"):
            if ".debug_info" in run(["readelf", "--sections", "--wide", file]):
                raise Failure(f"{file} has debug sections")

    def exports_the_header(self, prefix, library):
        symbols = ROOT / "c_tests/header/symbols.py"
        run(["python3", symbols, prefix.lib / library, prefix.path / "include/farcall.h", "cc", "nm"])

    def header_is_the_header(self, prefix):
        equal((prefix.path / "include/farcall.h").read_bytes(), self.header.read_bytes())

    def no_folder_of_the_build(self, prefix):
        for folder in (ROOT, self.lib_dir, self.build):
            for file in files(prefix.path):
                if str(folder).encode() in (prefix.path / file).read_bytes():
                    raise Failure(f"{file} names {folder}")

    def compiled(self, prefix, flags, language, is_shared):
        compiler, source = LANGUAGES[language]
        program = self.build / f"{prefix.path.name}-{flags.__name__}-{source}"
        command = [*compiler, *WARNINGS, CONSUMER / source, "-o", program, *flags()]
        run(command + [f"-Wl,-rpath,{prefix.lib}"] * is_shared)
        self.runs(program, is_shared)

    def runs(self, program, is_shared):
        needs = f"[{SONAME}]" in run(["readelf", "--dynamic", program])
        if needs != is_shared:
            raise Failure(f"{program} {'does not need' if is_shared else 'needs'} {SONAME}")
        equal(run([program], {"LD_LIBRARY_PATH": ""}), EXPECTED)

    def cmake(self, prefix, ask):
        folder = self.build / f"{prefix.path.name}-cmake"
        self.configure(prefix, folder, ask)
        run(["cmake", "--build", folder])
        for program in ("c_farcall", "cpp_farcall", "c_static", "cpp_static"):
            self.runs(folder / program, program.endswith("farcall"))

    def configure(self, prefix, folder, ask, by=run):
        command = ["cmake", "-S", CONSUMER, "-B", folder, "-G", "Ninja", f"-DASK={ask}"]
        return by(command + [f"-DCMAKE_PREFIX_PATH={prefix.path}"])

    def cmake_versions(self, prefix):
        series = ".".join(VERSION.split(".")[:2])
        for ask in (series, VERSION, f"{VERSION};EXACT", f"{series}...<{series}.999"):
            found = self.configure(prefix, self.build / "cmake-versions", ask)
            if f"farcall {VERSION}" not in found:
                raise Failure(f"asked for {ask}:\n{found}")
        for ask in (f"{series}.999", "0.0", "99", f"{series}.1;EXACT", f"{series}.998...{series}.999"):
            refused = self.configure(prefix, self.build / "cmake-versions", ask, by=fails)
            if f"version: {VERSION}" not in refused:
                raise Failure(f"asked for {ask}:\n{refused}")

    def pkg_config_version(self, prefix):
        equal(prefix.pkg_config("--modversion"), [VERSION])

    def program_runs(self, prefix):
        equal(run([prefix.path / "bin/farcall", "--version"]), f"farcall {VERSION}\n")

    def stays_loaded(self, prefix):
        program = self.build / "stays_loaded"
        run(["cc", *WARNINGS, CONSUMER / "stays_loaded.c", "-o", program, "-ldl"])
        equal(run([program, prefix.lib / SONAME]), f"{VERSION}\n")

    def neighbours(self, prefix):
        """In both orders, since a linker takes the first definition that it meets."""
        rust = self.build / "libneighbour.a"
        run(["rustc", "--edition=2024", "--crate-type=staticlib", "-O", CONSUMER / "neighbour.rs", "-o", rust])
        program = self.build / "neighbours"
        for libraries in (["-l:libfarcall.a", "-l:libffi.a", rust], [rust, "-l:libffi.a", "-l:libfarcall.a"]):
            paths = [f"-I{prefix.path}/include", f"-L{prefix.lib}"]
            run(["cc", *WARNINGS, *paths, CONSUMER / "neighbours.c", "-o", program, *libraries, "-lm", "-ldl"])
            equal(run([program]), "1024 libffi\n1024 farcall\n1024 Rust\n")

    def uninstall(self, prefix):
        other = prefix.lib / "libfarcall-not.so"
        other.write_text("of somebody else")
        self.script("uninstall", PREFIX=prefix.path)
        equal(files(prefix.path), {"lib/libfarcall-not.so"})
        self.script("uninstall", PREFIX=prefix.path)

    def not_built(self):
        nowhere = self.build / "nothing-built"
        refused = fails([ROOT / "scripts/install.sh", "install", nowhere], {"PREFIX": str(self.build / "never")})
        if "libfarcall.so has not been built: make build" not in refused:
            raise Failure(refused)
        if (self.build / "never").exists():
            raise Failure("half of it is installed")


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def equal(got, expected):
    if got != expected:
        raise Failure(f"expected: {expected}\ngot:      {got}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--lib-dir", "--header", "--build-dir"):
        parser.add_argument(option, type=Path, required=True)
    report, install = Report(), Install(parser.parse_args())

    def everywhere(where, prefix):
        """What has to hold wherever an installation is."""

        def test(name, function, *arguments):
            report.test(f"{where}: {name}", function, prefix, *arguments)

        test("files", install.has_exactly_these_files)
        test("no folder of the build", install.no_folder_of_the_build)
        for language in LANGUAGES:
            test(f"{language} by hand", install.compiled, prefix.by_hand, language, True)
            test(f"{language} by pkg-config", install.compiled, prefix.pkg_config_shared, language, True)
            test(f"{language} by pkg-config --static", install.compiled, prefix.pkg_config_static, language, False)
        test("CMake", install.cmake, "")

    report.test("licenses of what is linked", lambda: run([ROOT / "scripts/licenses.py", "--check"]))
    report.test("what has not been built", install.not_built)

    first = Prefix(install.build / "prefix")
    report.test("install", install.install, first.path)
    everywhere("prefix", first)
    report.test("prefix: SONAME and nodelete", install.library_is_marked, first)
    report.test("prefix: nothing for debuggers", install.nothing_for_debuggers, first)
    report.test("prefix: the header", install.header_is_the_header, first)
    for library in (SONAME, "libfarcall.a"):
        report.test(f"prefix: {library} exports the header", install.exports_the_header, first, library)
    report.test("prefix: the program", install.program_runs, first)
    report.test("prefix: stays loaded", install.stays_loaded, first)
    report.test("prefix: neighbours of the static library", install.neighbours, first)
    report.test("prefix: pkg-config's version", install.pkg_config_version, first)
    report.test("prefix: CMake's versions", install.cmake_versions, first)
    report.test("prefix: once more", install.install, first.path)

    moved = Prefix(install.build / "elsewhere")
    first.path.rename(moved.path)
    everywhere("moved", moved)
    report.test("moved: uninstall", install.uninstall, moved)

    triplet = run(["cc", "-print-multiarch"]).strip()
    libdir = f"lib/{triplet}" if triplet else "lib64"
    staged = Prefix(install.build / "stage/opt/farcall", libdir)
    settings = {"DESTDIR": install.build / "stage", "LIBDIR": libdir}
    report.test("stage: install", lambda: install.install("/opt/farcall", **settings))
    everywhere("stage", staged)
    report.end()


if __name__ == "__main__":
    main()

"""The command line of nvidia-smi: short options with one dash and several letters, values by blank or by `=`."""

from __future__ import annotations

from dataclasses import dataclass, field

# spelling -> name
FLAGS = {
    "-h": "help", "--help": "help", "--version": "version", "-L": "list", "--list-gpus": "list", "-q": "query",
    "--query": "query", "-r": "reset", "--gpu-reset": "reset",
}  # fmt: skip
VALUES = {
    "-i": "id", "--id": "id", "-d": "display", "--display": "display", "--query-gpu": "query-gpu",
    "--query-compute-apps": "query-compute-apps", "--format": "format", "-mig": "mig", "--multi-instance-gpu": "mig",
    "-pm": "persistence", "--persistence-mode": "persistence", "-lms": "loop-ms",
    "--loop-ms": "loop-ms", "-f": "filename", "--filename": "filename",
}  # fmt: skip
# -l may stand alone and then means five seconds.
OPTIONAL = {"-l": "loop", "--loop": "loop"}
# Options and subcommands of the real program that the lab does not play.
REFUSED_FLAGS = frozenset({
    "-B", "--list-excluded-gpus", "-u", "--unit", "-x", "--xml-format", "--dtd", "-rgc", "--reset-gpu-clocks", "-rac",
    "--reset-applications-clocks", "-rmc", "--reset-memory-clocks", "-caa", "--clear-accounted-apps", "-cac", "-ddt",
    "--debug",
})  # fmt: skip
REFUSED_VALUES = frozenset({
    "-e", "--ecc-config", "-p", "--reset-ecc-errors", "-c", "--compute-mode", "--gom", "-pl", "--power-limit", "-ac",
    "--applications-clocks", "-lgc", "--lock-gpu-clocks", "-lmc", "--lock-memory-clocks", "-am", "--accounting-mode",
    "--query-supported-clocks", "--query-accounted-apps", "--query-retired-pages", "--query-remapped-rows", "-cc",
    "--cuda-clocks", "-gtt", "-vm", "--virt-mode",
})  # fmt: skip
REFUSED_PROGRAMS = frozenset({
    "dmon", "daemon", "replay", "pmon", "stats", "drain", "clocks", "encodersessions", "fbcsessions", "vgpu",
    "boost-slider", "power-hint", "conf-compute", "compute-policy", "power-smoothing", "power-profiles", "gpm", "pci",
    "c2c", "rusd", "prm", "boost",
})  # fmt: skip

MIG_FLAGS = {
    "-h": "help", "--help": "help", "-lgip": "lgip", "--list-gpu-instance-profiles": "lgip", "-lgipp": "lgipp",
    "--list-gpu-instance-possible-placements": "lgipp", "-lgi": "lgi", "--list-gpu-instances": "lgi", "-lcip": "lcip",
    "--list-compute-instance-profiles": "lcip", "-lci": "lci", "--list-compute-instances": "lci", "-dgi": "dgi",
    "--destroy-gpu-instance": "dgi", "-dci": "dci", "--destroy-compute-instance": "dci", "-C": "default-ci",
    "--default-compute-instance": "default-ci",
}  # fmt: skip
MIG_VALUES = {
    "-i": "id", "--id": "id", "-gi": "gi", "--gpu-instance-id": "gi", "-ci": "ci", "--compute-instance-id": "ci",
    "-cgi": "cgi", "--create-gpu-instance": "cgi",
}  # fmt: skip
# -cci may stand alone: then the compute instance fills the GPU instance.
MIG_OPTIONAL = {"-cci": "cci", "--create-compute-instance": "cci"}

INVALID = "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n"


class UsageError(Exception):
    """A line nvidia-smi does not accept: `INVALID`, exit 2."""


class Refused(Exception):
    """Something the real program has and the lab does not play."""


@dataclass
class Options:
    values: dict[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def get(self, name: str) -> str:
        return self.values.get(name, "")


def parse_main(argv: list[str]) -> Options:
    """The options of nvidia-smi itself. Raises UsageError, Refused."""
    return _parse(argv, FLAGS, VALUES, OPTIONAL)


def parse_mig(argv: list[str]) -> Options:
    """The options behind `nvidia-smi mig`."""
    return _parse(argv, MIG_FLAGS, MIG_VALUES, MIG_OPTIONAL)


def _parse(argv: list[str], flags: dict[str, str], valued: dict[str, str], optional: dict[str, str]) -> Options:
    options = Options()
    position = 0
    while position < len(argv):
        word, equals, value = argv[position].partition("=")
        position += 1
        if word in REFUSED_FLAGS or word in REFUSED_VALUES:
            raise Refused(f"nvidia-smi {word}")
        if word in flags and not equals:
            options.values[flags[word]] = ""
            continue
        name = valued.get(word) or optional.get(word)
        if name is None:
            raise UsageError
        if not equals:
            if position < len(argv) and not argv[position].startswith("-"):
                value = argv[position]
                position += 1
            elif word in valued:
                raise UsageError
        options.values[name] = value
    return options

"""The listings of `nvidia-smi mig`: -lgip -lgipp -lgi -lcip -lci. Layout: captures of driver 580 (gpu.md 6.3)."""

from __future__ import annotations

from collections.abc import Sequence

from labsim.commands.nvidia_smi.view import VisibleGpu
from labsim.hardware import h100, mig

Gpus = Sequence[VisibleGpu]


def profiles(gpus: Gpus) -> str:
    """-lgip: every profile, with MIG on or off."""
    head = (
        " GPU instance profiles:",
        " GPU   Name               ID    Instances   Memory     P2P    SM    DEC   ENC  ",
        "                                Free/Total   GiB              CE    JPEG  OFA  ",
    )
    rows = []
    for gpu in gpus:
        for p in h100.PROFILES:
            count = f"{mig.free(gpu.gpu, p)}/{p.max_instances}"
            rows.append(
                (
                    f"{gpu.index:>4}  MIG {p.name:<15}{p.id:>3}     {count:<11}{p.gib:<10} No     {p.sm:<7}"
                    f"{p.decoders}     {p.encoders}   ",
                    f"{p.copy_engines:>64}     {p.jpeg}     {p.ofa}   ",
                )
            )
    return _table(79, head, rows)


def placements(gpus: Gpus) -> str:
    """-lgipp."""
    lines = []
    for gpu in gpus:
        for p in h100.PROFILES:
            starts = ",".join(str(start) for start in p.starts)
            word = "Placements" if len(p.starts) > 1 else "Placement "
            lines.append(f"GPU {gpu.index:>2} Profile ID {p.id:>2} {word}: {{{starts}}}:{p.size}\n")
    return "".join(lines)


def instances(gpus: Gpus, only: frozenset[int] | None = None) -> str:
    """-lgi, by profile in NVML's order. "" when there is none."""
    head = (
        " GPU instances:                                          ",
        " GPU   Name               Profile  Instance   Placement  ",
        "                            ID       ID       Start:Size ",
    )
    rows = []
    for gpu in gpus:
        for gi in mig.walk(gpu.gpu):
            if only is None or gi["giId"] in only:
                p = mig.profile_of(gi)
                place = f"{gi['start']}:{gi['size']}"
                rows.append((f"{gpu.index:>4}  MIG {p.name:<17}{p.id:>3}{gi['giId']:>9}{place:>13}     ",))
    return _table(57, head, rows) if rows else ""


def compute_instances(gpus: Gpus, only: frozenset[int] | None = None) -> str:
    """-lci. "" when there is none."""
    head = (
        " Compute instances:                                                 ",
        " GPU     GPU       Name             Profile   Instance   Placement  ",
        "       Instance                       ID        ID       Start:Size ",
        "         ID                                                         ",
    )
    rows = []
    for gpu in gpus:
        for gi in mig.walk(gpu.gpu):
            if only is not None and gi["giId"] not in only:
                continue
            for compute in sorted(gi["compute"], key=lambda c: (c["profileId"], c["ciId"])):
                ci = h100.CI_BY_ID[compute["profileId"]]
                name = h100.ci_name(mig.profile_of(gi), ci, plain=True)
                place = f"{compute['start']}:{ci.cores}"
                ids = f"{ci.id:>2}{compute['ciId']:>10}"
                rows.append((f"{gpu.index:>4}{gi['giId']:>7}       MIG {name:<16}{ids}{place:>13}     ",))
    return _table(68, head, rows) if rows else ""


def compute_profiles(gpus: Gpus, only: frozenset[int] | None = None) -> str:
    """-lcip: what each GPU instance could hold. "" when there is no GPU instance."""
    head = (
        " Compute instance profiles:                                                           ",
        " GPU     GPU       Name             Profile  Instances   Exclusive       Shared       ",
        "       Instance                       ID     Free/Total     SM       DEC   ENC   OFA  ",
        "         ID                                                          CE    JPEG       ",
    )
    rows = []
    for gpu in gpus:
        for gi in mig.walk(gpu.gpu):
            if only is not None and gi["giId"] not in only:
                continue
            p = mig.profile_of(gi)
            for ci in h100.CI_PROFILES:
                most = h100.CI_MAX[p.g].get(ci.id)
                if most is None:
                    continue
                star = "*" if ci.cores == p.g else " "
                name = h100.ci_name(p, ci, plain=True)
                count = f"{mig.ci_free(gi, ci)}/{most}"
                rows.append(
                    (
                        f"{gpu.index:>4}{gi['giId']:>7}       MIG {name:<16}{ci.id:>2}{star}     {count:<6}"
                        f"{h100.ci_multiprocessors(p, ci):>10}{p.decoders:>9}{p.encoders:>6}{p.ofa:>6}   ",
                        f"{p.copy_engines:>71}{p.jpeg:>6}         ",
                    )
                )
    return _table(86, head, rows) if rows else ""


def _table(width: int, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    rule = "+" + "-" * width + "+"
    lines = [rule, *(f"|{text:<{width}}|" for text in head), "|" + "=" * width + "|"]
    for row in rows:
        lines += [f"|{text:<{width}}|" for text in row]
        lines.append(rule)
    return "".join(line + "\n" for line in lines)

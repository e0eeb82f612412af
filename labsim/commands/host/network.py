"""ip and ping: the in-band interface of a host and who answers on it. The rails are not here.

Addresses come from the machines and pods. The prefix length, the gateway and hardware addresses are [U].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from labsim.commands.base import Context
from labsim.commands.host import site as sites
from labsim.commands.host.site import ADMIN_ADDRESS, Site
from labsim.commands.host.sleep import seconds
from labsim.commands.host.words import Usage, parse, unplayed
from labsim.commands.notsimulated import not_simulated
from labsim.hardware.machine import RESOURCE
from labsim.kube.objects import get_in, name_of, namespace_of
from labsim.kubelet.power import up
from labsim.sim import names

_PREFIX, _NETWORK, _BROADCAST, _GATEWAY = 16, "10.141.0.0/16", "10.141.255.255", "10.141.0.1"
_NODE_INTERFACE, _ADMIN_INTERFACE = "bond0", "ens3"  # rails.md 4: the second ports of the storage cards are bond0
_OBJECTS = ("neigh", "neighbour", "n", "rule", "netns", "maddress", "tunnel", "monitor", "help", "vrf", "xfrm")
_NOTE = "labsim: ip shows only the loopback and the in-band interface here\n"


class Interface(NamedTuple):
    name: str
    flags: str
    mtu: int
    queue: str
    state: str
    kind: str  # loopback or ether
    mac: str
    address: str
    prefix: int
    broadcast: str
    peer: str = ""  # `eth0@if12` shows what is behind the @


def interfaces(where: Site, host: str) -> list[Interface]:
    loop = Interface(
        "lo", "LOOPBACK,UP,LOWER_UP", 65536, "noqueue", "UNKNOWN", "loopback", "00:00:00:00:00:00", "127.0.0.1", 8, ""
    )
    pod = _pod(where)
    if pod is not None and not get_in(pod, "spec", "hostNetwork", default=False):
        address = str(get_in(pod, "status", "podIP", default=""))
        mac, link = _mac(name_of(pod)), f"if{names.number(0, 5, 99, 'veth', name_of(pod))}"
        flags = "BROADCAST,MULTICAST,UP,LOWER_UP"
        return [loop, Interface("eth0", flags, 1480, "noqueue", "UP", "ether", mac, address, 32, "", link)]
    if where.machine is None:
        flags = "BROADCAST,MULTICAST,UP,LOWER_UP"
        own = Interface(
            _ADMIN_INTERFACE, flags, 1500, "fq_codel", "UP", "ether", _mac(host), ADMIN_ADDRESS, _PREFIX, _BROADCAST
        )
        return [loop, own]
    flags, address = "BROADCAST,MULTICAST,MASTER,UP,LOWER_UP", str(where.machine["spec"].get("address", ""))
    name = _NODE_INTERFACE
    mac = _mac(where.node)
    return [loop, Interface(name, flags, 1500, "noqueue", "UP", "ether", mac, address, _PREFIX, _BROADCAST)]


def _pod(where: Site) -> dict[str, object] | None:
    if where.container is None or where.client is None:
        return None
    return where.client.find("pods", str(where.container["spec"]["pod"]), namespace_of(where.container))


def _mac(what: str) -> str:
    """A locally administered address."""
    raw = names.digest(0, "mac", what)[:5]
    return ":".join(["02", *(f"{byte:02x}" for byte in raw)])


# -- ip ----------------------------------------------------------------------------------------------------------------


def ip(ctx: Context) -> int:
    words, brief = list(ctx.args), False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("-br", "-brief"):
            brief = True
        elif option != "-4":  # only IPv4 is kept
            return not_simulated(ctx, f"ip {option}")
    if not words:
        ctx.err("Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\n       ip [ -force ] -batch filename\n")
        return 255
    thing, *rest = words
    kind = next((name for name in ("address", "link", "route") if name.startswith(thing)), "")
    if thing in ("a", "addr"):
        kind = "address"
    if not kind:
        if thing in _OBJECTS:
            return not_simulated(ctx, f"ip {thing}")
        ctx.err(f'Object "{thing}" is unknown, try "ip help".\n')
        return 1
    if rest and rest[0] in ("show", "list", "ls", "sh", "s"):
        rest.pop(0)
        wanted = [word for word in rest if word != "dev"]
    else:
        wanted = rest
        if rest:
            return not_simulated(ctx, f"ip {thing} {rest[0]}")
    if len(wanted) > 1 or (kind == "route" and wanted):
        return not_simulated(ctx, f"ip {thing} {' '.join(wanted)}")
    where = sites.find(ctx)
    have = interfaces(where, ctx.host)
    if kind == "route":
        ctx.out(_routes(have[1]))
    else:
        chosen = [one for one in have if not wanted or one.name == wanted[0]]
        if not chosen:
            ctx.err(f'Device "{wanted[0]}" does not exist.\n')
            return 1
        for one in chosen:
            ctx.out((_brief if brief else _long)(one, have.index(one) + 1, kind == "address"))
    if where.machine is not None and where.container is None:
        ctx.err(_NOTE)
    return 0


def _routes(own: Interface) -> str:
    if own.prefix == 32:  # Calico's: the gateway is any address that the host answers for
        return f"default via 169.254.1.1 dev {own.name} \n169.254.1.1 dev {own.name} scope link \n"
    gateway = f"default via {_GATEWAY} dev {own.name} proto static \n"
    return gateway + f"{_NETWORK} dev {own.name} proto kernel scope link src {own.address} \n"


def _brief(one: Interface, _: int, addresses: bool) -> str:
    name = one.name + (f"@{one.peer}" if one.peer else "")
    what = f"{one.address}/{one.prefix} " if addresses else f"{one.mac} <{one.flags}> "
    return f"{name:<16} {one.state:<14} {what}\n"


def _long(one: Interface, number: int, addresses: bool) -> str:
    name = one.name + (f"@{one.peer}" if one.peer else "")
    mode = "" if addresses else "mode DEFAULT "
    peer = " link-netnsid 0" if one.peer else ""
    text = f"{number}: {name}: <{one.flags}> mtu {one.mtu} qdisc {one.queue} state {one.state} {mode}group default"
    everybody = "00:00:00:00:00:00" if one.kind == "loopback" else "ff:ff:ff:ff:ff:ff"
    text += f" qlen 1000\n    link/{one.kind} {one.mac} brd {everybody}{peer}\n"
    if addresses:
        broadcast = f" brd {one.broadcast}" if one.broadcast else ""
        scope = "host" if one.kind == "loopback" else "global"
        text += f"    inet {one.address}/{one.prefix}{broadcast} scope {scope} {one.name}\n"
        text += "       valid_lft forever preferred_lft forever\n"
    return text


# -- ping --------------------------------------------------------------------------------------------------------------


def resolve(ctx: Context, name: str) -> tuple[str, bool] | None:
    """(address, does it answer) of a name or an address; None for a name nobody knows."""
    where = sites.find(ctx)
    if name in ("localhost", ctx.host):
        return ("127.0.0.1" if name == "localhost" else interfaces(where, ctx.host)[1].address), True
    if where.client is None:
        return None
    for machine in where.client.list(RESOURCE):
        if name in (name_of(machine), machine["spec"].get("address")):
            return str(machine["spec"].get("address", "")), up(machine)
    if name == "kadmin":
        return ADMIN_ADDRESS, True
    if not re.fullmatch(r"(\d{1,3}\.){3}\d{1,3}", name) or any(int(part) > 255 for part in name.split(".")):
        return None
    ours = {ADMIN_ADDRESS, *(one.address for one in interfaces(where, ctx.host))}
    running = [pod for pod in where.client.list("pods") if get_in(pod, "status", "phase") == "Running"]
    pods = {get_in(pod, "status", "podIP") for pod in running}
    endpoints = where.client.find("endpoints", "kubernetes", "default")
    api = {
        address["ip"]
        for part in get_in(endpoints, "subsets", default=())
        for address in get_in(part, "addresses", default=())
    }
    return name, name in ours | pods | api or name.startswith("127.")


def ping(ctx: Context) -> int:
    try:
        found = parse(ctx.name, ctx.args, "46c:i:W:w:qns:DfI:t:vUaAbBdLORrV")
    except Usage as error:
        ctx.err(str(error).split("\n")[0] + "\n\nUsage\n  ping [options] <destination>\n")
        return 2
    refused = unplayed(found, ("4", "c", "i", "W", "q", "n"))
    if refused:
        return not_simulated(ctx, f"ping {refused}")
    if not found.rest:
        ctx.err("ping: usage error: Destination address required\n")
        return 1
    count, patience = found.options.get("c", "0"), found.options.get("W", "10")
    interval = seconds(found.options.get("i", "1"))
    if not count.isdigit() or ("c" in found and not int(count)):
        ctx.err(f"ping: invalid argument: '{count}': out of range: 1 <= value <= 9223372036854775807\n")
        return 1
    if interval is None or seconds(patience) is None:
        ctx.err(f"ping: bad timing interval: {found.options.get('i', patience)}\n")
        return 1
    name = found.rest[-1]
    target = resolve(ctx, name)
    if target is None:
        ctx.err(f"ping: {name}: Name or service not known\n")
        return 2
    wait = round((seconds(patience) or 0) * 1000)
    quiet, numbers = "q" in found, "n" in found
    return _ping(ctx, name, target[0], int(count), (round(interval * 1000), wait), quiet, numbers)


def _ping(ctx: Context, name: str, address: str, count: int, waits: tuple[int, int], quiet: bool, numbers: bool) -> int:
    """`waits` in ms: between two packets, and for the answer to the last one."""
    interval, patience = waits
    who = address if numbers or name == address else f"{name} ({address})"
    ctx.emit(f"PING {name} ({address}) 56(84) bytes of data.\n")
    sent = 0
    times: list[int] = []
    while not count or sent < count:
        sent += 1
        answers = resolve(ctx, name)
        if answers is not None and answers[1]:
            micro = ctx.services.number(f"ping {name} {sent}", 120, 320)  # of a quiet local network [U]
            times.append(micro)
            if not quiet:
                ctx.emit(f"64 bytes from {who}: icmp_seq={sent} ttl=64 time={micro / 1000:.3f} ms\n")
        if not count or sent < count:
            ctx.advance(timeout_ms=interval)
    if len(times) < sent:
        ctx.advance(timeout_ms=patience)  # for the answer that does not come
    lost = (sent - len(times)) * 100 // sent
    ctx.out(f"\n--- {name} ping statistics ---\n")
    spent = sent * interval - interval
    ctx.out(f"{sent} packets transmitted, {len(times)} received, {lost}% packet loss, time {spent}ms\n")
    if times:
        ctx.out(f"rtt min/avg/max/mdev = {_statistics(times)} ms\n")
    else:
        ctx.out("\n")
    return 0 if times else 1


def _statistics(times: Sequence[int]) -> str:
    mean = sum(times) / len(times)
    spread = (sum(t * t for t in times) / len(times) - mean * mean) ** 0.5 if len(times) > 1 else 0.0
    return "/".join(f"{value / 1000:.3f}" for value in (min(times), mean, max(times), spread))

"""What images have inside: their programs and /etc/os-release, by the name of the image.

Sources: the Dockerfiles of NVIDIA/k8s-device-plugin, mig-parted and nvidia-container-toolkit (distroless/go with a
static BusyBox in /busybox and /bin/sh), kubernetes/pause, coredns, metrics-server (distroless, no shell), the Docker
Hub pages of the others. Guesses [U]: point releases of the distributions, Debian 12 for images that are not listed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUSYBOX = frozenset(
    """ash awk base64 basename bc bunzip2 bzcat bzip2 cat chgrp chmod chown chroot cksum clear cmp comm cp cut date dd
    df diff dirname dmesg du echo egrep env expand expr factor false fgrep find flock fold free fsck fuser
    getconf grep groups gunzip gzip head hexdump hostid hostname id ifconfig install ip kill less link ln ls
    lsmod lsof md5sum mkdir mkfifo mktemp modprobe more mount mv nc netstat nice nl nohup nproc nslookup od
    passwd paste pgrep ping pkill printenv printf ps pwd readlink realpath rev rm rmdir rmmod route sed seq sh
    sha1sum sha256sum sha512sum shuf sleep sort split stat strings su sum sync tac tail tar tee telnet test
    timeout top touch tr traceroute tree true truncate tty umount uname unexpand uniq unlink unzip uptime users
    vi watch wc wget which who whoami xargs xxd yes zcat""".split()
)
_DEBIAN = frozenset(
    """apt apt-cache apt-get arch awk b2sum base32 base64 basename basenc bash blkid cat chgrp chmod chown chpasswd
    chroot cksum clear cmp comm cp cut date dd df diff dir dirname dmesg dpkg du echo egrep env expand expr
    factor false fgrep find findmnt flock fmt fold fsck getconf grep groupadd groups gunzip gzip head hostid
    hostname iconv id install join kill link ln locale logname ls lscpu mawk md5sum mkdir mkfifo mkfs mktemp
    more mount mv nice nl nohup nproc numfmt od passwd paste perl pr printenv printf pwd readlink realpath rev
    rm rmdir sed seq sh sha1sum sha224sum sha256sum sha384sum sha512sum shuf sleep sort split stat su sum
    swapoff swapon sync tac tail tar tee test timeout touch tr true truncate tsort tty umount uname unexpand
    uniq unlink useradd userdel usermod wc whoami xargs yes zcat""".split()
)
_UBUNTU = _DEBIAN | frozenset("free pgrep pkill ps top uptime w watch".split())
_UBI = (_UBUNTU - frozenset("apt apt-cache apt-get dpkg mawk perl".split())) | frozenset("curl dnf gawk rpm".split())
_FRAMEWORK = _UBUNTU | frozenset(
    """cmake curl g++ gcc git jq less make mpiexec mpirun nano ncu nsys nvcc pip pip3 python python3 ssh tree unzip vi
    vim wget""".split()
)
_CODENAMES = {
    "20.04": ("20.04.6", "Focal Fossa"),
    "22.04": ("22.04.5", "Jammy Jellyfish"),
    "24.04": ("24.04.3", "Noble Numbat"),
}
_OWN = {"nginx": ("curl", "nginx"), "python": ("python3", "python", "pip", "pip3"), "golang": ("go", "git")}
_DEBIANS = {"11": "bullseye", "12": "bookworm", "13": "trixie"}


@dataclass(frozen=True)
class Image:
    """`programs`: everything in its PATH (that kubectl could run). `release`: /etc/os-release, '' if it has none."""

    programs: frozenset[str]
    release: str = ""

    @property
    def busybox(self) -> bool:
        return "ash" in self.programs


def look(image: str) -> Image:
    """What an image has, by its reference `name:tag`."""
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    if image.startswith("nvcr.io/nvidia/k8s-device-plugin") or name in (
        "container-toolkit", "gpu-operator", "k8s-driver-manager", "k8s-mig-manager"
    ):  # fmt: skip
        tools = {"k8s-mig-manager": ("nvidia-mig-parted", "nvidia-ctk"), "container-toolkit": ("nvidia-ctk",)}
        return Image(_BUSYBOX.union(tools.get(name, ())), _DISTROLESS)
    if name in ("pause", "coredns", "kube-proxy", "metrics-server", "node-feature-discovery", "hello-world") or (
        "distroless" in image or name == "kube-controllers"
    ):
        return Image(frozenset(), _DISTROLESS)
    if name == "busybox":
        return Image(_BUSYBOX)
    if name in ("alpine", "netshoot") or "alpine" in tag or name == "curl":
        more = ("bash", "curl", "jq", "vim") if name == "netshoot" else ("curl",) if name == "curl" else ()
        return Image(_BUSYBOX.union(("apk",), more), _alpine(tag if name == "alpine" else ""))
    if ("ubi" in tag and "ubuntu" not in tag) or (name == "node" and "calico" in image):
        return Image(_UBI, _UBI_RELEASE)
    if name in ("pytorch", "tensorflow", "tritonserver", "nemo"):
        return Image(_FRAMEWORK, _ubuntu("24.04" if tag >= "24.10" else "22.04"))
    found = re.search(r"ubuntu(\d\d\.?\d\d)", tag)
    if name == "ubuntu" or found:
        version = found[1] if found else {"jammy": "22.04", "focal": "20.04"}.get(tag, tag)
        return Image(_UBUNTU, _ubuntu(version if "." in version else f"{version[:2]}.{version[2:]}"))
    own = _OWN.get(name, ())
    versions = [v for v, code in _DEBIANS.items() if code in tag or tag.startswith(v)] if name == "debian" else []
    return Image(_DEBIAN.union(own), _debian(versions[0] if versions else "12"))


def _ubuntu(version: str) -> str:
    version = version if version in _CODENAMES else "24.04"
    point, title = _CODENAMES[version]
    code = title.split()[0].lower()
    return (
        f'PRETTY_NAME="Ubuntu {point} LTS"\nNAME="Ubuntu"\nVERSION_ID="{version}"\nVERSION="{point} LTS ({title})"\n'
        f'VERSION_CODENAME={code}\nID=ubuntu\nID_LIKE=debian\nHOME_URL="https://www.ubuntu.com/"\n'
        'SUPPORT_URL="https://help.ubuntu.com/"\nBUG_REPORT_URL="https://bugs.launchpad.net/ubuntu/"\n'
        'PRIVACY_POLICY_URL="https://www.ubuntu.com/legal/terms-and-policies/privacy-policy"\n'
        f"UBUNTU_CODENAME={code}\n" + ("LOGO=ubuntu-logo\n" if version == "24.04" else "")
    )


def _debian(version: str) -> str:
    code = _DEBIANS[version]
    return (
        f'PRETTY_NAME="Debian GNU/Linux {version} ({code})"\nNAME="Debian GNU/Linux"\nVERSION_ID="{version}"\n'
        f'VERSION="{version} ({code})"\nVERSION_CODENAME={code}\nID=debian\nHOME_URL="https://www.debian.org/"\n'
        'SUPPORT_URL="https://www.debian.org/support"\nBUG_REPORT_URL="https://bugs.debian.org/"\n'
    )


def _alpine(tag: str) -> str:
    found = re.match(r"3\.\d+(\.\d+)?", tag)
    version = found[0] if found else "3.22"
    point = version if version.count(".") == 2 else f"{version}.0"
    return (
        f'NAME="Alpine Linux"\nID=alpine\nVERSION_ID={point}\nPRETTY_NAME="Alpine Linux v{point.rpartition(".")[0]}"\n'
        'HOME_URL="https://alpinelinux.org/"\nBUG_REPORT_URL="https://gitlab.alpinelinux.org/alpine/aports/-/issues"\n'
    )


_UBI_RELEASE = (
    'NAME="Red Hat Enterprise Linux"\nVERSION="9.6 (Plow)"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.6"\n'
    'PLATFORM_ID="platform:el9"\nPRETTY_NAME="Red Hat Enterprise Linux 9.6 (Plow)"\nANSI_COLOR="0;31"\n'
    'LOGO="fedora-logo-icon"\nCPE_NAME="cpe:/o:redhat:enterprise_linux:9::baseos"\nHOME_URL="https://www.redhat.com/"\n'
)
_DISTROLESS = (
    'PRETTY_NAME="Distroless"\nNAME="Debian GNU/Linux"\nID="debian"\nVERSION_ID="12"\n'
    'VERSION="Debian GNU/Linux 12 (bookworm)"\nHOME_URL="https://github.com/GoogleContainerTools/distroless"\n'
)

"""The one text for what exists in reality and is not played here. Saying so is better than a false answer."""

from __future__ import annotations

from labsim.commands.base import Context

# Programs found on a DGX OS (Ubuntu) admin host which the lab does not play. Anything else is "command not found".
_NAMES = """
    runai runai-adm helm k9s tmux screen top htop python3 python pip pip3 apt apt-get apt-cache dpkg snap docker podman
    nerdctl crictl ctr containerd kubeadm kubelet kustomize kubectx kubens stern etcdctl calicoctl cilium istioctl
    git make gcc g++ cmake go node npm cargo java perl ruby ssh-keygen ssh-copy-id ssh-agent ssh-add sftp rsync wget nc
    ncat socat telnet nslookup dig host traceroute tracepath mtr tcpdump nmap ethtool iptables nft ip6tables ss netstat
    ifconfig route arp brctl bridge tc lsusb modprobe rmmod insmod depmod dmidecode lshw hwinfo
    ipmitool nvsm dcgmi nvidia-debugdump nvidia-bug-report.sh nvidia-modprobe nvidia-persistenced nvidia-ctk
    nvidia-container-cli nv-hostengine nvcc cuda-gdb nsys ncu ibstat ibstatus ibv_devinfo ibv_devices ibping iblinkinfo
    ibdiagnet ibnetdiscover mlxconfig mlxlink mst mlxup show_gids rdma ib_write_bw ib_read_bw perfquery opensm
    mpirun mpiexec mount umount fdisk parted mkfs mkfs.ext4 fsck lvs vgs pvs mdadm smartctl nvme blkid findmnt swapon
    swapoff
    useradd usermod userdel groupadd passwd chpasswd visudo su crontab at systemd-analyze loginctl timedatectl
    resolvectl networkctl netplan ufw update-grub poweroff halt init telinit numactl
    strace ltrace gdb perf lsof fuser iostat vmstat mpstat sar pidstat iotop nload iftop emacs ed ne jed
    ansible ansible-playbook terraform vault aws gcloud az openssl gpg
    hostid getconf who w last service curl scp help enable
    bind times
"""
PROGRAMS: frozenset[str] = frozenset(_NAMES.split())


def not_simulated(ctx: Context, what: str = "") -> int:
    """Print the text for `what` (default: the program itself) to stderr; the exit code is 1."""
    ctx.err(f"labsim: {what or ctx.name} is not simulated here\n")
    return 1


def main(ctx: Context) -> int:
    return not_simulated(ctx)

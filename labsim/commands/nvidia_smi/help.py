"""`nvidia-smi -h`, in short: what the lab's nvidia-smi can do."""

MAIN = """NVIDIA System Management Interface -- v{version}

nvidia-smi [OPTION1 [ARG1]] [OPTION2 [ARG2]] ...

    -h,   --help                  Print usage information and exit.
          --version               Print version information and exit.

  LIST OPTIONS:

    -L,   --list-gpus             List the GPUs and their MIG devices.

  SUMMARY OPTIONS:

    <no arguments>                The table of GPUs, MIG devices and processes.
    -i,   --id=                   Only these GPUs: index, UUID, serial or bus id, by commas.
    -l,   --loop=                 Repeat every so many seconds until Ctrl+C.
    -lms, --loop-ms=              Repeat every so many milliseconds until Ctrl+C.
    -f,   --filename=             Write to a file instead of standard output.

  QUERY OPTIONS:

    -q,   --query                 All attributes of the GPUs.
    -d,   --display=              With -q only these sections, by commas: MEMORY, UTILIZATION, ECC, TEMPERATURE,
                                  POWER, CLOCK, COMPUTE, PIDS, PERFORMANCE, SUPPORTED_CLOCKS, PAGE_RETIREMENT,
                                  ACCOUNTING, ENCODER_STATS, FBC_STATS, ROW_REMAPPER.

  SELECTIVE QUERY OPTIONS:

          --query-gpu=            Fields of the GPUs, by commas.
          --query-compute-apps=   Fields of the processes, by commas.
          --format=               csv, with noheader and nounits (mandatory).

  DEVICE MODIFICATION OPTIONS:

    -mig, --multi-instance-gpu=   MIG mode: 0/DISABLED, 1/ENABLED.
    -pm,  --persistence-mode=     Persistence mode: 0/DISABLED, 1/ENABLED.
    -r,   --gpu-reset             Reset the GPU.

  SUBCOMMANDS:

    mig                           GPU and compute instances. "nvidia-smi mig -h" for more.
    topo -m                       The topology matrix.
    nvlink -s                     The state of the NVLink links.
"""

MIG = """    mig -- Multi Instance GPU management.

    Usage: nvidia-smi mig [options]

    Options include:
    [-h | --help]: Display help information.
    [-i | --id]: Index, UUID, serial or bus id of the GPUs, by commas.
    [-gi | --gpu-instance-id]: GPU instance IDs, by commas.
    [-ci | --compute-instance-id]: Compute instance IDs, by commas.
    [-lgip | --list-gpu-instance-profiles]: List the GPU instance profiles.
    [-lgipp | --list-gpu-instance-possible-placements]: List where each profile can be placed.
    [-C | --default-compute-instance]: With -cgi, also create the compute instance that fills it.
    [-cgi | --create-gpu-instance]: Create GPU instances: profile names or IDs, by commas, each perhaps with :start.
    [-dgi | --destroy-gpu-instance]: Destroy GPU instances.
    [-lgi | --list-gpu-instances]: List the GPU instances.
    [-lcip | --list-compute-instance-profiles]: List the compute instance profiles of each GPU instance.
    [-cci | --create-compute-instance]: Create compute instances: profile names or IDs, by commas.
    [-dci | --destroy-compute-instance]: Destroy compute instances.
    [-lci | --list-compute-instances]: List the compute instances.
"""

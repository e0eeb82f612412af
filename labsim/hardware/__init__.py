"""What is bolted in: GPUs and their MIG geometry, the node's topology. Pure functions over the Machine
object; no clock, no client (only `usage.py` looks at the running containers)."""

"""The GPU Operator and the programs it deploys."""

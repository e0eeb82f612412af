"""The Kubernetes API of the simulated cluster, and the dialects its clients speak."""

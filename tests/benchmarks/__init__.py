"""The budgets of design.md 9, measured: `python -m tests.benchmarks`."""

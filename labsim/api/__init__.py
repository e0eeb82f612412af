"""A lab as a Kubernetes REST API on loopback (`labsim.api.server.start`). Only this package knows asyncio."""

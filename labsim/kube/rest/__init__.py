"""The REST form of the API server: paths, bodies and media types of requests that write. No sockets and no threads."""

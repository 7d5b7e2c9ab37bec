"""What is sent to a provider's API and read from it, and the connections to its server."""

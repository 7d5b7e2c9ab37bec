"""To see what a run does: spans for OpenTelemetry, a log of calls, and an account of costs."""

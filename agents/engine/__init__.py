"""Ask a model: build requests, check and repair answers, keep limits, count costs."""

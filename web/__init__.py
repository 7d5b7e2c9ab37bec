"""dxjudge as a service: mapping, codes and judging over HTTP, FHIR and MCP."""

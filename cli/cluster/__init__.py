"""Jobs on many machines: `--cluster` of the commands, on Ray Data."""

"""The command line: one file for each command, and the options that commands share."""

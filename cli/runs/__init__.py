"""The runners: what each command does after its options are read."""

"""The pages of `dxjudge view`, driven in a real browser over real evaluations."""

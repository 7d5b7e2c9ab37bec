"""Use the steps in other frameworks, and test a judge node against the contract."""

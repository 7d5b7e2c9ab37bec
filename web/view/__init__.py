"""The routes of `dxjudge view`: finished and unfinished evaluations as pages."""

"""Bytes, rows in and rows out, and the folders that dxjudge keeps: one place for every command."""

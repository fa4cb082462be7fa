"""Runs every task on every tool, in turns, and writes the results as tables."""

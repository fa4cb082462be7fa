"""The topics that are measured: each module has its sides, and functions that return the jobs that compare them."""

"""A long run of everything at once, judged by the checker: `python -m soak --minutes 10`."""

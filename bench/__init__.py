"""Measurements of Switchboard beside bare stand-ins: what it costs, as ratios within one run.

`python -m bench [name ...] [--quick]`. Absolute figures belong to the machine and the minute; ratios travel better.
"""

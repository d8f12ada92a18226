"""The contract between server, browser and workers: payloads, errors, filters, envelopes and their strict decoder.

Standard library only: the same files run on the server and in the tab.
"""

"""`python -m e2e.screenshots`: a picture of every page in three looks, on made-up data at a fixed time."""

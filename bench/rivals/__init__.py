"""Other systems of this kind, measured in the same run. Nothing of theirs is a dependency of ours."""

"""Each component in each of its states, on the pages under /dev/gallery of a server in development."""

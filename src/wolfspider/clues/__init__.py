"""What can be known about a link before it is followed, and kept while it waits."""

"""Speed and quality, one command each; speed is printed as one JSON object per line."""

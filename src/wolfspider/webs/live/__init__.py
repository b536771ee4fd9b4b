"""The live web: fetching politely from strangers, and surviving what they send."""

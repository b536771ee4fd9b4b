"""Where pages come from: live, recorded, generated or changing."""

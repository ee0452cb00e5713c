"""What becomes of findings: confirmed, replayed, reduced, grouped, exported."""

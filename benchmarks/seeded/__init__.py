"""Seeded faults: what they are, how they are put into a target, and how a hunt is scored."""

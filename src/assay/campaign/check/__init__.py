"""One model on several targets."""

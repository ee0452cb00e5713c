"""Running trials: targets that started, and whoever owns their processes."""

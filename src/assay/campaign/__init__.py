"""The only place that connects the stages."""

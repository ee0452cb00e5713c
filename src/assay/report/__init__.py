"""Handlers of events and renderers of what is stored: everything a user sees."""

"""Alembic migrations. A change of the schema is one new file in ``versions``."""

"""Alembic runs this file to migrate the connection that ``assay.store.migrate`` gives it."""

from alembic import context

from assay.store.schema import metadata

# render_as_batch: SQLite cannot alter most of a table, so Alembic rebuilds it.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()

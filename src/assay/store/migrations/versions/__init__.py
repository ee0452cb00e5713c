"""One file per schema version, numbered; ``assay.store.schema.SCHEMA_VERSION`` is the last."""

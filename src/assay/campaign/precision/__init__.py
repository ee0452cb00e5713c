"""How wrong an operator can get: searched, measured, recorded."""

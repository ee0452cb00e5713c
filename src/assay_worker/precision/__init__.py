"""How far an operator is from the truth: formats, errors, and many inputs of one call at once."""

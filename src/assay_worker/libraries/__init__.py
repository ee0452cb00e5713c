"""How the calls of each library are made."""

"""What an installed library can be asked: calls that were seen to work, as a snapshot."""

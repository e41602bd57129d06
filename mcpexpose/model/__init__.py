"""The vocabulary that all rooms share. Imports nothing of ours but itself; nothing here reads a file or a clock."""

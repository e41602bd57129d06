"""What an agent host uses: a loaded plan and its sessions. Knows no config, catalog or compiler."""

from __future__ import annotations

"""Rules on allow, deny, approval, groups and packs."""

"""Bridges to other packages, imported by name: `enes.integrations.optuna`, `enes.integrations.ray`."""

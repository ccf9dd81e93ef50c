"""The papers' tables, one module per paper."""

"""Other profilers, turned into call graphs."""

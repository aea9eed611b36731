"""RLlib."""

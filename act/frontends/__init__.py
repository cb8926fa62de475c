"""Models in other forms -> HLO modules.  What is imported here needs the extra `[jax]`; nothing else does."""

"""The rules of King as numba kernels over one NumPy record a game; knows nothing of reinforcement learning."""

"""Write a trained policy to a file that plays without torch: `python scripts/export.py runs/release/last.pt`."""

import sys

from baselines.ppo.export import main

if __name__ == "__main__":
    sys.exit(main())

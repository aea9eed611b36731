"""Train an agent: `python scripts/train.py configs/ppo/quick.toml`."""

import sys

from baselines.ppo.ppo import main

if __name__ == "__main__":
    sys.exit(main())

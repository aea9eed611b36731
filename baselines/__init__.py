"""Training recipes, run from a checkout: they build on `king_env`, which never imports them."""

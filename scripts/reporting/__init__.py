"""Reports as pages: `scripts/evaluate.py --report report.html`."""

"""Commands, one module each; they import what they need when they run."""

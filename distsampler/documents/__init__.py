"""Text for people: blocks that are shown on a terminal or written as Markdown, and generated parts."""

"""report.html: one file that works offline. The first screen is written here; cases are data in the file, drawn by its script."""

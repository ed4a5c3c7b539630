"""What people are to label and what they labelled: the draw, blind sheets, the session in the terminal, labels.jsonl."""

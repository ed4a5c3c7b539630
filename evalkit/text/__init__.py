"""Pure functions on text that scoring, judging and validation share: normal forms, tokens, sentences, numbers, citations."""

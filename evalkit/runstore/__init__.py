"""Writing and reading run folders: manifest, verdicts, failures, report; atomically, and verified on the way back."""

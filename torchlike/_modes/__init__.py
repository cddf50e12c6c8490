"""What takes operations over from the recorder."""

"""Loaders: epochs of decoded batches, read ahead by threads."""

"""The measured topics: each has its sides, and rows(), which compares them."""

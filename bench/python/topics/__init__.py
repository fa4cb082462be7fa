"""What is measured: each topic has its sides, and rows(), which compares them."""

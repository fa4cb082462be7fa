"""What the adapters to query engines share: conditions pushed into SQL, and columns as Arrow."""

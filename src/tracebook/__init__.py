"""Run the programs a book shows, and keep the traces beside them true."""

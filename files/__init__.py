"""Read and write bytes and tables for every command, and find the folders that dxjudge keeps."""

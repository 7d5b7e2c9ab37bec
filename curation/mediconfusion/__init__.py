"""Make the data of MediConfusion: image pairs that models confuse, and questions about them."""

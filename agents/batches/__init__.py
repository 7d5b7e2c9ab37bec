"""Ask through providers' batches: at a lower price, with answers within a day."""

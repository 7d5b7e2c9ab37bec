"""How a model is called: requests, checks, repairs, limits, prices."""

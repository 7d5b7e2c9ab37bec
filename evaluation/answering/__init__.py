"""Ask models under test about cases, and write their responses as `evaluate` reads them."""

"""How far raters agree: coefficients, correlations, preferences and distances."""

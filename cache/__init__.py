"""Keep the replies of models, so that the same question is asked and paid for once."""

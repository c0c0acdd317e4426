"""Who writes the answer: the rules alone, or a language model whose every sentence is checked against the facts."""

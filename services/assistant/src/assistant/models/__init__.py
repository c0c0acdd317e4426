"""Writers of the answer: the rules, or a language model whose sentences are checked against the facts."""

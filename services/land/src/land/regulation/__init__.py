"""The written regulation of a plan: its pages, the chapter of a zone, and the rules that the chapter states.

A document becomes pages of lines (`opening`, `pdf`, `structured`). `chapters` selects the lines of a zone, `passages`
splits them into sentences with their heading, sector and introduction, and `rules` reads a sentence. `settling`
compares the rules of a zone, `states` says why a subject has none, and `reading` puts the answer of a zone together.
The words that plans use stand in `patterns.toml`, a table for each module.
Nothing here uses the store or the network.
"""

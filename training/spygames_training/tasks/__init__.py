"""Many independent tasks (blocks of a ladder, games of an evaluation, training runs), computed here, by several
processes, or on the machines of a Ray cluster: the same results, whoever computed them."""

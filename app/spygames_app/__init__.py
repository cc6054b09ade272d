"""User interfaces: the command `spygames` (`cli`) and the browser page (`web`).

The only public module is `films`. Libraries do not import this package.
"""

"""What a person operates: the command `spygames` (`cli`). Its one public module is `films`.

Libraries do not import this package.
"""

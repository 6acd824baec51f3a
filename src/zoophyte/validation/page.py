"""placeholder"""


def write_page(path): ...

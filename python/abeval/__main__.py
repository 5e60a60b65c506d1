"""`abeval ...` and `python -m abeval ...`: the program itself takes the place of this process."""

import os
import sys

from ._program import AbevalError, find_program


def main() -> None:
    try:
        program = find_program()
    except AbevalError as error:
        # The status of wrong use: nothing ran.
        sys.stderr.write("abeval: %s\n" % error)
        sys.exit(2)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

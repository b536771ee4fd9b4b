"""python -m wolfspider"""

from wolfspider.cli import main

main()

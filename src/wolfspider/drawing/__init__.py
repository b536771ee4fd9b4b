"""Charts as SVG, and the pages they stand on.

Pages open without a network and are complete without scripts, and whatever is written on them is
escaped.

axes, charts, columns, bars     what is drawn; `looks` tells the lines of a chart apart
html                            the page: its template, its style sheet, its file
"""

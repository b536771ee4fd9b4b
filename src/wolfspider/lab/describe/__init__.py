"""A description of a recorded web: its graph, its hosts, its targets, its words.

degrees, power_law        how many links pages have, and whether a power law fits
components, bow_tie       what hangs together, and which part leads where
reach                     distances between pages, from a sample of them
clustering                whether neighbours are linked, too
hosts, depths             pages of each host; links away from a start page
targets                   where the pages of a label are
content                   whether pages that are near are alike
description               all of it
facts, figures, page      in words, in pictures, on a page
"""

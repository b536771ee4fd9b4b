"""Real words, so that a person can read a generated web.

Every topic's keywords stand in order of falling frequency; its name leads them.
"""

from __future__ import annotations

_TOPICS = """
astronomy: telescope star planet galaxy orbit comet eclipse nebula observatory meteor lunar solar
    asteroid constellation spectrum
cooking: recipe oven flour butter sauce simmer garlic onion roast bake spice dough whisk kitchen
    soup
railways: train locomotive station track signal steam carriage gauge timetable platform junction
    freight siding viaduct shunting
medicine: patient doctor symptom diagnosis clinic treatment dose vaccine surgery nurse infection
    therapy fever prescription hospital
sailing: boat sail mast keel harbour wind rudder tack regatta anchor yacht hull rigging skipper tide
chess: opening knight bishop rook pawn castling endgame gambit checkmate queen tournament
    grandmaster sacrifice blunder rating
gardening: soil seed compost pruning rose mulch shrub perennial greenhouse watering weeds bulb hedge
    lawn seedling
law: court judge contract statute plaintiff appeal verdict attorney liability clause evidence
    jurisdiction tort lawsuit hearing
music: melody chord rhythm guitar piano orchestra symphony violin tempo concert choir harmony sonata
    composer singer
geology: rock mineral fault sediment volcano basalt granite fossil tectonic erosion magma strata
    crystal quartz glacier
football: goal striker penalty league referee midfield stadium defender coach offside keeper fixture
    transfer trophy supporters
photography: camera lens aperture shutter exposure portrait focus tripod film flash negative
    darkroom landscape sensor zoom
cycling: bicycle pedal saddle wheel gear derailleur helmet sprint peloton chain handlebar brake
    tyre mountain touring
beekeeping: hive bee honey queen swarm nectar pollen beeswax apiary brood colony drone smoker comb
    propolis
architecture: building facade arch column vault brick cathedral plan dome balcony timber concrete
    restoration roof gothic
economics: market inflation price trade demand supply tax interest growth currency wage tariff
    monopoly budget deficit
painting: canvas brush pigment watercolour oil easel palette gallery fresco sketch varnish still
    impressionist pastel exhibition
weather: rain cloud storm forecast temperature pressure humidity barometer snow frost drought
    monsoon thunder front isobar
robotics: robot actuator gripper controller joint servo navigation torque autonomous arm drone
    kinematics feedback manipulator welding
languages: grammar verb noun dialect vowel translation alphabet accent syntax plural tense
    pronunciation dictionary consonant phrase
climbing: rope belay summit ridge carabiner crag boulder harness ascent route ice chalk grip
    bivouac anchor
pottery: clay kiln glaze wheel stoneware porcelain vase slip firing terracotta bowl throwing
    ceramic earthenware handle
insects: beetle butterfly ant larva wing moth antenna dragonfly wasp thorax cricket pupa
    mosquito termite cocoon
cryptography: cipher key encryption hash signature plaintext modulus prime protocol nonce random
    certificate decryption curve entropy
"""


def listed(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


def _read(text: str) -> dict[str, tuple[str, ...]]:
    """One topic a paragraph, `name: keywords`; a line that begins with a space goes on."""
    lines = text.strip().replace("\n ", " ").split("\n")
    pairs = (line.split(":") for line in lines)
    return {name: (name, *listed(words)) for name, words in pairs}


TOPICS = _read(_TOPICS)

# What holds sentences together.
RUNNING = listed("""
the of and to in a is that for it as was with be by on not he his but at are this have from had
which or an they were we been has their one would there what will all if can her said who more no
its when so some could them than other only may about into also first most over
""")
# What a page says that is about nothing much.
GENERAL = listed("""
news welcome company service product customer information offer event contact project team year
member community support update shop report partner price visit free online world travel local
business office account gift guide download video forum
""")
# What stands between a front door and the pages behind it.
INSTITUTION = listed("""
department faculty staff institute people school committee archive publications division personnel
directory address lecturer administration secretary seminar campus library members
""")
GENERIC = ("here", "more", "read on", "click here", "this page", "details", "link", "see also")

/**
 * How a thing stands in the world.
 * - `ground`: it stands, and casts a shadow.
 * - `air`: it flies.
 * - `surface`: it floats on water.
 * - `swim`: it lives under water.
 * - `space`: it belongs between the stars.
 * - `bust`: the art shows head and shoulders, so it looks in from the lower edge.
 * - `head`: the art shows a head; a body is drawn for it.
 */
export type Habitat = 'ground' | 'air' | 'surface' | 'swim' | 'space' | 'bust' | 'head'

const lists: Record<Exclude<Habitat, 'ground'>, string> = {
  air: `airplane small-airplane helicopter parachute bird black-bird dove eagle bat butterfly monarch-butterfly honeybee
    fly mosquito balloon kite fairy superhero flying-saucer airplane-arrival airplane-departure phoenix baby-angel
    person-in-suit-levitating shooting-star fireworks feather lady-beetle dodo-flying wing bubbles cloud parrot
    leaf-fluttering-in-wind aerial-tramway mountain-cableway`,
  surface: `sailboat ship passenger-ship motor-boat speedboat canoe ferry person-rowing-boat duck swan person-surfing
    person-swimming ring-buoy man-rowing-boat woman-rowing-boat lotus water-wave desert-island goose-floating`,
  swim: `fish tropical-fish blowfish shark octopus squid jellyfish dolphin whale spouting-whale orca shrimp coral
    mermaid merman merperson seal turtle-sea oyster`,
  space: `rocket satellite ringed-planet globe-showing-europe-africa globe-showing-americas
    globe-showing-asia-australia meteor comet milky-way full-moon`,
  bust: `artist astronaut cook detective elf farmer firefighter guard judge mage ninja pilot police-officer prince
    princess santa-claus scientist singer student teacher vampire zombie health-worker office-worker technologist
    construction-worker factory-worker mechanic mrs-claus mx-claus person-in-tuxedo person-with-veil genie person-juggling
    person-with-crown horse-face unicorn chicken`,
  head: `bear fox lion panda koala wolf frog hamster polar-bear boar moose tiger-face cat-face dog-face cow-face pig-face
    rabbit-face mouse-face monkey-face robot old-man old-woman baby man woman boy girl child person alien goblin ogre
    clown-face dragon-face`,
}

const habitats = new Map<string, Habitat>(
  Object.entries(lists).flatMap(([habitat, list]) => list.split(/\s+/).map((icon) => [icon, habitat as Habitat])),
)

/** A person of any trade and sex is drawn like the trade's first picture. */
const plain = (icon: string) => icon.replace(/-(light|medium-light|medium|medium-dark|dark)-skin-tone$/, '')

export const habitatOf = (icon: string): Habitat => {
  const name = plain(icon)
  const trade = name.replace(/^(man|woman)-/, '')
  return habitats.get(name) ?? habitats.get(trade) ?? 'ground'
}

/** Heights on a compressed scale: a person is 1, a castle not ten times that but three. */
const heights: [height: number, icons: string][] = [
  [
    0.22,
    `ant beetle lady-beetle honeybee fly mosquito worm spider bug cricket butterfly monarch-butterfly snail coin
    ring gem-stone key old-key pill cherries blueberries strawberry four-leaf-clover shamrock candle cockroach microbe`,
  ],
  [
    0.34,
    `mouse rat baby-chick hatching-chick hamster frog lizard red-apple green-apple pear peach lemon lime tangerine
    kiwi-fruit tomato potato carrot egg cookie croissant hot-beverage teacup-without-handle wine-glass cocktail-glass
    glass-of-milk mushroom seedling herb tulip rose blossom hibiscus bird black-bird chipmunk scorpion crab shrimp
    spiral-shell mobile-phone pencil crown top-hat teddy-bear`,
  ],
  [
    0.46,
    `cat black-cat rabbit chicken rooster duck dove parrot owl hedgehog turtle skunk raccoon badger otter beaver
    fish tropical-fish blowfish sunflower potted-plant jack-o-lantern soccer-ball basketball fire wrapped-gift basket
    balloon-small snake monkey sloth goose poodle`,
  ],
  [
    0.62,
    `dog guide-dog service-dog pig ewe ram goat fox wolf penguin eagle flamingo swan peacock turkey seal lobster
    octopus squid jellyfish chair balloon snowman dodo koala panda kangaroo rock wood`,
  ],
  [
    1.05,
    `person-standing man-standing woman-standing person-walking man-walking woman-walking horse cow ox deer moose
    zebra llama camel two-hump-camel donkey bison water-buffalo tiger leopard lion bear polar-bear gorilla
    orangutan motorcycle motor-scooter bicycle person-biking dolphin shark couch-and-lamp bed door robot boar unicorn`,
  ],
  [
    1.25,
    `automobile taxi police-car sport-utility-vehicle racing-car pickup-truck minibus horse-racing hippopotamus
    rhinoceros crocodile tractor canoe person-rowing-boat tent hairy-creature troll orca umbrella-on-ground cactus
    auto-rickshaw kite parachute`,
  ],
  [
    1.6,
    `elephant mammoth giraffe bus delivery-truck ambulance fire-engine articulated-lorry trolleybus locomotive
    train tram tram-car railway-car helicopter small-airplane motor-boat speedboat whale spouting-whale t-rex dragon
    fountain statue-of-liberty flying-saucer camping hut high-speed-train light-rail phoenix`,
  ],
  [
    2,
    `deciduous-tree evergreen-tree palm-tree leafless-tree christmas-tree tanabata-tree sauropod airplane sailboat
    rocket house house-with-garden derelict-house bank convenience-store circus-tent carousel-horse shinto-shrine
    post-office wedding`,
  ],
  [
    2.6,
    `castle japanese-castle church mosque synagogue hindu-temple classical-building school hospital hotel factory
    houses ferris-wheel roller-coaster lighthouse ship passenger-ship ferry stadium tokyo-tower office-building
    department-store building-construction desert-island love-hotel japanese-post-office`,
  ],
  [3.2, `mountain mount-fuji snow-capped-mountain volcano ringed-planet globe-showing-europe-africa`],
]

const heightOfIcon = new Map(
  heights.flatMap(([height, list]) => list.split(/\s+/).map((icon) => [icon, height] as const)),
)

const heightOfCategory: Record<string, number> = {
  'Animals & Nature': 0.7,
  'Food & Drink': 0.4,
  Objects: 0.45,
  'People & Body': 1,
  'Travel & Places': 1.5,
  Activities: 0.45,
  'Smileys & Emotion': 0.6,
}

export const heightOf = (icon: string, category: string | undefined): number => {
  const name = plain(icon)
  return heightOfIcon.get(name) ?? heightOfCategory[category ?? ''] ?? 0.6
}

/** Where a thing is at home when the prompt names no place. */
export const homes: Record<string, string> = {
  sea: 'sailboat ship passenger-ship motor-boat speedboat canoe ferry person-rowing-boat ring-buoy spouting-whale',
  lake: 'duck swan goose lotus',
  beach: `crab spiral-shell palm-tree umbrella-on-ground person-surfing flamingo desert-island lobster bikini
    thong-sandal pineapple coconut`,
  underwater: `fish tropical-fish blowfish shark octopus squid jellyfish dolphin whale orca shrimp coral mermaid merman
    diving-mask anchor oyster treasure-chest`,
  sky: `airplane small-airplane helicopter parachute eagle dove balloon kite bird superhero baby-angel`,
  space: `rocket satellite ringed-planet globe-showing-europe-africa astronaut flying-saucer alien meteor comet
    milky-way telescope alien-monster`,
  snow: 'penguin polar-bear snowman snowman-without-snow seal skier snowboarder sled santa-claus skis mammoth',
  desert: 'camel two-hump-camel cactus scorpion',
  forest: `fox bear wolf owl deer mushroom hedgehog chipmunk raccoon badger boar moose fairy elf squirrel evergreen-tree
    hairy-creature unicorn fallen-leaf maple-leaf`,
  jungle: 'tiger leopard gorilla orangutan parrot monkey snake sloth crocodile frog t-rex sauropod',
  savanna: 'lion elephant giraffe zebra rhinoceros hippopotamus',
  road: `automobile taxi police-car sport-utility-vehicle racing-car pickup-truck minibus bus delivery-truck motorcycle
    motor-scooter bicycle person-biking articulated-lorry ambulance fire-engine vertical-traffic-light stop-sign`,
  city: 'office-building tram-car trolleybus statue-of-liberty construction department-store detective police-officer',
  room: `couch-and-lamp chair bed bathtub television door books desktop-computer laptop candle teddy-bear framed-picture
    person-in-bed telephone musical-keyboard christmas-tree toilet mantelpiece-clock potted-plant light-bulb`,
  mountains: 'mountain mount-fuji snow-capped-mountain volcano ram goat dragon person-climbing castle phoenix',
}

export const homeOf = new Map(
  Object.entries(homes).flatMap(([place, list]) => list.split(/\s+/).map((icon) => [icon, place] as const)),
)

const buildings = 'house house-with-garden derelict-house hut castle church school hospital bank hotel japanese-castle'
/** Parts that the pictures of these show already. */
export const wholes: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ['door', 'window'].map((part) => [part, new Set(buildings.split(' '))]),
)

/** Things that are put on a head, and things that are only worn and not drawn by themselves. */
export const headwear = new Set('top-hat womans-hat crown billed-cap graduation-cap military-helmet'.split(' '))
/** Things that hold others, which look out of them at the top. */
export const containers = new Set(
  'amphora basket bucket potted-plant jar pot-of-food bowl-with-spoon shopping-cart'.split(' '),
)
export const clothes = new Set(
  `coat dress t-shirt jeans shorts kimono sari scarf gloves necktie socks running-shirt womans-clothes lab-coat bikini
  safety-vest one-piece-swimsuit`.split(/\s+/),
)

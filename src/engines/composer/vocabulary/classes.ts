import type { Subject } from '../kin/dictionary.js'

/**
 * Classes of WordNet, each by the first of its words, and the picture, or pictures, for what belongs to them when nothing nearer is known.
 * `-` has members that do not look alike, or not like what the vocabulary means by the word: they are not shown.
 */
const lists: Partial<Record<Subject, Record<string, string>>> = {
  top: { 'person-standing': 'person' },
  person: {
    'person-standing': `worker, combatant, artist, military officer, actor, speaker, soldier, ace, villain, traveler, genius,
      deaf person, smuggler, adviser, wanderer, tourist, friend, foreigner, religious person, criminal`,
    'health-worker': 'dentist',
    '-': 'inhabitant, person of color, monster, prostitute, rapist, pimp, terrorist, nazi, slattern, slut, idiot, simpleton, prey, unpleasant person, sexual pervert, homosexual, slave, mythical being, sorcerer, spirit',
  },
  animal: {
    eagle: 'bird of prey',
    bird: 'scarlet tanager',
    badger: 'fisher, musteline mammal',
    chipmunk: 'marmot',
    beaver: 'coypu, capybara, muskrat',
    hamster: 'cavy, lemming',
    monkey: 'lemur',
    ox: 'zebu',
    leopard: 'big cat',
    peacock: 'peafowl',
    mouse: 'wood mouse, vole, shrew',
    't-rex': 'carnosaur, theropod',
    fly: 'dipterous insect',
    beetle: 'hemipterous insect, homopterous insect',
    cricket: 'orthopterous insect, dictyopterous insect',
    ant: 'termite',
    lobster: 'crayfish',
    orangutan: 'lesser ape',
    whale: 'cetacean',
    '-': 'hyena, aardwolf, rodent, insect, ratite, worm, bivalve, livestock, egg, wing, feather, homo',
  },
  plant: {
    herb: 'fern, grass, leaf, vine',
    tulip: 'bulbous plant',
    'tulip sunflower hibiscus rose hyacinth': 'flower',
    'sheaf-of-rice': 'cereal',
    chestnut: 'nut',
    mushroom: 'basidiomycete, agaric, morel',
    'ear-of-corn': 'corn',
    '-': 'fungus, seed, fruit, plant organ, crop, vegetable',
  },
  food: {
    'leafy-green': 'greens, cruciferous vegetable, salad green, spinach',
    'root-vegetable': 'turnip',
    carrot: 'parsnip',
    cucumber: 'summer squash',
    beans: 'legume, bean',
    'pea-pod': 'pea',
    peach: 'plum, apricot, nectarine',
    mango: 'papaya, guava',
    tangerine: 'citrus',
    blueberries: 'berry',
    custard: 'pudding',
    dumpling: 'ravioli',
    'poultry-leg': 'bird, poultry, chicken',
    fish: 'fish',
    'cup-with-straw': 'soft drink',
    'tumbler-glass': 'liquor',
    '-': 'vegetable, edible fruit, dessert, drink, beverage, bite, food, dish',
  },
  artifact: {
    guitar: 'stringed instrument',
    violin: 'bowed stringed instrument',
    flute: 'woodwind',
    trumpet: 'brass',
    factory: 'plant',
    automobile: 'motor vehicle',
    bicycle: 'unicycle, mountain bike',
    'water-pistol': 'firearm',
    dagger: 'bayonet, knife',
    hammer: 'mallet',
    coat: 'sweater',
    chair: 'bench',
    books: 'bookcase',
    bed: 'baby bed, cradle',
    package: 'box',
    'light-bulb': 'lamp, lighting fixture',
    moai: 'megalith',
    church: 'bell tower, steeple',
    volleyball: 'ball',
    'wine-glass': 'chalice',
    house: 'storehouse',
    hut: 'wigwam',
    'womans-hat': 'turban',
    'running-shoe': 'shoe',
    'hiking-boot': 'boot',
    socks: 'hosiery',
    'womans-sandal': 'sandal',
    '-': `structure, instrument, machine, machinery, mechanism, vehicle, wheeled vehicle, self-propelled vehicle, cart, wagon,
      carriage, armored vehicle, military vehicle, weapon, artillery, furniture, jewelry, sculpture, memorial, roof, tower,
      barrier, skeleton, stick, crack, alarm, disk, shell, coil, hoop, home plate, saber saw, gondola car, bow, cup, canvas,
      studio, capsule, plaything, figure, engine, paint, roentgenogram, vaccine, battery, wheel, lab, skylight, toilet,
      puzzle, station, trophy, file, shield, keyboard, thread, film, skate, magnet, key, amulet, die, map, knot,
      package, window, door, wing, pill, makeup, adhesive bandage, game equipment, rope, light, booth, footwear, musical instrument`,
  },
  location: {
    '-': 'center, vicinity, inside, path, resort area, sign of the zodiac, home, phoenix, field, hippo, orbit',
  },
  writing: { 'open-book': 'book, reference book, wordbook' },
  object: { '-': 'couple, chain, mechanism, shell' },
  substance: {
    rock: 'rock',
    'gem-stone': 'topaz, quartz, opal',
    '-': 'wood, salt, lumber, rubbish, garbage, calcium hydroxide, sodium carbonate, crepe, lute, cardboard, deoxyribonucleic acid',
  },
}

export const notShown = '-'

export const pictureOfClass: ReadonlyMap<string, string> = new Map(
  Object.entries(lists).flatMap(([subject, pictures]) =>
    Object.entries(pictures).flatMap(([picture, list]) =>
      list.split(/,\s*/).map((word) => [`${subject} ${word}`, picture] as const),
    ),
  ),
)

/** The kinds of pictures that suit a subject: a tart may be a cake or a person, and shall not be taken for the other. */
export const categoriesOf: Partial<Record<Subject, readonly string[]>> = {
  animal: ['Animals & Nature'],
  artifact: ['Objects', 'Travel & Places', 'Activities', 'Food & Drink'],
  food: ['Food & Drink'],
  location: ['Travel & Places'],
  object: ['Animals & Nature', 'Travel & Places', 'Objects'],
  person: ['People & Body'],
  plant: ['Animals & Nature', 'Food & Drink'],
  substance: ['Objects', 'Travel & Places', 'Food & Drink'],
}

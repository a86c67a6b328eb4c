/** Words that any of several pictures suits; the seed picks. */
export const kinds: Record<string, string> = {
  flower: 'tulip sunflower hibiscus rose hyacinth cherry-blossom',
  wildflower: 'tulip sunflower blossom hyacinth',
  tree: 'deciduous-tree evergreen-tree deciduous-tree',
  animal: 'deer rabbit dog cat horse elephant',
  pet: 'cat dog rabbit',
  fruit: 'red-apple banana pear grapes strawberry pineapple',
  vegetable: 'carrot broccoli tomato eggplant',
  insect: 'butterfly honeybee lady-beetle',
  food: 'pizza hamburger shallow-pan-of-food sushi',
  dessert: 'shortcake ice-cream custard cupcake',
  drink: 'tropical-drink cup-with-straw cocktail-glass',
  snack: 'pretzel popcorn doughnut',
  furniture: 'couch-and-lamp chair',
  instrument: 'guitar violin trumpet',
  toy: 'teddy-bear yo-yo kite nesting-dolls',
  monster: 'hairy-creature troll dragon t-rex',
  creature: 'dragon sauropod unicorn owl',
  berry: 'strawberry blueberries cherries',
  weapon: 'crossed-swords bow-and-arrow axe',
  vehicle: 'automobile sport-utility-vehicle delivery-truck',
  ball: 'soccer-ball basketball volleyball',
  fish: 'tropical-fish fish',
  hat: 'top-hat womans-hat',
  cake: 'birthday-cake shortcake',
}

const anybody =
  'man-standing woman-standing person-standing man-walking woman-walking person-walking man-standing woman-standing'

/** Words for several at once, and how many. */
export const crowds: Record<string, { icons: string; count: number }> = {
  people: { icons: anybody, count: 4 },
  crowd: { icons: anybody, count: 9 },
  audience: { icons: anybody, count: 9 },
  family: { icons: anybody, count: 3 },
  friends: { icons: anybody, count: 3 },
  children: { icons: anybody, count: 3 },
  kids: { icons: anybody, count: 3 },
  tourists: { icons: anybody, count: 4 },
  birds: { icons: 'dove', count: 4 },
  seagulls: { icons: 'dove', count: 4 },
  livestock: { icons: 'cow ewe pig goat horse', count: 4 },
  wildlife: { icons: 'deer rabbit fox hedgehog owl', count: 3 },
  animals: { icons: 'deer rabbit dog cat horse elephant zebra lion', count: 4 },
  flowers: { icons: 'tulip sunflower hibiscus rose hyacinth', count: 6 },
  vegetables: { icons: 'carrot broccoli tomato eggplant bell-pepper', count: 4 },
  fruits: { icons: 'red-apple banana pear grapes strawberry', count: 4 },
  toys: { icons: 'teddy-bear yo-yo kite nesting-dolls balloon', count: 4 },
  instruments: { icons: 'guitar violin trumpet drum saxophone', count: 4 },
}

const riders = 'man woman person boy girl child knight cowboy king queen prince princess warrior soldier he she'.split(
  ' ',
)

/** Somebody on something, where one picture shows both. */
export const riding = new Map(
  riders.flatMap((rider) =>
    ['riding a', 'on a', 'riding his', 'riding her'].flatMap((how) => [
      [`${rider} ${how} horse`, 'horse-racing'] as const,
      [`${rider} ${how} bicycle`, 'person-biking'] as const,
      [`${rider} ${how} bike`, 'person-biking'] as const,
      [`${rider} ${how} surfboard`, 'person-surfing'] as const,
      [`${rider} ${how} snowboard`, 'snowboarder'] as const,
    ]),
  ),
)

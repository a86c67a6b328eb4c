/** Words that say where and when: places, times of day, weather, what is in the sky, and moods. */

export type PlaceName =
  | 'field'
  | 'hills'
  | 'mountains'
  | 'forest'
  | 'jungle'
  | 'savanna'
  | 'beach'
  | 'sea'
  | 'lake'
  | 'underwater'
  | 'desert'
  | 'snow'
  | 'city'
  | 'road'
  | 'village'
  | 'space'
  | 'moon'
  | 'sky'
  | 'room'
  | 'table'
  | 'studio'

export const places: Record<PlaceName, string> = {
  field: `field, meadow, grass, lawn, garden, park, pasture, farm, farmland, countryside, prairie, backyard, vineyard,
    orchard, plain, landscape, outdoors, nature, playground, picnic, on the grass, wheat field`,
  hills: 'hill, hills, valley, hillside, rolling hills, highlands, knoll, slope, moor',
  mountains: 'mountain, mountains, alps, cliff, peak, summit, canyon, mountain range, himalaya, fjord, ridge',
  forest: 'forest, woods, woodland, grove, wood, taiga, enchanted forest, in the trees',
  jungle: 'jungle, rainforest, swamp, tropics, tropical forest',
  savanna: 'savanna, savannah, steppe, safari, outback, africa',
  beach: 'beach, seashore, shore, coast, seaside, sand, tropical beach, bay, island beach',
  sea: 'sea, ocean, waves, open sea, harbour, harbor, port, on the water, at sea, sea waves',
  lake: 'lake, river, pond, stream, lagoon, riverbank, lakeside, waterfall, riverside, canal',
  underwater: `underwater, under water, under the sea, undersea, coral reef, reef, sea floor, seabed, bottom of the sea,
    bottom of the ocean, deep sea, aquarium, atlantis, beneath the waves, under the ocean`,
  desert: 'desert, dunes, dune, sahara, egypt, wasteland, oasis, wild west',
  snow: 'arctic, antarctica, north pole, south pole, tundra, glacier, iceberg, ski slope, winter landscape, winter wonderland',
  city: `city, town, street, downtown, metropolis, skyline, urban, new york, tokyo, paris, london, skyscrapers, alley,
    cityscape, cyberpunk city, sidewalk, square, plaza, rooftop, berlin, los angeles, hong kong`,
  road: 'road, highway, motorway, route, path, race track, racetrack, asphalt, crossroads, freeway, country road, parking lot',
  village: 'village, hamlet, small town, suburb, neighbourhood, neighborhood',
  space: `space, outer space, cosmos, galaxy, universe, orbit, milky way, nebula, in the stars, solar system, interstellar,
    black hole, deep space`,
  moon: 'on the moon, moon surface, lunar surface, surface of the moon, lunar, mars surface, on mars, surface of mars',
  sky: 'sky, in the sky, heaven, heavens, above the clouds, in the clouds, midair, among the clouds',
  room: `room, living room, bedroom, kitchen, indoors, inside, house interior, office, library room, bathroom, classroom,
    restaurant, cafe, bar, museum hall, hall, interior, studio apartment, on a shelf,
    floor, tavern, coffee shop, workshop, by the window`,
  table:
    'table, desk, tabletop, on a table, on the table, on a desk, on the desk, wooden table, kitchen table, counter, dinner table',
  studio: 'white background, plain background, simple background, studio, backdrop, isolated, blank background',
}

export const times = {
  sunrise: 'sunrise, dawn, daybreak, early morning, morning, first light',
  day: 'day, daytime, noon, midday, afternoon, daylight, sunny day, summer day',
  sunset: 'sunset, dusk, evening, golden hour, twilight, sundown, setting sun, nightfall',
  night: 'night, midnight, moonlight, moonlit, starry night, nighttime, starlight, nocturnal, at night, dark sky',
} as const
export type TimeName = keyof typeof times

export const weathers = {
  clear: 'clear sky, cloudless, sunny, sunshine',
  cloudy: 'cloudy, overcast, clouds, cloud, grey sky, gray sky',
  rain: 'rain, rainy, raining, drizzle, downpour, shower of rain, wet',
  storm: 'storm, stormy, thunder, thunderstorm, lightning, tempest, hurricane, lightning bolt',
  snow: 'snow, snowy, snowing, snowfall, blizzard, winter, snowflakes, wintry, snow-covered, christmas night, frost, frosty',
  fog: 'fog, foggy, mist, misty, haze, hazy, smog',
} as const
export type WeatherName = keyof typeof weathers

export const skyFeatures = {
  sun: 'sun, suns',
  moon: 'moon, full moon, crescent moon, crescent',
  stars: 'stars, starry, star',
  rainbow: 'rainbow, rainbows',
  aurora: 'aurora, northern lights, aurora borealis, polar lights',
} as const
export type SkyFeature = keyof typeof skyFeatures

export const moods = {
  calm: 'calm, peaceful, serene, quiet, tranquil, relaxing, gentle, soft, serenity, dreamy, cozy, cosy, idyllic',
  gloomy:
    'gloomy, sad, dark, melancholy, melancholic, moody, ominous, eerie, spooky, scary, creepy, haunted, bleak, sinister, horror, lonely mood',
  cheerful:
    'cheerful, happy, joyful, bright, vibrant, colorful, colourful, lively, fun, playful, festive, cute, whimsical, vivid, merry',
  romantic: 'romantic, love, valentine, tender, passion',
  warm: 'warm, autumn, fall colors, autumnal, nostalgic, vintage, retro, rustic, cosy light, hot',
  cold: 'cold, icy, frozen, chilly, freezing, cool',
  magical:
    'magical, magic, mystical, enchanted, fantasy, surreal, glowing, ethereal, mysterious, neon, cyberpunk, futuristic',
} as const
export type MoodName = keyof typeof moods

import type { PlaceName } from '../../vocabulary/surroundings.js'
import { drawSky } from '../sky.js'
import type { Stage } from '../stage.js'
import { drawCity, drawRoad, drawRoom, drawStudio, drawTable, drawVillage } from './built.js'
import {
  drawDesert,
  drawField,
  drawForest,
  drawHillCountry,
  drawJungle,
  drawMoonLand,
  drawMountains,
  drawSavanna,
  drawSnowLand,
} from './land.js'
import { drawOpenSky, drawSpace } from './open.js'
import { drawBeach, drawLake, drawSea, drawUnderwater } from './water.js'

const underSky =
  (draw: (stage: Stage) => void) =>
  (stage: Stage): void => {
    drawSky(stage)
    draw(stage)
  }

const painters: Record<PlaceName, (stage: Stage) => void> = {
  field: underSky(drawField),
  hills: underSky(drawHillCountry),
  mountains: underSky(drawMountains),
  forest: underSky(drawForest),
  jungle: underSky(drawJungle),
  savanna: underSky(drawSavanna),
  beach: underSky(drawBeach),
  sea: underSky(drawSea),
  lake: underSky(drawLake),
  desert: underSky(drawDesert),
  snow: underSky(drawSnowLand),
  city: underSky(drawCity),
  road: underSky(drawRoad),
  village: underSky(drawVillage),
  sky: underSky(drawOpenSky),
  moon: (stage) => {
    drawSpace(stage)
    drawMoonLand(stage)
  },
  underwater: drawUnderwater,
  space: drawSpace,
  room: drawRoom,
  table: drawTable,
  studio: drawStudio,
}

export const drawPlace = (stage: Stage) => painters[stage.setting.place](stage)

/** What stands for a place where there is no background to show it with. */
export const emblems: Record<PlaceName, string[]> = {
  field: ['sunflower', 'deciduous-tree'],
  hills: ['deciduous-tree'],
  mountains: ['snow-capped-mountain'],
  forest: ['evergreen-tree', 'deciduous-tree', 'evergreen-tree'],
  jungle: ['palm-tree', 'parrot'],
  savanna: ['giraffe'],
  beach: ['palm-tree', 'umbrella-on-ground'],
  sea: ['water-wave'],
  lake: ['duck'],
  underwater: ['tropical-fish', 'coral'],
  desert: ['cactus'],
  snow: ['snowman'],
  city: ['office-building', 'department-store'],
  road: ['automobile'],
  village: ['houses'],
  space: ['ringed-planet', 'rocket'],
  moon: ['ringed-planet'],
  sky: ['balloon'],
  room: ['couch-and-lamp'],
  table: ['hot-beverage'],
  studio: ['gem-stone'],
}

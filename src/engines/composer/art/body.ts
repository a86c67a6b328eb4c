import { hexOf, lighten, mix } from '../colour.js'
import type { Art } from './art-set.js'

const people = /^(?:old-man|old-woman|baby|man|woman|boy|girl|child|person)$/

const animalBody = (main: string) => {
  const [dark, light] = [lighten(main, -0.08), mix(lighten(main, 0.1), '#fff4e2', 0.6)]
  return `<path d="M92 116c14 2 24-8 22-22-1-8-8-10-10-3-2 9-6 12-14 11z" fill="${dark}"/>
<path d="M64 62c22 0 34 28 34 48 0 11-7 16-16 16H46c-9 0-16-5-16-16 0-20 12-48 34-48z" fill="${main}"/>
<ellipse cx="64" cy="102" rx="18" ry="22" fill="${light}"/>
<path d="M48 92c-3 10-4 22-3 32M80 92c3 10 4 22 3 32" fill="none" stroke="${dark}" stroke-width="2.4" stroke-linecap="round"/>
<ellipse cx="48" cy="122" rx="12" ry="6" fill="${light}"/><ellipse cx="80" cy="122" rx="12" ry="6" fill="${light}"/>`
}

const robotBody = (main: string) => {
  const [dark, light] = [lighten(main, -0.16), lighten(main, 0.08)]
  return `<rect x="26" y="80" width="12" height="32" rx="6" fill="${dark}"/><rect x="90" y="80" width="12" height="32" rx="6" fill="${dark}"/>
<rect x="46" y="112" width="14" height="14" rx="3" fill="${dark}"/><rect x="68" y="112" width="14" height="14" rx="3" fill="${dark}"/>
<rect x="38" y="72" width="52" height="44" rx="8" fill="${main}"/><rect x="47" y="84" width="34" height="18" rx="4" fill="${light}"/>
<circle cx="55" cy="93" r="4" fill="#e8554a"/><circle cx="66" cy="93" r="4" fill="#f2c230"/>`
}

const personBody = `<path d="M44 126v-26h40v26z" fill="#3f4a63"/><path d="M64 70c18 0 26 10 28 26l2 16H34l2-16c2-16 10-26 28-26z" fill="#4a86c5"/><path d="M63 104h2v22h-2z" fill="#2c3447"/>`

/** A figure that sits or stands, for art that is only a head. */
export const withBody = (art: Art): Art => {
  const main = hexOf({ ...art.colour, l: Math.min(0.86, Math.max(0.3, art.colour.l)) })
  const body = people.test(art.name)
    ? personBody
    : art.name === 'robot' || art.name === 'alien'
      ? robotBody(main)
      : animalBody(main)
  const scale = (82 / 128) * (128 / art.side)
  const head = `<g transform="translate(23 ${-art.ink.top * 82}) scale(${Math.round(scale * 1000) / 1000})">${art.body}</g>`
  const isTailed = !people.test(art.name) && art.name !== 'robot' && art.name !== 'alien'
  const left = 23 + art.ink.left * 82
  const right = 23 + art.ink.right * 82
  return {
    name: `${art.name} with body`,
    body: `<g fill="#202020">${body}${head}</g>`,
    side: 128,
    ink: {
      left: Math.min(left, 28) / 128,
      right: Math.max(right, isTailed ? 115 : 100) / 128,
      top: 0,
      bottom: 1,
    },
    topX: 0.5,
    colour: art.colour,
  }
}

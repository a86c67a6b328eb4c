// Loaded into a process that profile.mjs looks at (node --import). SIGUSR2 starts a CPU profile; a second one ends
// it and writes it to BENCH_PROFILE_FOLDER. So start-up and warm-up stay out of the picture.
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

const samplingUs = 200
let session

process.on('SIGUSR2', async () => {
  if (session === undefined) {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: samplingUs })
    await session.post('Profiler.start')
    return
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  session = undefined
  const path = join(process.env.BENCH_PROFILE_FOLDER, `${process.pid}.cpuprofile`)
  writeFileSync(`${path}.new`, JSON.stringify(profile))
  renameSync(`${path}.new`, path)
})

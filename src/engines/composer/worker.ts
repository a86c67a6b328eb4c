import { type Stop, serveJobs } from '../threads/serve.js'
import { type ComposeOrder, composePictures } from './compose-picture.js'
import { finishStyle } from './finish-style.js'

serveJobs({
  compose: (order: ComposeOrder, stop: Stop) => composePictures(order, stop, finishStyle),
})

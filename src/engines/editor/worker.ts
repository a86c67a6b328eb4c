import { serveJobs } from '../threads/serve.js'
import { createEdit } from './edit.js'
import { loadTools } from './tools.js'

serveJobs({ edit: createEdit(loadTools()) })

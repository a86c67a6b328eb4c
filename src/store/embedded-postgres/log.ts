/** Where the embedded server's doings are told; a pino logger fits. */
export type Log = { info(message: string): void; warn(message: string): void }

/** A file as somebody sent it. */
export type Document = {
  bytes: Uint8Array
  /** As it was declared; often wrong, so it decides only where the content does not. */
  contentType?: string | undefined
  filename?: string | undefined
}

/**
 * - `unreadable`: broken, encrypted, or not what it claims to be.
 * - `unsupported`: a format that is not read here.
 * - `excessive`: it unfolds into more than is read here.
 */
export type DocumentTrouble = 'unreadable' | 'unsupported' | 'excessive'

/** Why a document gave no text. The message is a half sentence for the person who sent it: "The file ..." */
export class DocumentProblem extends Error {
  constructor(
    readonly trouble: DocumentTrouble,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'DocumentProblem'
  }
}

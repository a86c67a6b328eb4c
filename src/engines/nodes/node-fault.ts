import { NodeError, type NodeTrouble } from './node.js'

type Details = {
  /** Whether a node may have acted on what was sent. */
  mayBeTaken: boolean
  /** Whether it says something about the node, and not about what it was asked. */
  isOfNode?: boolean
  /** Whether a second try at the same node may go better. */
  isPassing?: boolean
  retryAfterMs?: number | undefined
}

/** Why one try at one node failed. */
export class NodeFault extends NodeError {
  readonly mayBeTaken: boolean
  readonly isOfNode: boolean
  readonly isPassing: boolean
  readonly retryAfterMs: number | undefined

  constructor(trouble: NodeTrouble, message: string, details: Details) {
    super(trouble, message)
    this.mayBeTaken = details.mayBeTaken
    this.isOfNode = details.isOfNode ?? true
    this.isPassing = details.isPassing ?? false
    this.retryAfterMs = details.retryAfterMs
  }
}

/** One of the ways to run a model: an engine, and what the model is called there. */
export type Target<Engine> = {
  /** The upstream's or engine's name, which callers see in `x-svc-model-router`. */
  name: string
  /** The engine's own name for the model. */
  model: string
  /** Its share of the requests, relative to the others. 0 makes it a spare: asked only when all others cannot. */
  weight: number
  /** Inside this process: nobody has to be spared, and asking again would fail in the same way. */
  isLocal?: boolean
  engine: Engine
}

type Named = Pick<Target<unknown>, 'name' | 'model'>

/** What health and cache keys are bound to: one model of an upstream may be ill while another is well. */
export const keyOf = ({ name, model }: Named): string => `${name}\n${model}`

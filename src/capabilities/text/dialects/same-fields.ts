/** Fields that a dialect shares with chat, name and meaning; those that were not sent stay away. */
export const sameFields = <Body extends object, Name extends keyof Body>(
  body: Body,
  names: readonly Name[],
): Pick<Body, Name> =>
  Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]])) as Pick<
    Body,
    Name
  >

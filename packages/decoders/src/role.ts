/** The role of a program for us. */
export type Role =
  | Readonly<{
      kind: 'decoder'
      /** Its decoder's index in the registry. */
      decoder: number
      /** Base58. */
      programId: string
    }>
  | Readonly<{ kind: 'token'; is2022: boolean }>
  | Readonly<{ kind: 'metadata' }>

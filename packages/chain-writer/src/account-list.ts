/** Keys by the names that a list of accounts uses. */
type Keys = Readonly<Record<string, Uint8Array>>

/** The words of a text. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/**
 * The accounts of an instruction by name, in order, as the program's IDL has them; `fixed` are those that are the same
 * in each call. The compiler asks for the others.
 *
 * @example
 * const swapAccounts = accountList(PROGRAMS, 'pool user vaultA vaultB token')
 * swapAccounts({ ...pool, user })
 */
export function accountList<Fixed extends Keys, const Texts extends readonly string[]>(
  fixed: Fixed,
  ...texts: Texts
): (named: Readonly<Record<Exclude<Words<Texts[number]>, keyof Fixed>, Uint8Array>>) => Uint8Array[] {
  const names = texts.join(' ').split(' ')
  return (named: Keys) => names.map((name) => fixed[name] ?? named[name]!)
}

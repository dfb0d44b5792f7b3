/** Keys by the names that a list of accounts uses. */
type Keys = Readonly<Record<string, Uint8Array>>

/** The words of a text. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/**
 * Returns a function that makes the accounts of an instruction by name, in the order of the program's IDL; `fixed` are
 * the same in each call. The compiler requires the others.
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

import fc, { type StringConstraints } from 'fast-check'

/** All of Unicode without surrogates. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800))

/**
 * Any text, and often one that has a meaning in JavaScript, such as `__proto__`. The library's own unit `binary` indexes all of
 * Unicode first, which takes each process of the tests a second.
 */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ ...constraints, unit: anyCharacter }), fc.string(constraints))
}

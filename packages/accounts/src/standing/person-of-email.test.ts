import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { personOfEmail } from './person-of-email.ts'

const word = fc.string({ unit: fc.constantFrom(...'abcxyz019'), minLength: 1, maxLength: 12 })
const domain = fc.constantFrom('gmail.com', 'googlemail.com', 'example.org', 'mail.example.org')

describe('the person of an email', () => {
  it('is the same with any tag, at every provider', () => {
    fc.assert(
      fc.property(word, fc.array(word), domain, (name, tags, at) => {
        const tagged = [name, ...tags].join('+')

        expect(personOfEmail(`${tagged}@${at}`)).toBe(personOfEmail(`${name}@${at}`))
      }),
    )
  })

  it('is the same with dots anywhere and by either name, at Gmail', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (parts) => {
        const plain = `${parts.join('')}@gmail.com`

        expect(personOfEmail(`${parts.join('.')}@gmail.com`)).toBe(plain)
        expect(personOfEmail(`${parts.join('.')}+news@googlemail.com`)).toBe(plain)
      }),
    )
  })

  it('differs for another mailbox, and outside Gmail for other dots', () => {
    const people = [
      'ann@gmail.com',
      'bob@gmail.com',
      'ann@example.org',
      'a.nn@example.org',
      'ann@sub.example.org',
    ]

    expect(new Set(people.map(personOfEmail)).size).toBe(people.length)
  })

  it('is unchanged when applied twice', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab.+'), minLength: 1, maxLength: 8 }),
        domain,
        (name, at) => {
          const person = personOfEmail(`${name}@${at}`)

          expect(personOfEmail(person)).toBe(person)
          expect(person).toMatch(/^.+@.+$/)
        },
      ),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { composeLoginMail } from './login-mail.ts'

const TOKEN = { email: 'mara@example.com', token: 'a+b/c=&<', expiresAt: new Date(0) }

describe('composeLoginMail', () => {
  it('links to the login page with the token, escaped', () => {
    const { link } = composeLoginMail('https://pairwire.example', TOKEN)

    expect(link).toBe('https://pairwire.example/dashboard/login?t=a%2Bb%2Fc%3D%26%3C')
    expect(new URL(link).searchParams.get('t')).toBe(TOKEN.token)
  })

  it('takes a public address that ends in a slash', () => {
    const { link } = composeLoginMail('https://pairwire.example/', TOKEN)

    expect(link).toMatch(/^https:\/\/pairwire\.example\/dashboard\/login\?t=/)
  })

  it('says the same as plain text and as HTML', () => {
    const { link, text, html } = composeLoginMail('https://pairwire.example', TOKEN)

    expect(text).toContain(link)
    expect(html).toContain(`href="${link}"`)
    expect(html).not.toMatch(/<script|<img|http:\/\//)
  })
})

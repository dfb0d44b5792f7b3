import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, readSettings } from '../settings.ts'
import { type Brand, brandSettings, PAIRWIRE } from './brand.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30"><path d="M0 0h9"/></svg>'

describe('the brand', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
  })

  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  }
  const read = (environment = { BRAND_DIR: folder }): Brand =>
    readSettings(environment, [brandSettings]).brand
  const faults = (): string => {
    try {
      read()
    } catch (error) {
      if (error instanceof ConfigError) return error.message.replaceAll(folder, '')
    }
    return ''
  }

  it('is ours without a folder, and with an empty one', () => {
    expect(readSettings({ DATA_DIR: join(folder, 'none') }, [brandSettings]).brand).toBe(PAIRWIRE)
    expect(read()).toMatchObject(PAIRWIRE)
  })

  it('is read from DATA_DIR/brand where BRAND_DIR is not set', () => {
    mkdirSync(join(folder, 'brand'))
    writeFileSync(join(folder, 'brand', 'brand.json'), '{"name":"Acme"}')

    expect(readSettings({ DATA_DIR: folder }, [brandSettings]).brand).toMatchObject({
      name: 'Acme',
      isOwn: true,
    })
  })

  it('has name, colours, pictures with their size, texts, and figures of plans', () => {
    write({
      'brand.json': '{"name":"Acme & Söhne","accent":"#0A58CA","accentDark":"#6EA8FE"}',
      'logo.svg': SVG,
      'imprint.md': '# Imprint\n\nAcme.\n',
      'plans.json': '{"1":{"name":"Small","swapEventsPerPeriod":null},"trialDays":0}',
    })

    expect(read()).toMatchObject({
      ...{ name: 'Acme & Söhne', isOwn: true, accent: '#0A58CA', accentDark: '#6EA8FE', mark: undefined },
      logo: { svg: SVG, width: 120, height: 30 },
      texts: { imprint: '# Imprint\n\nAcme.\n' },
      figures: { 1: { name: 'Small', swapEventsPerPeriod: null }, trialDays: 0 },
    })
  })

  it.each([
    [
      'brand.json',
      '{"name":"Acme",\n"accent":"#777777"}',
      '2: accent #777777 has a contrast of 4.06:1 with #F5F4F0',
    ],
    [
      'brand.json',
      '{\n"accentDark":"#0D100F"}',
      '2: accentDark #0D100F has a contrast of 1.00:1 with #0D100F',
    ],
    ['brand.json', '{\n"name":\n', '3: is not JSON'],
    ['brand.json', '{"name":"Acme",\n"colour":"red"}', '2: there is nothing of the name colour.'],
    ['brand.json', '{"name":"<b>"}', '1: name must be 1 to 40 characters'],
    [
      'plans.json',
      '{"1":{"usdPerMonth":9},\n"2":{\n"usdPerMonth":"9"}}',
      '3: 2.usdPerMonth must be a whole number',
    ],
    ['plans.json', '{"2":\n{"name":"pro"}}', '1: two plans have the same name.'],
    ['plans.json', '{"4":{}}', '1: there is nothing of the name 4.'],
    ['plans.json', '{"trialDays":-1}', '1: trialDays must be a whole number from 0 to 365.'],
    ['logo.svg', SVG.replace('<path', '\n<script>alert(1)</script><path'), '2: holds a script.'],
    ['mark.svg', SVG.replace('<path', '<path onload="x()"'), '1: runs a script at an event.'],
    [
      'mark.svg',
      SVG.replace('<path', '<image href="https://a.example/x.png"/><path'),
      '1: fetches from elsewhere.',
    ],
    ['mark.svg', 'PNG', '1: is no SVG with a viewBox.'],
  ])('is refused with file, line and sentence: %s %j', (file, text, sentence) => {
    write({ [file]: text })
    expect(faults()).toContain(`BRAND_DIR: /${file}:${sentence}`)
  })

  it('is refused where the folder that was named does not exist', () => {
    expect(() => read({ BRAND_DIR: join(folder, 'none') })).toThrow(/^BRAND_DIR: .*none does not exist\.$/)
  })

  // Guards prices: without its folder a service would show those of the software.
  it('is refused where what was named is a file, or a folder that is closed to us', () => {
    write({ 'plans.json': '{}' })
    expect(() => read({ BRAND_DIR: join(folder, 'plans.json') })).toThrow(
      /^BRAND_DIR: .*plans\.json cannot be read \(ENOTDIR\)\.$/,
    )

    const isRoot = process.geteuid?.() === 0
    chmodSync(folder, 0o600)
    if (isRoot) process.seteuid?.(65_534)
    try {
      expect(() => read()).toThrow(/^BRAND_DIR: .* cannot be read \(EACCES\)\.$/m)
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(folder, 0o700)
    }
  })
})

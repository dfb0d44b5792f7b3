import type { CodeSamples } from '../code-samples.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { errorPages, errorsPage } from './errors.ts'
import { newTokensGuide, tokenPricingGuide } from './guides.ts'
import { httpApiPage } from './http-api.ts'
import { keysPage } from './keys.ts'
import { legalPages } from './legal.ts'
import { manyMachinesPage } from './many-machines.ts'
import { quickStart } from './quick-start.ts'
import { cursorsPage, limitsPage, messagesPage } from './reference-pages.ts'
import { selfHostingPage } from './self-hosting.ts'
import { latestBlockPage, newPairsPage, swapsPage } from './stream-pages.ts'

/** Every page of the documentation, in the order of the contents. */
export function allDocs(settings: DocsSettings, samples: CodeSamples): readonly DocPage[] {
  return [
    quickStart(settings, samples),
    keysPage(settings, samples),
    newPairsPage(samples),
    swapsPage(samples),
    latestBlockPage(),
    messagesPage(settings),
    cursorsPage(settings),
    errorsPage(),
    limitsPage(settings),
    httpApiPage(settings),
    selfHostingPage(),
    manyMachinesPage(),
    newTokensGuide(samples),
    tokenPricingGuide(samples),
    ...legalPages(settings.supportEmail),
    ...errorPages(settings),
  ]
}

import { keep, readKept } from '../../../components/kept.ts'
import { createStore, type Store } from '../../../components/store.ts'

/** The colours of buys and sells. Neither relies on its hue. */
export const COLOURS = ['teal', 'green', 'mono'] as const
export type Colours = (typeof COLOURS)[number]

/** The height of the rows. */
export const DENSITIES = ['compact', 'comfortable'] as const
export type Density = (typeof DENSITIES)[number]

/** The form of the chart. */
const CHART_FORMS = ['picture', 'table'] as const
type ChartForm = (typeof CHART_FORMS)[number]

/** The look of the console, remembered in this browser and set on the page's root for the style sheets. */
export const colours: Store<Colours> = aSetting('colours', COLOURS, 'teal')
export const density: Store<Density> = aSetting('density', DENSITIES, isCoarse() ? 'comfortable' : 'compact')
export const chartForm: Store<ChartForm> = aSetting('chart', CHART_FORMS, 'picture')

/** Whether the pointer is a finger, and not a mouse. */
function isCoarse(): boolean {
  return matchMedia('(pointer: coarse)').matches
}

/** Creates a setting with the default `usual`. */
function aSetting<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  usual: Choice,
): Store<Choice> {
  const key = `console.${name}`
  const kept = readKept(key)
  const setting = createStore(choices.find((choice) => choice === kept) ?? usual)
  const show = () => {
    document.documentElement.dataset[name] = setting.read()
  }
  show()
  setting.subscribe(() => {
    show()
    keep(key, setting.read())
  })
  return setting
}

// How far two colours are apart, as people see them: CIEDE2000 after a simulation of each colour deficiency.

/** Linear or gamma-coded red, green and blue, 0 to 1. */
type Rgb = readonly [number, number, number]

/** How a colour is seen; `grey` without any, as in greyscale. */
type Sight = 'full' | 'protan' | 'deutan' | 'tritan' | 'grey'

/**
 * Matrices at full severity, for linear RGB.
 *
 * @see Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009)
 */
const MATRICES: Readonly<Record<Exclude<Sight, 'full' | 'grey'>, readonly Rgb[]>> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** Difference of two colours (`#00627A`) in CIEDE2000; above 20 is plain to see on a badge. */
export function colourDifference(one: string, other: string, sight: Sight): number {
  return ciede2000(lab(seen(one, sight)), lab(seen(other, sight)))
}

function seen(hex: string, sight: Sight): Rgb {
  const [red, green, blue] = [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255))
  const rgb: Rgb = [red!, green!, blue!]
  if (sight === 'full') return rgb
  if (sight === 'grey') {
    const lightness = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
    return [lightness, lightness, lightness]
  }
  const [r, g, b] = MATRICES[sight].map((row) =>
    Math.min(1, Math.max(0, row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2])),
  )
  return [r!, g!, b!]
}

function linear(coded: number): number {
  return coded <= 0.04045 ? coded / 12.92 : ((coded + 0.055) / 1.055) ** 2.4
}

/** CIELAB under D65. */
function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29)
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b)
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** @see Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula" (2005) */
function ciede2000([l1, a1, b1]: Rgb, [l2, a2, b2]: Rgb): number {
  const radians = Math.PI / 180
  const c = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 0.5 * (1 - Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)))
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)]
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)]
  const hue = (b: number, a: number) => (a === 0 && b === 0 ? 0 : (Math.atan2(b, a) / radians + 360) % 360)
  const [h1, h2] = [hue(b1, p1), hue(b2, p2)]
  const isGrey = c1 * c2 === 0
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180
  const dL = l2 - l1
  const dC = c2 - c1
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin((turn / 2) * radians)
  const meanL = (l1 + l2) / 2
  const meanC = (c1 + c2) / 2
  const sum = h1 + h2
  const meanH = isGrey ? sum : Math.abs(h1 - h2) <= 180 ? sum / 2 : (sum + (sum < 360 ? 360 : -360)) / 2
  const t =
    1 -
    0.17 * Math.cos((meanH - 30) * radians) +
    0.24 * Math.cos(2 * meanH * radians) +
    0.32 * Math.cos((3 * meanH + 6) * radians) -
    0.2 * Math.cos((4 * meanH - 63) * radians)
  const sL = 1 + (0.015 * (meanL - 50) ** 2) / Math.sqrt(20 + (meanL - 50) ** 2)
  const sC = 1 + 0.045 * meanC
  const sH = 1 + 0.015 * meanC * t
  const rotation =
    -2 *
    Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)) *
    Math.sin(60 * Math.exp(-(((meanH - 275) / 25) ** 2)) * radians)
  return Math.sqrt((dL / sL) ** 2 + (dC / sC) ** 2 + (dH / sH) ** 2 + rotation * (dC / sC) * (dH / sH))
}

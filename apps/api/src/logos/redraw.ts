/** Pixels of a logo's side. It is drawn 20 wide, on screens of up to three times that density. */
const SIDE = 64

/** Most pixels of a picture that is decoded: small files can hold huge ones. */
const PIXELS_MAX = 8_000_000

const SECONDS_MAX = 2

/** Redraws a picture as a small WebP. Rejects anything but a PNG, JPEG, GIF or WebP, whatever its name. */
export async function redraw(picture: Buffer): Promise<Buffer> {
  if (!isPicture(picture)) throw new Error('The file is not a picture of a known kind.')
  const sharp = await loadSharp()
  return sharp(picture, { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 })
    .timeout({ seconds: SECONDS_MAX })
    .rotate()
    .resize(SIDE, SIDE, { fit: 'cover' })
    .webp({ quality: 80, effort: 2 })
    .toBuffer()
}

/** First bytes of the accepted formats. */
function isPicture(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, 12)
  return (
    text.startsWith('\x89PNG\r\n\x1a\n') ||
    text.startsWith('\xff\xd8\xff') ||
    text.startsWith('GIF87a') ||
    text.startsWith('GIF89a') ||
    (text.startsWith('RIFF') && text.endsWith('WEBP'))
  )
}

let loaded: Promise<Sharp> | undefined

type Sharp = typeof import('sharp')['default']

/** Loaded with the first logo, since it is large and may be missing on some platforms. */
function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
    })
    return sharp
  })
  return loaded
}

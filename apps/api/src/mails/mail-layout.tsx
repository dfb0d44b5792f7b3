import type { Brand } from '@pairwire/process/brand'
import { Body } from '@react-email/body'
import { Button } from '@react-email/button'
import { Container } from '@react-email/container'
import { Head } from '@react-email/head'
import { Heading } from '@react-email/heading'
import { Html } from '@react-email/html'
import { Link } from '@react-email/link'
import { Preview } from '@react-email/preview'
import { Section } from '@react-email/section'
import { Text } from '@react-email/text'

/** Stands in a mail for the name of the service, until it is rendered, as long as our name, so that lines break where they did; the others for what a brand changes in its look. */
export const SERVICE = '{{name}}'
const [WORDMARK, STRAND, STRAND_DARK, OTHER, OTHER_DARK] = [
  '{{wordmark}}',
  '{{strand}}',
  '{{strandDark}}',
  '{{other}}',
  '{{otherDark}}',
]

/** Puts the brand into the text of a mail; `write` escapes a name for it. */
export function fillBrand(
  text: string,
  { name, isOwn, accent, accentDark }: Brand,
  write = (name: string) => name,
) {
  const texts = new Map([
    [SERVICE, write(name)],
    [WORDMARK, isOwn ? write(name) : 'pairwire'],
    [STRAND, accent ?? '#00627a'],
    [OTHER, accent ?? '#a34a07'],
    [STRAND_DARK, accentDark ?? '#5cc8de'],
    [OTHER_DARK, accentDark ?? '#f2945a'],
  ])
  return text.replace(/\{\{\w+\}\}/g, (place) => texts.get(place) ?? place)
}

/** What a mail says, and where its button leads. */
export type MailWords = Readonly<{
  subject: string
  /** What a list of mails shows after the subject. */
  preview: string
  title: string
  /** The text before the button. */
  paragraphs: readonly string[]
  button: string
  link: string
  /** Whether to print the address too, for a link that the user cannot do without. */
  showsAddress?: boolean
  /** Why this mail was sent. */
  foot: string
}>

/** The layout of every mail: a wire of two strands, the wordmark, the text, one button. */
export function MailLayout(words: MailWords) {
  const { subject, preview, title, paragraphs, button, link, showsAddress, foot } = words
  return (
    <Html lang="en">
      <Head>
        <title>{subject}</title>
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>{DARK}</style>
      </Head>
      <Preview>{preview}</Preview>
      <Body className="canvas" style={canvas}>
        <Container className="panel" style={panel}>
          {/* Two strands, as tables, since every client draws their lines. */}
          <Section className="buy" style={{ ...strand, backgroundColor: STRAND }} data-skip-in-text>
            <Text style={nothing}>&nbsp;</Text>
          </Section>
          <Section className="sell" style={{ ...strand, backgroundColor: OTHER }} data-skip-in-text>
            <Text style={nothing}>&nbsp;</Text>
          </Section>
          <Section style={sheet}>
            <Text className="text" style={wordmark} data-skip-in-text>
              {WORDMARK}
            </Text>
            <Heading as="h1" className="text" style={heading}>
              {title}
            </Heading>
            {paragraphs.map((text) => (
              <Text key={text} className="text-2" style={paragraph}>
                {text}
              </Text>
            ))}
            <Button href={link} className="ink" style={action}>
              {button}
            </Button>
            {showsAddress && (
              <Section data-skip-in-text>
                <Text className="text-3" style={{ ...small, margin: '24px 0 4px' }}>
                  If the button does nothing, open this address:
                </Text>
                <Link href={link} className="text-2" style={address}>
                  {link}
                </Link>
              </Section>
            )}
            <Text className="text-3 foot" style={footStyle}>
              {foot}
            </Text>
          </Section>
        </Container>
      </Body>
    </Html>
  )
}

/** The light theme of the design tokens; mail clients know no variables. */
const COLOURS = {
  canvas: '#f5f4f0',
  surface: '#ffffff',
  line: '#dedbd2',
  text: '#191b1a',
  text2: '#4e524e',
  text3: '#646861',
}

/**
 * The dark theme, for clients that read style sheets; Outlook's apps mark the elements they invert with `data-ogsc` and
 * `data-ogsb`. Other clients invert the light colours themselves or keep them, and both are readable.
 */
const DARK = dark(
  (selector, rule) => `@media (prefers-color-scheme: dark) { ${selector} { ${rule} } }`,
  (selector, rule) => `[data-ogsc] ${selector}, [data-ogsb] ${selector} { ${rule} }`,
)

function dark(...forms: ((selector: string, rule: string) => string)[]): string {
  const rules: [string, string][] = [
    ['.canvas', 'background-color: #0d100f !important'],
    // The cell that the body's component puts around it.
    ['.canvas > table > tbody > tr > td', 'background-color: #0d100f !important'],
    ['.panel', 'background-color: #141817 !important; border-color: #283030 !important'],
    ['.text', 'color: #ecefed !important'],
    ['.text-2', 'color: #b0b8b4 !important'],
    ['.text-3', 'color: #8b948f !important'],
    ['.foot', 'border-color: #283030 !important'],
    ['.ink', 'background-color: #ecefed !important; color: #0d100f !important'],
    ['.buy', `background-color: ${STRAND_DARK} !important`],
    ['.sell', `background-color: ${OTHER_DARK} !important`],
  ]
  return [
    ':root { color-scheme: light dark }',
    ...forms.flatMap((form) => rules.map(([selector, rule]) => form(selector, rule))),
  ].join('\n')
}

const FACE = "'Instrument Sans', system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

const canvas = { margin: 0, padding: '32px 12px', backgroundColor: COLOURS.canvas, fontFamily: FACE }

const panel = {
  maxWidth: '520px',
  margin: '0 auto',
  backgroundColor: COLOURS.surface,
  border: `1px solid ${COLOURS.line}`,
  borderRadius: '12px',
  overflow: 'hidden',
}

const strand = { height: '3px', borderBottom: '0' }

const nothing = { margin: 0, height: '3px', fontSize: '1px', lineHeight: '3px' }

const sheet = { padding: '28px 32px 32px' }

const wordmark = {
  margin: '0 0 28px',
  fontSize: '18px',
  lineHeight: '24px',
  fontWeight: 600,
  letterSpacing: '-0.018em',
  color: COLOURS.text,
}

const heading = {
  margin: '0 0 12px',
  fontSize: '26px',
  lineHeight: '30px',
  fontWeight: 600,
  letterSpacing: '-0.018em',
  color: COLOURS.text,
}

const paragraph = { margin: '0 0 16px', fontSize: '16px', lineHeight: '24px', color: COLOURS.text2 }

const action = {
  marginTop: '8px',
  padding: '13px 20px',
  borderRadius: '5px',
  backgroundColor: COLOURS.text,
  color: COLOURS.surface,
  fontSize: '16px',
  lineHeight: '20px',
  fontWeight: 600,
}

const small = { fontSize: '13px', lineHeight: '20px', color: COLOURS.text3 }

const address = {
  fontFamily: "'Geist Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSize: '13px',
  lineHeight: '20px',
  color: COLOURS.text2,
  wordBreak: 'break-all' as const,
}

const footStyle = {
  ...small,
  margin: '28px 0 0',
  paddingTop: '16px',
  borderTop: `1px solid ${COLOURS.line}`,
}

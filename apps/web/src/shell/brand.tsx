import { Link } from 'react-router'

/**
 * The link to the start, with the logo that the first HTML has: one drawing for both, which is not loaded twice, and which
 * changes with the HTML where the service has another name.
 */
export function Brand(props: { tabIndex?: number }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is the page's own, from before any script ran
  return <Link className="brand" to="/dashboard" dangerouslySetInnerHTML={LOGO} {...props} />
}

const LOGO = { __html: document.querySelector('.brand')?.innerHTML ?? '' }

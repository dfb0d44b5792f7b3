import { loadScript } from './load-script.ts'

/** Crisp's queue of commands, which its script runs. @see https://docs.crisp.chat/guides/chatbox-sdks/web-sdk/dollar-crisp/ */
type Commands = { push: (command: readonly unknown[]) => unknown }

declare global {
  interface Window {
    $crisp?: Commands
    CRISP_WEBSITE_ID?: string
  }
}

const SCRIPT_URL = 'https://client.crisp.chat/l.js'

/** Milliseconds before the chat counts as not loaded. */
const SCRIPT_TIMEOUT_MS = 15_000

/** Crisp keeps the conversation in cookies of these names. */
const COOKIE = /^crisp-client[^=]*/

/**
 * Opens the support chat; its script is fetched at the first call.
 *
 * @throws ApiError when the script does not load; the next call tries again
 */
export async function openChat(websiteId: string): Promise<void> {
  if (window.CRISP_WEBSITE_ID === undefined) {
    const queue: (readonly unknown[])[] = []
    window.$crisp = queue
    window.CRISP_WEBSITE_ID = websiteId
    try {
      await loadScript(SCRIPT_URL, SCRIPT_TIMEOUT_MS)
    } catch (error) {
      delete window.CRISP_WEBSITE_ID
      delete window.$crisp
      throw error
    }
  }
  window.$crisp?.push(['do', 'chat:show'])
  window.$crisp?.push(['do', 'chat:open'])
}

/** Ends the conversation, whether or not the script is on this page, so that the next user does not read it. */
export function resetChat(): void {
  window.$crisp?.push(['do', 'session:reset'])
  for (const cookie of document.cookie.split('; ')) {
    const name = COOKIE.exec(cookie)?.[0]
    if (name === undefined) continue
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store's own interface is not in every browser
    document.cookie = `${name}=; path=/; max-age=0`
  }
}

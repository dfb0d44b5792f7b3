import { noAnswer } from '../api/api-error.ts'

/**
 * Fetches a script of another origin.
 *
 * @throws ApiError when it has not loaded within `timeoutMs`
 */
export function loadScript(url: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    const fail = () => {
      clearTimeout(timer)
      script.remove()
      reject(noAnswer())
    }
    const timer = setTimeout(fail, timeoutMs)
    script.src = url
    script.async = true
    script.onload = () => {
      clearTimeout(timer)
      resolve()
    }
    script.onerror = fail
    document.head.append(script)
  })
}

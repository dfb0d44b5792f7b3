import type { ApiParts } from '../../parts.ts'

/** Where the operator's room is. */
export type Room = Readonly<{
  /** The address of its first page. */
  url: string
  /** As browsers send it. */
  origin: string
  /** The host on which alone it answers; undefined for any. */
  host: string | undefined
  /** Whether its cookies are for https alone. */
  isSecure: boolean
  /** Whether it answers nobody: on a production host, its secrets would travel in the clear. */
  isShut: boolean
}>

/** The room of a service with these settings. */
export function roomOf({
  adminUrl,
  publicUrl,
  production,
}: Pick<ApiParts, 'adminUrl' | 'publicUrl' | 'production'>): Room {
  const { origin, host, protocol } = new URL(adminUrl ?? publicUrl)
  const isSecure = protocol === 'https:'
  return {
    url: `${adminUrl ?? publicUrl}/admin`,
    origin,
    host: adminUrl === undefined ? undefined : host,
    isSecure,
    isShut: production && !isSecure,
  }
}

/** A message from the side of accounts to every gateway, over the bus. */
export type ControlMessage =
  | AccountMessage
  /** Ends one connection of the account (4009); a gateway that does not hold it does nothing. */
  | Readonly<{ type: 'closeConnection'; accountId: string; connectionId: string }>

/** A message that concerns all connections of an account. */
type AccountMessage = Readonly<{
  /**
   * `keyReset`: connections opened with the old key end (4001). `disconnect`: all connections end (4009).
   * `planChanged`: key and plan are read again; without an active plan connections end (4003).
   * `accountDeleted`: as keyReset.
   */
  type: 'keyReset' | 'disconnect' | 'planChanged' | 'accountDeleted'
  accountId: string
}>

/** Version of the package, sent to the service. */
export const VERSION = '0.2.0'
